//! Public keys in certificates and requests.

use std::fmt;

use const_oid::ObjectIdentifier;
use der::{Decode as _, Encode as _, Reader as _, SliceReader, asn1::AnyRef};
use rustls_pki_types::SignatureVerificationAlgorithm;
use spki::SubjectPublicKeyInfoOwned;

use super::KeyType;
use crate::fingerprint::Sha256Fingerprint;

pub(super) const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
pub(super) const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
pub(super) const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
pub(super) const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
pub(super) const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
pub(super) const P521: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.35");

/// Signatures of this type of public key are not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unsupported public key ({algorithm}); use ECDSA P-256, P-384 or P-521, Ed25519, or RSA of \
     2048 to 8192 bits"
)]
pub struct UnsupportedKeyError {
    /// Name or object identifier of the type.
    pub algorithm: String,
}

/// Accepted types of public keys: those of TLS and P-521.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PublicKeyKind {
    /// ECDSA over NIST P-256.
    P256,
    /// ECDSA over NIST P-384.
    P384,
    /// ECDSA over NIST P-521.
    P521,
    /// RSA, with the length of its modulus: 2048 to 8192 bits.
    Rsa {
        /// Length of the modulus in bits.
        bits: usize,
    },
    /// Ed25519.
    Ed25519,
}

impl From<KeyType> for PublicKeyKind {
    fn from(key_type: KeyType) -> Self {
        match key_type {
            KeyType::P256 => Self::P256,
            KeyType::P384 => Self::P384,
            KeyType::Rsa2048 => Self::Rsa { bits: 2048 },
            KeyType::Rsa4096 => Self::Rsa { bits: 4096 },
        }
    }
}

impl fmt::Display for PublicKeyKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::P256 => formatter.write_str("ECDSA P-256"),
            Self::P384 => formatter.write_str("ECDSA P-384"),
            Self::P521 => formatter.write_str("ECDSA P-521"),
            Self::Rsa { bits } => write!(formatter, "RSA {bits}"),
            Self::Ed25519 => formatter.write_str("Ed25519"),
        }
    }
}

/// The numbers that a public key consists of, big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicKeyComponents<'k> {
    /// They may begin with a zero byte.
    Rsa {
        /// The modulus.
        modulus: &'k [u8],
        /// The public exponent.
        exponent: &'k [u8],
    },
    /// A point on the curve of the key's type.
    Ec {
        /// The first coordinate.
        x: &'k [u8],
        /// The second coordinate.
        y: &'k [u8],
    },
}

/// First byte of a curve point with both coordinates (SEC 1 section 2.3.3).
const UNCOMPRESSED_POINT: u8 = 4;

/// A public key of an accepted type (`SubjectPublicKeyInfo`, RFC 5280 section 4.1.2.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    spki: SubjectPublicKeyInfoOwned,
    der: Vec<u8>,
    kind: PublicKeyKind,
}

impl PublicKey {
    /// Parses a key from its `SubjectPublicKeyInfo` in DER.
    ///
    /// # Errors
    ///
    /// [`UnsupportedKeyError`] for other types and for malformed keys.
    pub fn from_der(der: &[u8]) -> Result<Self, UnsupportedKeyError> {
        let spki = SubjectPublicKeyInfoOwned::from_der(der).or(Err(unsupported("unreadable")))?;
        Self::from_spki(&spki)
    }

    pub(crate) fn from_spki(spki: &SubjectPublicKeyInfoOwned) -> Result<Self, UnsupportedKeyError> {
        let kind = kind(spki)?;
        let der = spki.to_der().or(Err(unsupported("unreadable")))?;
        Ok(Self {
            spki: spki.clone(),
            der,
            kind,
        })
    }

    pub fn kind(&self) -> PublicKeyKind {
        self.kind
    }

    /// Whether whoever has the private key of `other` has that of this one too: the same key in any
    /// encoding, one with the same modulus, or the curve point with the same x and the opposite y.
    pub fn has_same_private_key(&self, other: &Self) -> bool {
        self.kind == other.kind && self.private_key_determinant() == other.private_key_determinant()
    }

    /// The part of the key that determines the private key.
    fn private_key_determinant(&self) -> Option<&[u8]> {
        let length = match self.kind {
            PublicKeyKind::P256 => 32,
            PublicKeyKind::P384 => 48,
            PublicKeyKind::P521 => 66,
            PublicKeyKind::Rsa { .. } => return modulus(self.raw()),
            PublicKeyKind::Ed25519 => return Some(self.raw()),
        };
        // A byte for the format, x, and y if the point is not compressed.
        self.raw().get(1..=length)
    }

    /// The `SubjectPublicKeyInfo` in DER.
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// The SHA-256 digest of the key in DER, which all certificates for this key share.
    pub fn fingerprint(&self) -> Sha256Fingerprint {
        Sha256Fingerprint::of_der(&self.der)
    }

    pub(crate) fn spki(&self) -> &SubjectPublicKeyInfoOwned {
        &self.spki
    }

    /// Whether `signature` over `message` verifies by one of `algorithms`; those for other types of
    /// keys are ignored.
    pub fn has_signed(
        &self,
        algorithms: &[&dyn SignatureVerificationAlgorithm],
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        algorithms
            .iter()
            .filter(|algorithm| self.supports(**algorithm))
            .any(|algorithm| {
                let verified = algorithm.verify_signature(self.raw(), message, signature);
                verified.is_ok()
            })
    }

    /// Whether an algorithm is for keys of this type.
    pub(crate) fn supports(&self, algorithm: &dyn SignatureVerificationAlgorithm) -> bool {
        let identifier = self.spki.algorithm.to_der().unwrap_or_default();
        // Algorithms identify key types by the contents of the identifier alone.
        AnyRef::from_der(&identifier)
            .is_ok_and(|identifier| identifier.value() == algorithm.public_key_alg_id().as_ref())
    }

    /// The numbers that the key consists of; `None` for Ed25519 keys and compressed curve points.
    pub fn components(&self) -> Option<PublicKeyComponents<'_>> {
        match self.kind {
            PublicKeyKind::Rsa { .. } => {
                let outer = AnyRef::from_der(self.raw()).ok()?;
                let mut reader = SliceReader::new(outer.value()).ok()?;
                Some(PublicKeyComponents::Rsa {
                    modulus: reader.decode::<AnyRef<'_>>().ok()?.value(),
                    exponent: reader.decode::<AnyRef<'_>>().ok()?.value(),
                })
            },
            PublicKeyKind::P256 | PublicKeyKind::P384 | PublicKeyKind::P521 => {
                let coordinates = self.raw().strip_prefix(&[UNCOMPRESSED_POINT])?;
                let (x, y) = coordinates.split_at(coordinates.len() / 2);
                Some(PublicKeyComponents::Ec { x, y })
            },
            PublicKeyKind::Ed25519 => None,
        }
    }

    /// The key itself, without its algorithm: a curve point or a PKCS#1 structure.
    pub(crate) fn raw(&self) -> &[u8] {
        self.spki.subject_public_key.raw_bytes()
    }
}

pub(super) fn unsupported(algorithm: impl Into<String>) -> UnsupportedKeyError {
    UnsupportedKeyError {
        algorithm: algorithm.into(),
    }
}

fn kind(spki: &SubjectPublicKeyInfoOwned) -> Result<PublicKeyKind, UnsupportedKeyError> {
    match spki.algorithm.oid {
        EC => {
            let curve = spki.algorithm.parameters.as_ref();
            match curve.map(der::asn1::Any::decode_as::<ObjectIdentifier>) {
                Some(Ok(P256)) => Ok(PublicKeyKind::P256),
                Some(Ok(P384)) => Ok(PublicKeyKind::P384),
                Some(Ok(P521)) => Ok(PublicKeyKind::P521),
                Some(Ok(other)) => Err(unsupported(format!("EC on curve {other}"))),
                _ => Err(unsupported("EC on an unnamed curve")),
            }
        },
        RSA => match modulus_bits(spki.subject_public_key.raw_bytes()) {
            Some(bits) if (2048..=8192).contains(&bits) => Ok(PublicKeyKind::Rsa { bits }),
            Some(bits) => Err(unsupported(format!("RSA {bits}"))),
            None => Err(unsupported("unreadable RSA")),
        },
        ED25519 => Ok(PublicKeyKind::Ed25519),
        other => Err(unsupported(other.to_string())),
    }
}

fn modulus_bits(pkcs1: &[u8]) -> Option<usize> {
    bit_length(modulus(pkcs1)?)
}

fn modulus(pkcs1: &[u8]) -> Option<&[u8]> {
    let outer = AnyRef::from_der(pkcs1).ok()?;
    let mut reader = SliceReader::new(outer.value()).ok()?;
    Some(reader.decode::<AnyRef<'_>>().ok()?.value())
}

/// Number of significant bits of a big-endian number.
pub(super) fn bit_length(bytes: &[u8]) -> Option<usize> {
    let first = bytes.iter().position(|byte| *byte != 0)?;
    let top = bytes.get(first)?;
    let unused = usize::try_from(top.leading_zeros()).ok()?;
    Some((bytes.len() - first) * 8 - unused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::SigningKey;
    use der::asn1::BitString;

    #[test]
    fn bits_are_counted_from_the_first_that_is_set() {
        let table: [(&[u8], Option<usize>); 5] = [
            (&[], None),
            (&[0, 0], None),
            (&[0, 0x80], Some(8)),
            (&[0x01, 0x00], Some(9)),
            (&[0xff; 256], Some(2048)),
        ];
        for (bytes, expected) in table {
            assert_eq!(bit_length(bytes), expected);
        }
    }

    #[test]
    fn a_key_is_known_again_in_any_encoding() {
        let keys = [KeyType::P256, KeyType::P384];
        for key in keys.map(|kind| SigningKey::generate(kind).unwrap()) {
            let long = key.public_key();
            let point = long.raw();
            let (abscissa, ordinate) = point[1..].split_at(point.len() / 2);
            let parity = 2 + (ordinate[ordinate.len() - 1] & 1);
            let mut spki = long.spki().clone();
            let short = [&[parity], abscissa].concat();
            spki.subject_public_key = BitString::from_bytes(&short).unwrap();
            let short = PublicKey::from_spki(&spki).unwrap();
            assert_ne!(&short, long);
            assert!(short.has_same_private_key(long) && long.has_same_private_key(&short));
        }
        let all = [
            KeyType::P256,
            KeyType::P256,
            KeyType::P384,
            KeyType::Rsa2048,
            KeyType::Rsa2048,
        ];
        let all = all.map(|kind| SigningKey::generate(kind).unwrap());
        for (number, one) in all.iter().enumerate() {
            for (other_number, other) in all.iter().enumerate() {
                let shares = one.public_key().has_same_private_key(other.public_key());
                assert_eq!(shares, number == other_number);
            }
        }
    }

    #[test]
    fn unknown_kinds_are_named() {
        // SubjectPublicKeyInfo of X25519, of EC on secp256k1, and a malformed one.
        let x25519 = [
            0x30, 0x0a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x03, 0x01, 0x00,
        ];
        let secp256k1 = [
            0x30, 0x15, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
            0x05, 0x2b, 0x81, 0x04, 0x00, 0x0a, 0x03, 0x01, 0x00,
        ];
        let table: [(&[u8], &str); 3] = [
            (&x25519, "1.3.101.110"),
            (&secp256k1, "EC on curve 1.3.132.0.10"),
            (&[1, 2, 3], "unreadable"),
        ];
        for (der, algorithm) in table {
            assert_eq!(PublicKey::from_der(der).unwrap_err().algorithm, algorithm);
        }
    }
}
