//! Shared secret of a TOTP enrollment.

use crate::code::Code;
use crate::rules::Window;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::mfa::TimeStep;
use secrecy::SecretString;
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use zeroize::Zeroizing;

/// The secret shared by server and authenticator app, from which both compute the codes (K in RFC
/// 4226).
///
/// It is wiped on drop, and `Debug` hides it.
pub struct Secret(totp_rs::Totp);

/// The bytes have a length that no secret may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a TOTP secret has {shortest} to {longest} bytes", shortest = Secret::MIN_LENGTH, longest = Secret::MAX_LENGTH)]
pub struct SecretLengthError;

impl Secret {
    /// Length of a generated secret in bytes: 160 bits, as recommended by RFC 4226 section 4 (R6).
    pub const GENERATED_LENGTH: usize = 20;

    /// Minimum length in bytes: 128 bits, as required by RFC 4226 section 4 (R6).
    pub const MIN_LENGTH: usize = 16;

    /// Maximum length in bytes: a block of SHA-1. A longer key would be hashed first (RFC 2104
    /// section 3).
    pub const MAX_LENGTH: usize = 64;

    /// Generates a secret.
    ///
    /// # Errors
    ///
    /// [`EntropyError`] when the source fails.
    pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut bytes = Zeroizing::new([0; Self::GENERATED_LENGTH]);
        entropy.fill(bytes.as_mut())?;
        Ok(Self::new(bytes.as_ref()))
    }

    /// Restores a stored secret.
    ///
    /// # Errors
    ///
    /// [`SecretLengthError`] unless there are [`MIN_LENGTH`](Self::MIN_LENGTH) to
    /// [`MAX_LENGTH`](Self::MAX_LENGTH) bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SecretLengthError> {
        if !(Self::MIN_LENGTH..=Self::MAX_LENGTH).contains(&bytes.len()) {
            return Err(SecretLengthError);
        }
        Ok(Self::new(bytes))
    }

    fn new(bytes: &[u8]) -> Self {
        // On the heap, since each move would leave a copy on the stack.
        let secret = totp_rs::Secret::new(bytes.into());
        // Steps are counted by the caller. With a duration of one second, no step number overflows
        // the arithmetic.
        let builder = totp_rs::Builder::new().with_step_duration(1);
        Self(builder.with_secret(secret).build_noncompliant())
    }

    /// The bytes, to be sealed and stored.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.secret().as_bytes()
    }

    /// The secret for manual entry into an app: base32 without padding (RFC 4648 section 6).
    pub fn to_base32(&self) -> SecretString {
        let alphabet = base32::Alphabet::Rfc4648 { padding: false };
        let text = Zeroizing::new(base32::encode(alphabet, self.as_bytes()));
        SecretString::from(text.as_str())
    }

    /// The code of `step`: HMAC-SHA-1, truncated to six digits (RFC 4226 section 5.3).
    pub fn code_at(&self, step: TimeStep) -> Code {
        Code::from_token(&self.0.generate(step.0))
    }

    /// The newest step in `window` around `now` with this code.
    ///
    /// Runs in constant time: all steps of the window are computed and compared in full. Does not
    /// allocate.
    pub fn find(&self, code: &Code, now: TimeStep, window: Window) -> Option<TimeStep> {
        let (mut newest, mut is_found) = (0, Choice::from(0));
        for step in window.steps(now) {
            let is_equal = self.code_at(TimeStep(step)).ct_eq(code);
            newest.conditional_assign(&step, is_equal);
            is_found |= is_equal;
        }
        bool::from(is_found).then_some(TimeStep(newest))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret([redacted])")
    }
}

#[cfg(test)]
mod tests;
