//! Signing: ASN.1 signatures for certificates and requests, fixed-length ones for tokens.

use aws_lc_rs::{rand::SystemRandom, signature::RSA_PKCS1_SHA256};
use const_oid::{
    ObjectIdentifier,
    db::rfc5912::{
        ECDSA_WITH_SHA_256, ECDSA_WITH_SHA_384, ECDSA_WITH_SHA_512, SHA_256_WITH_RSA_ENCRYPTION,
    },
};
use der::{Document, asn1::Any, asn1::BitString};
use signature::{Keypair, Signer};
use spki::{
    AlgorithmIdentifierOwned, DynSignatureAlgorithmIdentifier, EncodePublicKey,
    SignatureBitStringEncoding,
};

use super::{CryptoError, Curve, KeyPair, SigningKey};

impl SigningKey {
    /// Signs for a certificate or a request, with the digest that matches the key.
    pub(crate) fn sign_asn1(&self, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        match &self.pair {
            KeyPair::Ecdsa { asn1, .. } => {
                let signature = asn1
                    .sign(&SystemRandom::new(), message)
                    .or(Err(CryptoError))?;
                Ok(signature.as_ref().to_vec())
            },
            KeyPair::Rsa(_) => self.sign_rsa(message),
        }
    }

    /// Signs for a token (RFC 7518 section 3).
    pub(crate) fn sign_jws(&self, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        match &self.pair {
            KeyPair::Ecdsa { fixed, .. } => {
                let signature = fixed
                    .sign(&SystemRandom::new(), message)
                    .or(Err(CryptoError))?;
                Ok(signature.as_ref().to_vec())
            },
            KeyPair::Rsa(_) => self.sign_rsa(message),
        }
    }

    fn sign_rsa(&self, message: &[u8]) -> Result<Vec<u8>, CryptoError> {
        let KeyPair::Rsa(pair) = &self.pair else {
            return Err(CryptoError);
        };
        let mut signature = vec![0; pair.public_modulus_len()];
        pair.sign(
            &RSA_PKCS1_SHA256,
            &SystemRandom::new(),
            message,
            &mut signature,
        )
        .or(Err(CryptoError))?;
        Ok(signature)
    }

    /// The algorithm of [`Self::sign_asn1`] for certificates (RFC 5758, RFC 4055).
    pub(crate) fn signature_algorithm(&self) -> AlgorithmIdentifierOwned {
        let without = |oid: ObjectIdentifier| AlgorithmIdentifierOwned {
            oid,
            parameters: None,
        };
        match &self.pair {
            KeyPair::Ecdsa {
                curve: Curve::P256, ..
            } => without(ECDSA_WITH_SHA_256),
            KeyPair::Ecdsa {
                curve: Curve::P384, ..
            } => without(ECDSA_WITH_SHA_384),
            KeyPair::Ecdsa {
                curve: Curve::P521, ..
            } => without(ECDSA_WITH_SHA_512),
            KeyPair::Rsa(_) => AlgorithmIdentifierOwned {
                oid: SHA_256_WITH_RSA_ENCRYPTION,
                parameters: Some(Any::null()),
            },
        }
    }
}

/// A signing key as the certificate builder expects it.
pub(crate) struct IssuerKey<'a>(pub(crate) &'a SigningKey);

/// A signature as certificates contain it.
pub(crate) struct CertificateSignature(Vec<u8>);

impl SignatureBitStringEncoding for CertificateSignature {
    fn to_bitstring(&self) -> der::Result<BitString> {
        BitString::from_bytes(&self.0)
    }
}

impl Signer<CertificateSignature> for IssuerKey<'_> {
    fn try_sign(&self, message: &[u8]) -> Result<CertificateSignature, signature::Error> {
        self.0
            .sign_asn1(message)
            .map(CertificateSignature)
            .or(Err(signature::Error::new()))
    }
}

/// A public key as the certificate builder expects it.
#[derive(Clone)]
pub(crate) struct IssuerPublicKey(Vec<u8>);

impl EncodePublicKey for IssuerPublicKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::try_from(self.0.as_slice())?)
    }
}

impl Keypair for IssuerKey<'_> {
    type VerifyingKey = IssuerPublicKey;

    fn verifying_key(&self) -> IssuerPublicKey {
        IssuerPublicKey(self.0.public_key().as_der().to_vec())
    }
}

impl DynSignatureAlgorithmIdentifier for IssuerKey<'_> {
    fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
        Ok(self.0.signature_algorithm())
    }
}
