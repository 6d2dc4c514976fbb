//! Enrollment tokens and other JSON Web Tokens that the controller signs (RFC 7515, RFC 7519).

mod algorithm;
mod claims;
mod compact;
mod json;
mod sign;
mod verify;

pub use claims::EnrollmentClaims;
pub use sign::JwtSigner;
pub use verify::{key_id, verify, verify_with_certificate};

pub(crate) use algorithm::{Algorithm, algorithms_for};
pub(crate) use compact::{CompactToken, Header};
pub(crate) use json::parse_object;

use crate::key::{CryptoError, UnsupportedKeyError};

/// A token could not be signed or verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JwtError {
    /// The signing key is not that of the certificate.
    #[error("the signing key does not match the certificate")]
    KeyMismatch,
    /// No accepted algorithm matches the key.
    #[error("tokens cannot be signed or verified with this type of key")]
    UnsupportedKey,
    /// The claims cannot be encoded as JSON.
    #[error("the claims of the token cannot be encoded")]
    Claims,
    /// The cryptographic library could not sign.
    #[error(transparent)]
    Crypto(#[from] CryptoError),
    /// The certificate to verify with cannot be parsed.
    #[error("the certificate that should verify the token cannot be read")]
    Certificate,
    #[error("the token is larger than 64 KiB")]
    TooLarge,
    /// The token does not have three base64 parts with JSON in the first two.
    #[error("the token is malformed")]
    Malformed,
    /// The token lists critical extensions, none of which is supported.
    #[error("the token asks for extensions that are not supported")]
    CriticalExtension,
    /// A registered claim has the wrong type (RFC 7519 section 4.1).
    #[error("the claim {claim} of the token is of the wrong type")]
    ClaimType {
        /// Name of the claim.
        claim: &'static str,
    },
    /// The algorithm is not accepted, or does not match the key.
    #[error("the token is signed with an algorithm that does not fit the key")]
    WrongAlgorithm,
    /// There is no key that could verify the token.
    #[error("the token was signed with an unknown key")]
    UnknownKey,
    #[error("the signature of the token is invalid")]
    BadSignature,
    #[error("the token has expired")]
    Expired,
}

impl From<UnsupportedKeyError> for JwtError {
    fn from(_: UnsupportedKeyError) -> Self {
        Self::UnsupportedKey
    }
}
