//! Private keys for signing, and public keys.

mod components;
mod load;
mod public;
mod sign;

use std::fmt;

use aws_lc_rs::{
    encoding::{AsDer as _, Pkcs8V1Der},
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P256_SHA256_FIXED_SIGNING,
        ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING,
        ECDSA_P521_SHA512_ASN1_SIGNING, ECDSA_P521_SHA512_FIXED_SIGNING, EcdsaKeyPair,
        EcdsaSigningAlgorithm, KeyPair as _, RsaKeyPair,
    },
};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use zeroize::Zeroizing;

pub use load::KeyError;
pub use public::{PublicKey, PublicKeyComponents, PublicKeyKind, UnsupportedKeyError};
pub(crate) use sign::IssuerKey;

use crate::pem;

/// The cryptographic library unexpectedly failed an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cryptographic library could not complete the operation")]
pub struct CryptoError;

/// Types of keys that the controller generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyType {
    /// ECDSA over NIST P-256, the default.
    P256,
    /// ECDSA over NIST P-384.
    P384,
    /// RSA of 2048 bits, for fleets whose clients cannot verify ES256.
    Rsa2048,
    /// RSA of 4096 bits.
    Rsa4096,
}

/// Curves of ECDSA signing keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Curve {
    P256,
    P384,
    P521,
}

impl Curve {
    const ALL: [Self; 3] = [Self::P256, Self::P384, Self::P521];

    /// The algorithm for signatures in certificates.
    fn asn1(self) -> &'static EcdsaSigningAlgorithm {
        match self {
            Self::P256 => &ECDSA_P256_SHA256_ASN1_SIGNING,
            Self::P384 => &ECDSA_P384_SHA384_ASN1_SIGNING,
            Self::P521 => &ECDSA_P521_SHA512_ASN1_SIGNING,
        }
    }

    /// The algorithm for signatures in tokens: both numbers in fixed length (RFC 7518 3.4).
    fn fixed(self) -> &'static EcdsaSigningAlgorithm {
        match self {
            Self::P256 => &ECDSA_P256_SHA256_FIXED_SIGNING,
            Self::P384 => &ECDSA_P384_SHA384_FIXED_SIGNING,
            Self::P521 => &ECDSA_P521_SHA512_FIXED_SIGNING,
        }
    }
}

/// A private key that signs certificates, requests and tokens.
///
/// Debug output never contains the key, and its memory is wiped on drop.
pub struct SigningKey {
    pair: KeyPair,
    public: PublicKey,
}

enum KeyPair {
    /// One key in two forms, because the library ties a key to the format of its signatures.
    Ecdsa {
        curve: Curve,
        asn1: Box<EcdsaKeyPair>,
        fixed: Box<EcdsaKeyPair>,
    },
    Rsa(Box<RsaKeyPair>),
}

impl SigningKey {
    /// Generates a key with the random source of the cryptographic library.
    ///
    /// # Errors
    ///
    /// [`CryptoError`] if the library fails.
    pub fn generate(key_type: KeyType) -> Result<Self, CryptoError> {
        match key_type {
            KeyType::P256 => Self::generate_ecdsa(Curve::P256),
            KeyType::P384 => Self::generate_ecdsa(Curve::P384),
            KeyType::Rsa2048 => Self::generate_rsa(KeySize::Rsa2048),
            KeyType::Rsa4096 => Self::generate_rsa(KeySize::Rsa4096),
        }
    }

    fn generate_ecdsa(curve: Curve) -> Result<Self, CryptoError> {
        let pair = EcdsaKeyPair::generate(curve.asn1()).or(Err(CryptoError))?;
        Self::from_ecdsa(curve, pair)
    }

    fn generate_rsa(size: KeySize) -> Result<Self, CryptoError> {
        Self::from_rsa(RsaKeyPair::generate(size).or(Err(CryptoError))?)
    }

    fn from_ecdsa(curve: Curve, asn1: EcdsaKeyPair) -> Result<Self, CryptoError> {
        let pkcs8 = asn1.to_pkcs8v1().or(Err(CryptoError))?;
        let fixed = EcdsaKeyPair::from_pkcs8(curve.fixed(), pkcs8.as_ref()).or(Err(CryptoError))?;
        let spki = asn1.public_key().as_der().or(Err(CryptoError))?;
        let public = PublicKey::from_der(spki.as_ref()).or(Err(CryptoError))?;
        Ok(Self {
            pair: KeyPair::Ecdsa {
                curve,
                asn1: Box::new(asn1),
                fixed: Box::new(fixed),
            },
            public,
        })
    }

    fn from_rsa(pair: RsaKeyPair) -> Result<Self, CryptoError> {
        let spki = pair.public_key().as_der().or(Err(CryptoError))?;
        let public = PublicKey::from_der(spki.as_ref()).or(Err(CryptoError))?;
        Ok(Self {
            pair: KeyPair::Rsa(Box::new(pair)),
            public,
        })
    }

    /// The public key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Encodes the key as one unencrypted PKCS#8 block (RFC 5958), label `PRIVATE KEY`.
    ///
    /// # Errors
    ///
    /// [`CryptoError`] if the library cannot encode the key.
    pub fn to_pkcs8_pem(&self) -> Result<Zeroizing<String>, CryptoError> {
        Ok(Zeroizing::new(pem::encode(
            "PRIVATE KEY",
            &self.to_pkcs8()?,
        )))
    }

    /// Copies the key for the TLS library.
    ///
    /// # Errors
    ///
    /// [`CryptoError`] if the library cannot encode the key.
    pub fn to_rustls(&self) -> Result<PrivateKeyDer<'static>, CryptoError> {
        Ok(PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(
            self.to_pkcs8()?.to_vec(),
        )))
    }

    fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, CryptoError> {
        let bytes = match &self.pair {
            KeyPair::Ecdsa { asn1, .. } => {
                asn1.to_pkcs8v1().or(Err(CryptoError))?.as_ref().to_vec()
            },
            KeyPair::Rsa(pair) => {
                let document: Pkcs8V1Der<'_> = pair.as_der().or(Err(CryptoError))?;
                document.as_ref().to_vec()
            },
        };
        Ok(Zeroizing::new(bytes))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SigningKey({}, redacted)", self.public.kind())
    }
}
