//! Durations as nanoseconds.

use serde::Serializer;
use std::time::Duration;

/// For `#[serde(serialize_with)]`.
#[expect(clippy::ref_option, reason = "the signature is serde's")]
pub(super) fn serialize<S: Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let nanoseconds = duration.map(|duration| u64::try_from(duration.as_nanos()));
    match nanoseconds {
        Some(nanoseconds) => serializer.serialize_u64(nanoseconds.unwrap_or(u64::MAX)),
        None => serializer.serialize_none(),
    }
}
