//! Verifying tokens.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ECDSA_P521_SHA512_FIXED,
    RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey, VerificationAlgorithm,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::IgnoredAny};

use super::{EnrollmentClaims, JwtError, LARGEST, algorithm};
use crate::{
    certificate::Certificate,
    key::{PublicKey, PublicKeyKind},
};

/// What of a header is looked at. A member that stands there twice is an error.
#[derive(Deserialize)]
struct Header {
    alg: String,
    #[serde(default)]
    crit: Presence,
}

/// Whether a member is there, whatever its value.
#[derive(Default)]
struct Presence(bool);

impl<'de> Deserialize<'de> for Presence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|IgnoredAny| Self(true))
    }
}

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
    if token.len() > LARGEST {
        return Err(JwtError::TooLarge);
    }
    // The split ends at the fourth part, however many dots there are.
    let mut parts = token.splitn(4, '.');
    let (Some(header), Some(claims), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err(JwtError::Malformed);
    };
    let signed = token
        .get(..header.len() + 1 + claims.len())
        .ok_or(JwtError::Malformed)?;

    let header: Header = read(header)?;
    if header.crit.0 {
        return Err(JwtError::CriticalExtension);
    }
    if algorithm(key.kind()).ok_or(JwtError::UnsupportedKey)? != header.alg {
        return Err(JwtError::WrongAlgorithm);
    }
    let signature = decode(signature)?;
    UnparsedPublicKey::new(verification(key.kind())?, key.raw())
        .verify(signed.as_bytes(), &signature)
        .or(Err(JwtError::BadSignature))?;
    read(claims)
}

fn verification(kind: PublicKeyKind) -> Result<&'static dyn VerificationAlgorithm, JwtError> {
    match kind {
        PublicKeyKind::P256 => Ok(&ECDSA_P256_SHA256_FIXED),
        PublicKeyKind::P384 => Ok(&ECDSA_P384_SHA384_FIXED),
        PublicKeyKind::P521 => Ok(&ECDSA_P521_SHA512_FIXED),
        PublicKeyKind::Rsa { .. } => Ok(&RSA_PKCS1_2048_8192_SHA256),
        PublicKeyKind::Ed25519 => Err(JwtError::UnsupportedKey),
    }
}

/// Decodes strictly: the URL alphabet, no padding, no white space, no stray bits (RFC 7515 2).
fn decode(part: &str) -> Result<Vec<u8>, JwtError> {
    URL_SAFE_NO_PAD.decode(part).or(Err(JwtError::Malformed))
}

fn read<T: DeserializeOwned>(part: &str) -> Result<T, JwtError> {
    serde_json::from_slice(&decode(part)?).or(Err(JwtError::Malformed))
}
