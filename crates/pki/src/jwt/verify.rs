//! Verifying tokens of the controller.

use aws_lc_rs::signature::UnparsedPublicKey;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{EnrollmentClaims, JwtError, algorithm, compact::CompactToken};
use crate::{certificate::Certificate, key::PublicKey};

/// Verifies an enrollment token with the TLS certificate of its issuer, including its expiry at
/// `now`.
///
/// # Errors
///
/// [`JwtError`] for the first check that fails.
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

/// The `kid` in the header of a token, which nothing vouches for: it only tells which key to verify
/// the token with.
///
/// # Errors
///
/// [`JwtError`] if the token is malformed.
pub fn key_id(token: &str) -> Result<Option<String>, JwtError> {
    Ok(CompactToken::parse(token)?.header.key_id)
}

/// Verifies the signature of a token and parses its claims. Validating the claims, including
/// expiry, is left to the caller.
///
/// The key determines the algorithm: RS256, ES256, ES384 or ES512. A token that names another one
/// is rejected.
///
/// # Errors
///
/// [`JwtError`] for the first check that fails.
pub fn verify<C: DeserializeOwned>(token: &str, key: &PublicKey) -> Result<C, JwtError> {
    let token = CompactToken::parse(token)?;
    let algorithm = algorithm::signing_algorithm(key.kind()).ok_or(JwtError::UnsupportedKey)?;
    if token.header.algorithm != algorithm.name {
        return Err(JwtError::WrongAlgorithm);
    }
    UnparsedPublicKey::new(algorithm.verification, key.raw())
        .verify(token.signed, &token.signature()?)
        .or(Err(JwtError::BadSignature))?;
    serde_json::from_value(Value::Object(token.claims()?)).or(Err(JwtError::Malformed))
}
