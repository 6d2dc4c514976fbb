//! Codes of the diagnostics that walking a tree can give.

/// A key that does not exist here.
pub const UNKNOWN_KEY: &str = "unknown-key";
/// A key that exists in OpenZiti and has no effect here.
pub const IGNORED_KEY: &str = "ignored-key";
/// A key that must be there is not.
pub const MISSING_KEY: &str = "missing-key";
/// A key without a value.
pub const NO_VALUE: &str = "no-value";
/// A value of another type than the key takes.
pub const WRONG_TYPE: &str = "wrong-type";
/// A value of the right type that the key does not take.
pub const INVALID_VALUE: &str = "invalid-value";
/// A number or duration outside its bounds.
pub const OUT_OF_RANGE: &str = "out-of-range";
