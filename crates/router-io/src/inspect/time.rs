//! Times, as OpenZiti's routers write them.

use portcullis_domain::clock::Timestamp;

/// A time that has not come.
pub(super) const NEVER: &str = "0001-01-01T00:00:00Z";

pub(super) fn seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
