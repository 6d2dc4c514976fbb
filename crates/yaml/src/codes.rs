//! Codes of diagnostics about sections and fields.

/// A key that does not exist here.
pub const UNKNOWN_KEY: &str = "unknown-key";
/// A key that exists in OpenZiti and has no effect here.
pub const IGNORED_KEY: &str = "ignored-key";
/// A required key is missing.
pub const MISSING_KEY: &str = "missing-key";
/// A key without a value.
pub const NO_VALUE: &str = "no-value";
/// A value of the wrong type.
pub const WRONG_TYPE: &str = "wrong-type";
/// A value of the right type that is not allowed.
pub const INVALID_VALUE: &str = "invalid-value";
/// A number or duration that is out of bounds.
pub const OUT_OF_RANGE: &str = "out-of-range";
