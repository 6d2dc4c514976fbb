//! Fractions as whole numbers.

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a fraction is from 0 to 1"
)]
pub(crate) fn millionths(fraction: f64) -> u32 {
    (fraction * 1e6).round() as u32
}
