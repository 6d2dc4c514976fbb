//! Loading private keys from PEM in the formats that common tools write.

use aws_lc_rs::signature::{EcdsaKeyPair, RsaKeyPair};
use const_oid::ObjectIdentifier;
use der::{Decode as _, Reader as _, SliceReader, asn1::AnyRef};

use super::{CryptoError, Curve, SigningKey};
use crate::pem::{self, PemError};

/// A private key could not be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("the private key is not readable PEM")]
    Pem(#[from] PemError),
    /// The text contains no private key.
    #[error("no private key found; expected a PEM block such as -----BEGIN PRIVATE KEY-----")]
    Missing,
    /// The key is encrypted with a passphrase.
    #[error("the private key is encrypted; only unencrypted keys can be read")]
    Encrypted,
    /// The key is of a type that cannot be used for signing here, for example Ed25519, or an RSA key
    /// outside 2048 to 8192 bits.
    #[error(
        "private keys of type {algorithm} are not supported: use ECDSA P-256, P-384 or P-521, or \
         RSA of 2048 to 8192 bits"
    )]
    Unsupported {
        /// Name or object identifier of the type.
        algorithm: String,
    },
    /// The key is of a supported type, but inconsistent.
    #[error("the private key is malformed")]
    Malformed,
    /// The library failed for another reason.
    #[error(transparent)]
    Crypto(#[from] CryptoError),
}

/// Key types by their PKCS#8 object identifier; `None` marks supported types.
const KEY_TYPES: [(&str, Option<&str>); 8] = [
    ("1.2.840.10045.2.1", None),
    ("1.2.840.113549.1.1.1", None),
    ("1.2.840.113549.1.1.10", Some("RSASSA-PSS")),
    ("1.3.101.110", Some("X25519")),
    ("1.3.101.111", Some("X448")),
    ("1.3.101.112", Some("Ed25519")),
    ("1.3.101.113", Some("Ed448")),
    ("1.2.840.10040.4.1", Some("DSA")),
];

impl SigningKey {
    /// Loads the first private key of a PEM text.
    ///
    /// PKCS#8 (`PRIVATE KEY`), SEC 1 (`EC PRIVATE KEY`) and PKCS#1 (`RSA PRIVATE KEY`) are supported;
    /// other blocks, such as certificates and `EC PARAMETERS`, are skipped.
    ///
    /// # Errors
    ///
    /// [`KeyError`]; its text never contains any part of the key.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        let blocks = pem::parse_blocks(text)?;
        let block = blocks
            .iter()
            .find(|block| block.label.ends_with("PRIVATE KEY"))
            .ok_or(KeyError::Missing)?;
        if block.is_encrypted {
            return Err(KeyError::Encrypted);
        }
        match block.label {
            "PRIVATE KEY" => from_pkcs8(&block.der),
            "EC PRIVATE KEY" => load_ecdsa(&block.der),
            "RSA PRIVATE KEY" => {
                load_rsa(RsaKeyPair::from_der(&block.der).or(Err(rsa_error(&block.der)))?)
            },
            "ENCRYPTED PRIVATE KEY" => Err(KeyError::Encrypted),
            other => Err(KeyError::Unsupported {
                algorithm: other.to_owned(),
            }),
        }
    }
}

fn from_pkcs8(der: &[u8]) -> Result<SigningKey, KeyError> {
    let (algorithm, inner) = pkcs8_parts(der).ok_or(KeyError::Malformed)?;
    let algorithm = algorithm.to_string();
    match KEY_TYPES.iter().find(|(oid, _)| *oid == algorithm) {
        Some((_, Some(name))) => Err(KeyError::Unsupported {
            algorithm: (*name).to_owned(),
        }),
        None => Err(KeyError::Unsupported { algorithm }),
        Some(("1.2.840.113549.1.1.1", None)) => {
            load_rsa(RsaKeyPair::from_pkcs8(der).or(Err(rsa_error(inner)))?)
        },
        Some((_, None)) => load_ecdsa(der),
    }
}

/// The key type in PKCS#8 and the inner encoding of the key.
fn pkcs8_parts(der: &[u8]) -> Option<(ObjectIdentifier, &[u8])> {
    let outer = AnyRef::from_der(der).ok()?;
    let mut reader = SliceReader::new(outer.value()).ok()?;
    AnyRef::decode(&mut reader).ok()?;
    let algorithm = AnyRef::decode(&mut reader).ok()?;
    let inner = AnyRef::decode(&mut reader).ok()?;
    let mut algorithm = SliceReader::new(algorithm.value()).ok()?;
    Some((algorithm.decode().ok()?, inner.value()))
}

/// The reason why the library rejected an RSA key in PKCS#1: usually its size.
fn rsa_error(pkcs1: &[u8]) -> KeyError {
    match rsa_modulus_bits(pkcs1) {
        Some(bits) if !(2048..=8192).contains(&bits) => KeyError::Unsupported {
            algorithm: format!("RSA {bits}"),
        },
        _ => KeyError::Malformed,
    }
}

fn rsa_modulus_bits(pkcs1: &[u8]) -> Option<usize> {
    let outer = AnyRef::from_der(pkcs1).ok()?;
    let mut reader = SliceReader::new(outer.value()).ok()?;
    AnyRef::decode(&mut reader).ok()?;
    super::public::bit_length(AnyRef::decode(&mut reader).ok()?.value())
}

/// Loads an ECDSA key in PKCS#8 or SEC 1; the curve is the first one that accepts it.
fn load_ecdsa(der: &[u8]) -> Result<SigningKey, KeyError> {
    for curve in Curve::ALL {
        if let Ok(pair) = EcdsaKeyPair::from_private_key_der(curve.asn1(), der) {
            return Ok(SigningKey::from_ecdsa(curve, pair)?);
        }
    }
    Err(KeyError::Unsupported {
        algorithm: "EC on another curve".to_owned(),
    })
}

fn load_rsa(pair: RsaKeyPair) -> Result<SigningKey, KeyError> {
    Ok(SigningKey::from_rsa(pair)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyType, PublicKeyKind};
    use aws_lc_rs::{
        encoding::{AsDer as _, EcPrivateKeyRfc5915Der},
        signature::Ed25519KeyPair,
    };

    #[test]
    fn generated_keys_survive_pkcs8() {
        let table = [
            (KeyType::P256, PublicKeyKind::P256),
            (KeyType::P384, PublicKeyKind::P384),
            (KeyType::Rsa2048, PublicKeyKind::Rsa { bits: 2048 }),
        ];
        for (key_type, kind) in table {
            let key = SigningKey::generate(key_type).unwrap();
            assert_eq!(key.public_key().kind(), kind);
            let again = SigningKey::from_pem(&key.to_pkcs8_pem().unwrap()).unwrap();
            assert_eq!(again.public_key(), key.public_key());
            let tls = pem::encode("PRIVATE KEY", key.to_rustls().unwrap().secret_der());
            assert_eq!(tls, *key.to_pkcs8_pem().unwrap());
        }
    }

    #[test]
    fn sec1_keys_are_read_on_each_curve() {
        for (curve, kind) in Curve::ALL.into_iter().zip([
            PublicKeyKind::P256,
            PublicKeyKind::P384,
            PublicKeyKind::P521,
        ]) {
            let pair = EcdsaKeyPair::generate(curve.asn1()).unwrap();
            let der: EcPrivateKeyRfc5915Der<'_> = pair.private_key().as_der().unwrap();
            let parameters = pem::encode("EC PARAMETERS", &[6, 0]);
            let text = parameters + &pem::encode("EC PRIVATE KEY", der.as_ref());
            assert_eq!(
                SigningKey::from_pem(&text).unwrap().public_key().kind(),
                kind
            );
        }
    }

    #[test]
    fn refusals_are_named() {
        let ed25519 = Ed25519KeyPair::generate().unwrap().to_pkcs8v1().unwrap();
        let table = [
            ("", KeyError::Missing),
            (
                "-----BEGIN PRIVATE KEY-----",
                KeyError::Pem(PemError::Unterminated),
            ),
            (
                &*pem::encode("PRIVATE KEY", ed25519.as_ref()),
                KeyError::Unsupported {
                    algorithm: "Ed25519".to_owned(),
                },
            ),
            (
                &*pem::encode("ENCRYPTED PRIVATE KEY", &[1]),
                KeyError::Encrypted,
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: A,B\n\nAQID\n\
                 -----END RSA PRIVATE KEY-----",
                KeyError::Encrypted,
            ),
            (
                &*pem::encode("PRIVATE KEY", &[1, 2, 3]),
                KeyError::Malformed,
            ),
            (
                &*pem::encode("RSA PRIVATE KEY", &[0x30, 0]),
                KeyError::Malformed,
            ),
        ];
        for (text, expected) in table {
            assert_eq!(SigningKey::from_pem(text).unwrap_err(), expected, "{text}");
        }
    }

    #[test]
    fn debug_output_shows_no_key() {
        let key = SigningKey::generate(KeyType::P256).unwrap();
        assert_eq!(format!("{key:?}"), "SigningKey(ECDSA P-256, redacted)");
    }
}
