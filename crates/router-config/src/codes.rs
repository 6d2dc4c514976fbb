//! Stable codes of the diagnostics.

pub use portcullis_yaml::codes::{INVALID_VALUE, MISSING_KEY, NO_VALUE, UNKNOWN_KEY, WRONG_TYPE};

/// A number or duration outside its bounds.
pub const OUT_OF_BOUNDS: &str = "out-of-bounds";
/// Two keys contradict each other.
pub const CONFLICT: &str = "conflict";
/// A key or a spelling that something better has replaced.
pub const DEPRECATED_KEY: &str = "deprecated-key";
/// A key that is accepted and has no effect.
pub const DEAD_KEY: &str = "dead-key";
/// A known key that has no effect where it stands.
pub const UNUSED_KEY: &str = "unused-key";
/// An address or a group that nobody can reach.
pub const UNREACHABLE: &str = "unreachable";
/// An advertised host that the certificate will not name.
pub const NOT_IN_SANS: &str = "not-in-sans";
/// Two listeners want one port.
pub const PORT_TAKEN: &str = "port-taken";
/// A section that is not there, and what is lost without it.
pub const MISSING_SECTION: &str = "missing-section";
/// A spelling that only Portcullis accepts.
pub const ONLY_HERE: &str = "only-here";
/// A document without content.
pub const EMPTY_DOCUMENT: &str = "empty-document";
/// Something worth knowing.
pub const GOOD_TO_KNOW: &str = "good-to-know";
/// A value that works and probably is not what was meant.
pub const SUSPICIOUS: &str = "suspicious-value";
