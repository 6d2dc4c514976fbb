//! Tokens as presented by clients.

use std::fmt;

use super::{Claims, VerificationKey};
use crate::jwt::{CompactToken, JwtError};

/// A token of an external signer in compact form (RFC 7515 section 7.1), well-formed but not
/// verified yet.
pub struct PresentedToken<'a> {
    compact: CompactToken<'a>,
    signature: Vec<u8>,
    claims: Claims,
}

impl<'a> PresentedToken<'a> {
    /// Parses a token.
    ///
    /// It must be at most 64 KiB, in three parts of unpadded base64url. The first two are JSON
    /// objects without duplicate members; the header lists no critical extensions, and registered
    /// claims have valid types.
    ///
    /// # Errors
    ///
    /// [`JwtError`]: `TooLarge`, `Malformed`, `CriticalExtension` or `ClaimType`.
    pub fn parse(text: &'a str) -> Result<Self, JwtError> {
        let compact = CompactToken::parse(text)?;
        Ok(Self {
            signature: compact.signature()?,
            claims: Claims::parse(compact.claims()?)?,
            compact,
        })
    }

    /// The key id in the header (`kid`). Not trusted.
    pub fn key_id(&self) -> Option<&str> {
        self.compact.header.key_id.as_deref()
    }

    /// The algorithm in the header (`alg`). Not trusted.
    pub fn algorithm(&self) -> &str {
        &self.compact.header.algorithm
    }

    /// The issuer in the claims (`iss`), which is not trusted: use it only to choose the keys for
    /// [`verify`](Self::verify).
    pub fn claimed_issuer(&self) -> Option<&str> {
        self.claims.issuer()
    }

    /// Verifies the signature with one of `keys` and returns the claims, which are still to be
    /// [validated](Claims::validate).
    ///
    /// # Errors
    ///
    /// [`JwtError::UnknownKey`] if there are no keys, otherwise the error for the last one:
    /// [`JwtError::WrongAlgorithm`] or [`JwtError::BadSignature`].
    pub fn verify<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k VerificationKey>,
    ) -> Result<&Claims, JwtError> {
        let mut outcome = Err(JwtError::UnknownKey);
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
    /// Leaves the token itself out: it is a credential.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PresentedToken")
            .field("algorithm", &self.algorithm())
            .field("key_id", &self.key_id())
            .finish_non_exhaustive()
    }
}
