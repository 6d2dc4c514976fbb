//! The common outer structure of certificates and requests (RFC 5280 section 4.1.1, RFC 2986
//! section 4.2).

use der::{Decode as _, Reader as _, SliceReader, Tagged as _, asn1::AnyRef, asn1::BitString};
use rustls_pki_types::SignatureVerificationAlgorithm;
use webpki::ALL_VERIFICATION_ALGS;

use crate::key::PublicKey;

/// A signed structure, split into the signed part and the signature.
pub(crate) struct SignedStructure<'a> {
    /// The original signed bytes. Encoding the parsed form again could reorder its sets.
    pub(crate) tbs: &'a [u8],
    /// The signature algorithm: the contents of its `AlgorithmIdentifier`.
    pub(crate) algorithm: &'a [u8],
    signature: BitString,
}

/// A signature does not verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureError {
    /// Its algorithm is not accepted, or does not match the key.
    Algorithm,
    Signature,
}

impl<'a> SignedStructure<'a> {
    /// Parses a structure in DER.
    pub(crate) fn parse(der: &'a [u8]) -> der::Result<Self> {
        let outer = AnyRef::from_der(der)?;
        let [contents, algorithm, signature] =
            elements(outer)?.try_into().or(Err(malformed_error()))?;
        let algorithm = AnyRef::from_der(algorithm)?;
        algorithm.tag().assert_eq(der::Tag::Sequence)?;
        Ok(Self {
            tbs: contents,
            algorithm: algorithm.value(),
            signature: BitString::from_der(signature)?,
        })
    }

    /// The signature, if it consists of whole bytes.
    pub(crate) fn signature(&self) -> Option<&[u8]> {
        self.signature.as_bytes()
    }

    /// Verifies the signature with `key`.
    ///
    /// Key and signature each name an algorithm, and the two must form an accepted pair: P-256 with
    /// SHA-384 is as good as P-256 with SHA-256.
    pub(crate) fn verify(&self, key: &PublicKey) -> Result<(), SignatureError> {
        let name = strip_null_parameters(self.algorithm);
        let fits = |pair: &&&dyn SignatureVerificationAlgorithm| {
            key.supports(**pair) && pair.signature_alg_id().as_ref() == name
        };
        let pair = ALL_VERIFICATION_ALGS
            .iter()
            .find(fits)
            .ok_or(SignatureError::Algorithm)?;
        let signature = self.signature().ok_or(SignatureError::Signature)?;
        pair.verify_signature(key.raw(), self.tbs, signature)
            .or(Err(SignatureError::Signature))
    }
}

pub(crate) fn malformed_error() -> der::Error {
    der::ErrorKind::Failed.into()
}

/// Splits a sequence into the encodings of its elements.
pub(crate) fn elements(sequence: AnyRef<'_>) -> der::Result<Vec<&[u8]>> {
    sequence.tag().assert_eq(der::Tag::Sequence)?;
    let mut reader = SliceReader::new(sequence.value())?;
    let mut elements = Vec::new();
    while !reader.is_finished() {
        elements.push(reader.tlv_bytes()?);
    }
    Ok(elements)
}

/// Removes NULL parameters of an ECDSA algorithm (`ecdsa-with-SHA*`).
///
/// There should be none (RFC 5758 section 3.2), but Mbed TLS wrote NULL for years, and the OpenZiti
/// C SDK uses it for its requests. The parameters are unused, so nothing else can be meant.
fn strip_null_parameters(algorithm: &[u8]) -> &[u8] {
    const NULL: &[u8] = &[0x05, 0x00];
    /// 1.2.840.10045.4.3, followed by one more byte for the hash.
    const ECDSA_WITH: &[u8] = &[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
    match algorithm.strip_suffix(NULL) {
        Some(name) if name.len() == ECDSA_WITH.len() + 1 && name.starts_with(ECDSA_WITH) => name,
        _ => algorithm,
    }
}
