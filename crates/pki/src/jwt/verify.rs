//! Verifying tokens.

use aws_lc_rs::signature::UnparsedPublicKey;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{EnrollmentClaims, JwtError, algorithm, compact::Compact};
use crate::{certificate::Certificate, key::PublicKey};

/// Verifies an enrollment token with the certificate that its issuer shows in TLS, and that it has
/// not expired at `now`.
///
/// # Errors
///
/// [`JwtError`], by the first check that fails.
pub fn verify_with_certificate(
    token: &str,
    leaf: &[u8],
    now: Timestamp,
) -> Result<EnrollmentClaims, JwtError> {
    let leaf = Certificate::from_der(leaf).or(Err(JwtError::Certificate))?;
    let claims: EnrollmentClaims = verify(token, &leaf.public_key()?)?;
    if claims.has_expired(now) {
        Err(JwtError::Expired)
    } else {
        Ok(claims)
    }
}

/// Verifies the signature of a token and reads its claims. What the claims say, expiry included, is
/// for the caller to judge.
///
/// The algorithm is the one that goes with the key: RS256, ES256, ES384 or ES512. What the token
/// itself says about it can only be wrong.
///
/// # Errors
///
/// [`JwtError`], by the first check that fails.
pub fn verify<C: DeserializeOwned>(token: &str, key: &PublicKey) -> Result<C, JwtError> {
    let token = Compact::read(token)?;
    let algorithm = algorithm::own(key.kind()).ok_or(JwtError::UnsupportedKey)?;
    if token.header.algorithm != algorithm.name {
        return Err(JwtError::WrongAlgorithm);
    }
    UnparsedPublicKey::new(algorithm.verification, key.raw())
        .verify(token.signed, &token.signature()?)
        .or(Err(JwtError::BadSignature))?;
    serde_json::from_value(Value::Object(token.claims()?)).or(Err(JwtError::Malformed))
}
