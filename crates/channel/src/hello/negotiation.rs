//! Agreeing on a version of the wire format. There is one today, version 2.

use bytes::{Buf as _, BytesMut};

/// The version that this crate speaks.
pub const VERSION: u32 = 2;
/// Most versions that an answer may list.
pub const MAX_VERSIONS: u32 = 64;
/// What a listing of versions begins with.
const VERSIONS_MAGIC: [u8; 4] = [0x03, 0x06, 0x09, 0x0a];

/// What a listener says to a hello that begins with unknown bytes, before it closes the connection: a
/// magic of its own, the number of versions it knows, and the versions, 1 and 2.
pub const VERSIONS_ANSWER: [u8; 16] = [0x03, 0x06, 0x09, 0x0a, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0];

/// A listing of versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Listing {
    /// The bytes begin with something else.
    Other,
    /// More bytes are needed.
    Incomplete,
    /// More versions than allowed.
    TooMany(u32),
    /// These versions.
    Versions(Vec<u32>),
}

/// Reads what may be a listing of versions.
pub(super) fn parse(input: &BytesMut) -> Listing {
    let mut rest: &[u8] = input;
    match rest.split_first_chunk() {
        None => return Listing::Incomplete,
        Some((magic, _)) if *magic != VERSIONS_MAGIC => return Listing::Other,
        Some((_, after)) => rest = after,
    }
    let Ok(count) = rest.try_get_u32_le() else {
        return Listing::Incomplete;
    };
    if count > MAX_VERSIONS {
        return Listing::TooMany(count);
    }
    let versions: Option<Vec<u32>> = (0..count).map(|_| rest.try_get_u32_le().ok()).collect();
    versions.map_or(Listing::Incomplete, Listing::Versions)
}
