//! A token as a client presents it.

use std::fmt;

use super::{Claims, VerificationKey};
use crate::jwt::{Compact, JwtError};

/// A token of an external signer in its compact form (RFC 7515 section 7.1), well-formed and not
/// believed yet.
pub struct PresentedToken<'a> {
    compact: Compact<'a>,
    signature: Vec<u8>,
    claims: Claims,
}

impl<'a> PresentedToken<'a> {
    /// Takes a token apart.
    ///
    /// It has to be at most 64 KiB of three parts in unpadded base64url. The first two are JSON
    /// objects in which no member stands twice; the header lists no extensions that have to be
    /// understood, and registered claims are of their types.
    ///
    /// # Errors
    ///
    /// [`JwtError`]: `TooLarge`, `Malformed`, `CriticalExtension` or `ClaimType`.
    pub fn read(text: &'a str) -> Result<Self, JwtError> {
        let compact = Compact::read(text)?;
        Ok(Self {
            signature: compact.signature()?,
            claims: Claims::read(compact.claims()?)?,
            compact,
        })
    }

    /// The key that the header names (`kid`). Anybody may have written it.
    pub fn key_id(&self) -> Option<&str> {
        self.compact.header.key_id.as_deref()
    }

    /// The algorithm that the header names (`alg`). Anybody may have written it.
    pub fn algorithm(&self) -> &str {
        &self.compact.header.algorithm
    }

    /// The signer that the claims name (`iss`): good for choosing whose keys to verify with, and for
    /// nothing else before that is done.
    pub fn claimed_issuer(&self) -> Option<&str> {
        self.claims.issuer()
    }

    /// Verifies the signature with one of `keys` and gives out the claims, which are still to be
    /// [checked](Claims::check).
    ///
    /// # Errors
    ///
    /// [`JwtError::NoKey`] when there are no keys, otherwise why the last one did not verify it:
    /// [`JwtError::WrongAlgorithm`] or [`JwtError::BadSignature`].
    pub fn verify<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k VerificationKey>,
    ) -> Result<&Claims, JwtError> {
        let mut outcome = Err(JwtError::NoKey);
        for key in keys {
            outcome = key.verify(&self.compact.header, self.compact.signed, &self.signature);
            if outcome.is_ok() {
                break;
            }
        }
        outcome.map(|()| &self.claims)
    }
}

impl fmt::Debug for PresentedToken<'_> {
    /// Leaves the token itself out: whoever reads it could use it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PresentedToken")
            .field("algorithm", &self.algorithm())
            .field("key_id", &self.key_id())
            .finish_non_exhaustive()
    }
}
