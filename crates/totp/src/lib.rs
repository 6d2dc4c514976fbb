//! The TOTP engine of the Portcullis controller (RFC 4226, RFC 6238).
//!
//! Start from [`Secret`] and [`RecoveryCodes`], which an enrollment consists of, and from
//! [`Enrolled`], which says whether a code may be accepted. A submitted text goes three ways:
//!
//! 1. [`Submitted::parse`] tells by its form what it could be.
//! 2. [`Evidence::of`] finds out what it is. All the cryptography is here; nothing is put on the
//!    heap, and the time taken tells nothing.
//! 3. A state judges the evidence and becomes the next one, or gives a [`Refusal`]:
//!    [`NotEnrolled`] is started, [`Started`] is verified, [`Enrolled`] accepts. This is cheap and
//!    yields the same each time, so it can be done, and repeated, inside a transaction.
//!
//! [`Throttle`] counts wrong codes and says how long the next attempt has to wait. It is the caller
//! that asks it first, and that stores what comes out: the values are those of
//! [`portcullis_domain::mfa`]. [`provisioning_url`] and [`QrCode`] bring a secret into an app.
//!
//! Nothing here reads files or asks for the time; randomness comes from an
//! [`Entropy`](portcullis_domain::entropy::Entropy). Steps last 30 seconds and codes have six
//! digits, since that is all that authenticator apps agree on. Sealing the secret and the recovery
//! codes is left to the caller.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::entropy::{Entropy, EntropyError};
//! use portcullis_domain::{clock::Timestamp, mfa::Step};
//! use portcullis_totp::{Evidence, NotEnrolled, RecoveryCodes, Refusal, Rules, Secret, Submitted};
//!
//! # struct Counter(std::sync::atomic::AtomicU8);
//! # impl Entropy for Counter {
//! #     fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
//! #         bytes.fill_with(|| self.0.fetch_add(37, std::sync::atomic::Ordering::Relaxed));
//! #         Ok(())
//! #     }
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let entropy = Counter(1.into());
//! let secret = Secret::generate(&entropy)?;
//! let codes = RecoveryCodes::generate(&entropy)?;
//! let now = Step::at("2031-04-05T06:07:08Z".parse::<Timestamp>()?);
//! let rules = Rules::STRICT;
//! let find = |text: &str| {
//!     Submitted::parse(text).map(|code| Evidence::of(&code, &secret, &codes, now, rules))
//! };
//!
//! // What the app shows ends the enrollment.
//! let shown = secret.code_at(now);
//! let enrolled = NotEnrolled.start().verify(find(shown.as_str())?)?;
//!
//! // It is used thereby; the next one is not.
//! let again = enrolled.clone().accept(find(shown.as_str())?, rules);
//! assert_eq!(again, Err(Refusal::Replayed));
//! let next = secret.code_at(Step(now.0 + 1));
//! let enrolled = enrolled.accept(find(next.as_str())?, rules)?;
//!
//! // A recovery code does instead, once.
//! let spare = codes.unspent(Default::default()).next().ok_or("all are spent")?;
//! let enrolled = enrolled.accept(find(spare)?, rules)?;
//! assert_eq!(enrolled.accept(find(spare)?, rules), Err(Refusal::Replayed));
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

pub use code::{Code, Malformed, RecoveryCode, Submitted};
pub use enrollment::{Enrolled, NotEnrolled, Refusal, Started};
pub use evidence::Evidence;
pub use qr::{QrCode, TooLong};
pub use recovery_codes::{BadRecoveryCodes, RecoveryCodes};
pub use rules::{Reuse, Rules, Window};
pub use secret::{BadSecret, Secret};
pub use throttle::{Held, Throttle};
pub use url::provisioning_url;
