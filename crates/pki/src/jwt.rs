//! Enrollment tokens and other JSON web tokens that the controller signs (RFC 7515, RFC 7519).

mod algorithm;
mod claims;
mod compact;
mod json;
mod session_claims;
mod sign;
mod verify;

pub use claims::EnrollmentClaims;
pub use session_claims::{Granted, SessionClaims};
pub use sign::JwtSigner;
pub use verify::{verify, verify_with_certificate};

pub(crate) use algorithm::{Algorithm, fitting};
pub(crate) use compact::{Compact, Header};
pub(crate) use json::object;

use crate::key::{CryptoError, UnsupportedKey};

/// A token could not be signed or was not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JwtError {
    /// The key of the signer is not that of the certificate that is to name it.
    #[error("the signing key does not match the certificate")]
    OtherKey,
    /// No accepted algorithm fits the key.
    #[error("tokens cannot be signed or verified with this type of key")]
    UnsupportedKey,
    /// The claims could not be written as JSON.
    #[error("the claims of the token cannot be encoded")]
    Claims,
    /// The library could not sign.
    #[error(transparent)]
    Crypto(#[from] CryptoError),
    /// The certificate to verify with cannot be read.
    #[error("the certificate that should verify the token cannot be read")]
    Certificate,
    /// The token is larger than 64 KiB.
    #[error("the token is larger than 64 KiB")]
    TooLarge,
    /// The token does not have three parts of base64 with JSON in the first two.
    #[error("the token is malformed")]
    Malformed,
    /// The token lists extensions that must be understood, and none is.
    #[error("the token asks for extensions that are not supported")]
    CriticalExtension,
    /// A registered claim is of a type that it cannot have (RFC 7519 section 4.1).
    #[error("the claim {claim} of the token is of the wrong type")]
    ClaimType {
        /// Name of the claim.
        claim: &'static str,
    },
    /// The algorithm is not accepted, or is not the one that fits the key.
    #[error("the token is signed with an algorithm that does not fit the key")]
    WrongAlgorithm,
    /// No key is known that could verify the token.
    #[error("the token was signed with an unknown key")]
    NoKey,
    /// The signature is wrong.
    #[error("the signature of the token is invalid")]
    BadSignature,
    /// The token has expired.
    #[error("the token has expired")]
    Expired,
}

impl From<UnsupportedKey> for JwtError {
    fn from(_: UnsupportedKey) -> Self {
        Self::UnsupportedKey
    }
}
