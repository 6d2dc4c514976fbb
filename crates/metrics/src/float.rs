//! Counts as floating-point numbers.

/// The nearest floating-point number; exact up to 2⁵³.
#[expect(
    clippy::cast_precision_loss,
    reason = "what is measured is not known to sixteen digits"
)]
pub(crate) const fn from_count(count: u64) -> f64 {
    count as f64
}

/// The nearest count; zero for what is negative or no number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion saturates"
)]
pub(crate) const fn to_count(value: f64) -> u64 {
    value.round() as u64
}
