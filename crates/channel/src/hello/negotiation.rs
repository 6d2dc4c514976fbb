//! Version negotiation of the wire format. There is only version 2 today.

use bytes::{Buf as _, BytesMut};

/// The version that this crate implements.
pub const VERSION: u32 = 2;
/// Maximum number of versions in an answer.
pub const MAX_VERSIONS: u32 = 64;
/// First bytes of a version list.
const VERSIONS_MAGIC: [u8; 4] = [0x03, 0x06, 0x09, 0x0a];

/// Answer to a hello that begins with unknown bytes, before the connection is closed: a separate
/// magic, the number of supported versions, and the versions, 1 and 2.
pub const VERSIONS_ANSWER: [u8; 16] = [0x03, 0x06, 0x09, 0x0a, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];

/// Parsed version list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VersionList {
    /// The bytes are not a version list.
    Other,
    /// More bytes are needed.
    Incomplete,
    /// More versions than allowed.
    TooMany(u32),
    Versions(Vec<u32>),
}

/// Parses a version list, if the input is one.
pub(super) fn parse(input: &BytesMut) -> VersionList {
    let mut rest: &[u8] = input;
    match rest.split_first_chunk() {
        None => return VersionList::Incomplete,
        Some((magic, _)) if *magic != VERSIONS_MAGIC => return VersionList::Other,
        Some((_, after)) => rest = after,
    }
    let Ok(count) = rest.try_get_u32_le() else {
        return VersionList::Incomplete;
    };
    if count > MAX_VERSIONS {
        return VersionList::TooMany(count);
    }
    let versions: Option<Vec<u32>> = (0..count).map(|_| rest.try_get_u32_le().ok()).collect();
    versions.map_or(VersionList::Incomplete, VersionList::Versions)
}
