//! Public keys from their numeric components.

use const_oid::ObjectIdentifier;
use der::{
    Encode as _,
    asn1::{Any, BitString, Null, UintRef},
};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use super::public::{
    EC, ED25519, P256, P384, P521, PublicKey, RSA, UnsupportedKeyError, unsupported,
};

/// First byte of an uncompressed curve point (SEC 1 section 2.3.3).
const UNCOMPRESSED: u8 = 4;
const ED25519_LENGTH: usize = 32;

impl PublicKey {
    /// Builds an RSA key from modulus and exponent, big-endian.
    pub(crate) fn from_rsa_components(
        modulus: &[u8],
        exponent: &[u8],
    ) -> Result<Self, UnsupportedKeyError> {
        let pkcs1 = || -> der::Result<Vec<u8>> {
            vec![UintRef::new(modulus)?, UintRef::new(exponent)?].to_der()
        };
        let pkcs1 = pkcs1().or(Err(unsupported("unreadable RSA")))?;
        assemble(RSA, Some(Any::from(Null)), &pkcs1)
    }

    /// Builds an ECDSA key from the name of its curve (RFC 7518 section 6.2.1.1) and both
    /// coordinates, each in the full length of the curve.
    pub(crate) fn from_ec_components(
        curve: &str,
        x: &[u8],
        y: &[u8],
    ) -> Result<Self, UnsupportedKeyError> {
        let (curve, length) = match curve {
            "P-256" => (P256, 32),
            "P-384" => (P384, 48),
            "P-521" => (P521, 66),
            _ => return Err(unsupported("EC on another curve")),
        };
        if x.len() != length || y.len() != length {
            return Err(unsupported("unreadable EC"));
        }
        assemble(
            EC,
            Some(Any::from(curve)),
            &[&[UNCOMPRESSED], x, y].concat(),
        )
    }

    /// Builds an Ed25519 key (RFC 8037 section 2).
    pub(crate) fn from_ed25519(point: &[u8]) -> Result<Self, UnsupportedKeyError> {
        if point.len() != ED25519_LENGTH {
            return Err(unsupported("unreadable Ed25519"));
        }
        assemble(ED25519, None, point)
    }
}

fn assemble(
    oid: ObjectIdentifier,
    parameters: Option<Any>,
    key: &[u8],
) -> Result<PublicKey, UnsupportedKeyError> {
    let spki = SubjectPublicKeyInfoOwned {
        algorithm: AlgorithmIdentifierOwned { oid, parameters },
        subject_public_key: BitString::from_bytes(key).or(Err(unsupported("unreadable")))?,
    };
    PublicKey::from_spki(&spki)
}
