//! The secret that a server and an authenticator app share.

use crate::code::Code;
use crate::rules::Window;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::mfa::Step;
use secrecy::SecretString;
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};
use zeroize::Zeroizing;

/// The secret of a TOTP enrollment, from which both sides compute the codes (RFC 4226, where it is
/// K).
///
/// It is wiped when it is dropped, and `Debug` does not show it.
pub struct Secret(totp_rs::Totp);

/// Bytes that cannot be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a TOTP secret has {shortest} to {longest} bytes", shortest = Secret::SHORTEST, longest = Secret::LONGEST)]
pub struct BadSecret;

impl Secret {
    /// Bytes of a generated secret: the 160 bits that RFC 4226 section 4 recommends (R6).
    pub const LENGTH: usize = 20;

    /// Fewest bytes: the 128 bits that RFC 4226 section 4 demands (R6).
    pub const SHORTEST: usize = 16;

    /// Most bytes: a block of SHA-1. A longer key would be hashed down before its use (RFC 2104
    /// section 3).
    pub const LONGEST: usize = 64;

    /// Draws a secret.
    ///
    /// # Errors
    ///
    /// [`EntropyError`] when the source cannot deliver.
    pub fn generate(entropy: &dyn Entropy) -> Result<Self, EntropyError> {
        let mut bytes = Zeroizing::new([0; Self::LENGTH]);
        entropy.fill(bytes.as_mut())?;
        Ok(Self::new(bytes.as_ref()))
    }

    /// Takes up a secret that was stored.
    ///
    /// # Errors
    ///
    /// [`BadSecret`] unless there are [`SHORTEST`](Self::SHORTEST) to [`LONGEST`](Self::LONGEST)
    /// bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadSecret> {
        if !(Self::SHORTEST..=Self::LONGEST).contains(&bytes.len()) {
            return Err(BadSecret);
        }
        Ok(Self::new(bytes))
    }

    fn new(bytes: &[u8]) -> Self {
        // On the heap: a secret that is handed on would leave a copy of itself on the stack each time.
        let secret = totp_rs::Secret::new(bytes.into());
        // Steps are counted here, so to the arithmetic a step lasts one second: no number of a step
        // is too large for it.
        let builder = totp_rs::Builder::new().with_step_duration(1);
        Self(builder.with_secret(secret).build_noncompliant())
    }

    /// The bytes, to be sealed and stored.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.secret().as_bytes()
    }

    /// The secret as people type it into an app: base32 without padding (RFC 4648 section 6).
    pub fn to_base32(&self) -> SecretString {
        let alphabet = base32::Alphabet::Rfc4648 { padding: false };
        let text = Zeroizing::new(base32::encode(alphabet, self.as_bytes()));
        SecretString::from(text.as_str())
    }

    /// The code of `step`: HMAC-SHA-1, cut to six digits (RFC 4226 section 5.3).
    pub fn code_at(&self, step: Step) -> Code {
        Code::of_token(&self.0.generate(step.0))
    }

    /// The newest step of `window` around `now` that has `code`.
    ///
    /// All steps of the window are computed and compared in full, whichever of them matches, so that
    /// the time taken tells nothing. Nothing is put on the heap.
    pub fn find(&self, code: &Code, now: Step, window: Window) -> Option<Step> {
        let (mut newest, mut is_found) = (0, Choice::from(0));
        for step in window.steps(now) {
            let is_equal = self.code_at(Step(step)).ct_eq(code);
            newest.conditional_assign(&step, is_equal);
            is_found |= is_equal;
        }
        bool::from(is_found).then_some(Step(newest))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret([redacted])")
    }
}

#[cfg(test)]
mod tests;
