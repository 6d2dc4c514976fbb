//! Tokens that others sign: what a client presents, the keys of its signer, the claims.
//!
//! The way is always the same. [`PresentedToken::read`] takes the text apart and checks its form;
//! issuer and key id, not to be believed yet, say which signer and which of its keys are meant.
//! [`PresentedToken::verify`] then checks the signature, and only that gives the [`Claims`] out.
//! [`Claims::check`] judges issuer, audience and times, and a [`ClaimSelector`] finds the claim that
//! names the identity. Nothing here fetches keys or asks for the time.
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
//!     let token = PresentedToken::read(token)?;
//!     let key_id = token.key_id().ok_or("the token names no key")?;
//!     let claims: &Claims = token.verify(keys.candidates(key_id))?;
//!     claims.check("https://idp.example.test", "my-network", now)?;
//!     Ok(claims.text(&ClaimSelector::parse("/sub")?)?.to_owned())
//! }
//!
//! let keys = KeySet::parse(br#"{"keys":[]}"#)?;
//! let refused = PresentedToken::read("e30.e30.").unwrap_err();
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

pub use claims::{CLOCK_LEEWAY, Claims, ClaimsError, SelectError};
pub use jwk::JwkError;
pub use key::VerificationKey;
pub use key_set::{KeySet, KeySetError, RefusedKey};
pub use selector::{ClaimSelector, SelectorError};
pub use token::PresentedToken;

pub use crate::jwt::JwtError;
