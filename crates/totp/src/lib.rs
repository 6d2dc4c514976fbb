//! The TOTP engine of the Portcullis controller (RFC 4226, RFC 6238).
//!
//! An enrollment consists of a [`Secret`] and [`RecoveryCodes`]; [`Enrolled`] decides whether a
//! code is accepted. A submitted text passes three stages:
//!
//! 1. [`SubmittedCode::parse`] classifies it by its form.
//! 2. [`Examiner::examine`] finds out what it is. All cryptography happens here, without
//!    allocation and in constant time.
//! 3. A state decides on the evidence and becomes the next one, or returns a [`CodeError`]:
//!    [`NotEnrolled`] is started, [`Started`] is verified, [`Enrolled`] accepts. This is cheap and
//!    deterministic, so it can run, and be repeated, inside a transaction.
//!
//! [`Throttle`] counts wrong codes and tells how long the next attempt has to wait. The caller
//! checks it first and stores its results, which are values of [`portcullis_domain::mfa`].
//! [`provisioning_url`] and [`QrCode`] transfer a secret to an app.
//!
//! There is no I/O and no clock; randomness comes from an
//! [`Entropy`](portcullis_domain::entropy::Entropy), which `portcullis-system` has. Steps last 30 seconds and codes have six
//! digits, which is all that authenticator apps agree on. The caller seals the secret and the
//! recovery codes.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::{clock::Clock as _, mfa::TimeStep};
//! use portcullis_system::{SystemClock, SystemEntropy};
//! use portcullis_totp::{
//!     CodeError, CodeFormatError, Examiner, NotEnrolled, RecoveryCodes, Rules, Secret,
//!     SubmittedCode,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let secret = Secret::generate(&SystemEntropy)?;
//! let codes = RecoveryCodes::generate(&SystemEntropy)?;
//! let now = TimeStep::at(SystemClock.now());
//! let rules = Rules::STRICT;
//! let examiner = Examiner::new(&secret, &codes);
//! let find = |text: &str| {
//!     Ok::<_, CodeFormatError>(examiner.examine(&SubmittedCode::parse(text)?, now))
//! };
//!
//! // The code in the app verifies the enrollment.
//! let shown = secret.code_at(now);
//! let enrolled = NotEnrolled.start().verify(find(shown.as_str())?)?;
//!
//! // That uses it up; the next one is unused.
//! let again = enrolled.clone().accept(find(shown.as_str())?, rules);
//! assert_eq!(again, Err(CodeError::Replayed));
//! let next = secret.code_at(TimeStep(now.0 + 1));
//! let enrolled = enrolled.accept(find(next.as_str())?, rules)?;
//!
//! // A recovery code works instead, once.
//! let spare = codes.unspent(Default::default()).next().ok_or("all are spent")?;
//! let enrolled = enrolled.accept(find(spare)?, rules)?;
//! assert_eq!(enrolled.accept(find(spare)?, rules), Err(CodeError::Replayed));
//! # Ok(())
//! # }
//! ```

mod code;
mod enrollment;
mod evidence;
mod qr;
mod recovery_codes;
mod rules;
mod secret;
#[cfg(test)]
mod testing;
mod throttle;
mod url;

pub use code::{Code, CodeFormatError, RecoveryCode, SubmittedCode};
pub use enrollment::{CodeError, Enrolled, NotEnrolled, Started};
pub use evidence::{Evidence, Examiner};
pub use qr::{QrCode, QrCodeError};
pub use recovery_codes::{RecoveryCodes, RecoveryCodesError};
pub use rules::{Reuse, Rules, Window};
pub use secret::{Secret, SecretLengthError};
pub use throttle::{Throttle, ThrottledError};
pub use url::provisioning_url;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
