//! Codes of diagnostics in addition to those of [`portcullis_yaml`].

/// Two keys contradict each other and one of them is not used.
pub const UNUSED: &str = "unused";
/// A setting weakens security.
pub const WEAKENED: &str = "weakened";
/// A setting would weaken security and is ignored.
pub const STRICTER: &str = "stricter";
/// The version of the format is not 3.
pub const VERSION: &str = "version";
/// The address advertised to clients is not served.
pub const UNSERVED_ADDRESS: &str = "unserved-address";
/// Two listeners use the same port.
pub const PORT_TAKEN: &str = "port-taken";
