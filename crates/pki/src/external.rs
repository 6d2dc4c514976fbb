//! Tokens of external signers: parsing, the keys of the signer, claims.
//!
//! The steps are always the same. [`PresentedToken::parse`] parses the token and checks its form;
//! issuer and key id, which are not trusted yet, tell which signer and key to use.
//! [`PresentedToken::verify`] verifies the signature and only then returns the [`Claims`].
//! [`Claims::validate`] checks issuer, audience and times, and a [`ClaimSelector`] finds the claim
//! that identifies the holder. Nothing here fetches keys or reads the clock.
//!
//! # Examples
//!
//! ```
//! use portcullis_pki::external::{Claims, ClaimSelector, JwtError, KeySet, PresentedToken};
//!
//! fn subject(
//!     token: &str,
//!     keys: &KeySet,
//!     now: jiff::Timestamp,
//! ) -> Result<String, Box<dyn std::error::Error>> {
//!     let token = PresentedToken::parse(token)?;
//!     let key_id = token.key_id().ok_or("the token names no key")?;
//!     let claims: &Claims = token.verify(keys.candidates(key_id))?;
//!     claims.validate("https://idp.example.test", "my-network", now)?;
//!     Ok(claims.text(&ClaimSelector::parse("/sub")?)?.to_owned())
//! }
//!
//! let keys = KeySet::parse(br#"{"keys":[]}"#)?;
//! let refused = PresentedToken::parse("e30.e30.").unwrap_err();
//! assert_eq!(refused, JwtError::Malformed);
//! # let _ = (keys, subject);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claims;
mod jwk;
mod key;
mod key_set;
mod selector;
mod token;

pub use claims::{CLOCK_LEEWAY, ClaimLookupError, Claims, ClaimsError};
pub use jwk::JwkError;
pub use key::VerificationKey;
pub use key_set::{KeySet, KeySetError, RejectedKey};
pub use selector::{ClaimSelector, ClaimSelectorError};
pub use token::PresentedToken;

pub use crate::jwt::JwtError;
