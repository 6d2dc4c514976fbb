//! Signed structures: certificates and requests have one outer form (RFC 5280 section 4.1.1, RFC 2986
//! section 4.2).

use der::{Decode as _, Reader as _, SliceReader, Tagged as _, asn1::AnyRef, asn1::BitString};
use rustls_pki_types::SignatureVerificationAlgorithm;
use webpki::ALL_VERIFICATION_ALGS;

use crate::key::PublicKey;

/// A structure taken apart into what is signed and the signature.
pub(crate) struct Signed<'a> {
    /// The signed bytes as they came. Encoding the parsed form again could reorder its sets.
    pub(crate) contents: &'a [u8],
    /// The algorithm of the signature: the contents of its `AlgorithmIdentifier`.
    pub(crate) algorithm: &'a [u8],
    signature: BitString,
}

/// A signature is not one of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotSigned {
    /// Its algorithm is not accepted, or does not fit the key.
    Algorithm,
    /// It is wrong.
    Signature,
}

impl<'a> Signed<'a> {
    /// Takes a structure in DER apart.
    pub(crate) fn read(der: &'a [u8]) -> der::Result<Self> {
        let outer = AnyRef::from_der(der)?;
        let [contents, algorithm, signature] = elements(outer)?.try_into().or(Err(malformed()))?;
        let algorithm = AnyRef::from_der(algorithm)?;
        algorithm.tag().assert_eq(der::Tag::Sequence)?;
        Ok(Self {
            contents,
            algorithm: algorithm.value(),
            signature: BitString::from_der(signature)?,
        })
    }

    /// The signature, if it is one of whole bytes.
    pub(crate) fn signature(&self) -> Option<&[u8]> {
        self.signature.as_bytes()
    }

    /// Verifies that the holder of `key` has signed it.
    ///
    /// Key and signature have each their own algorithm here, and both have to be those of one
    /// accepted pair: P-256 with SHA-384 is as good as P-256 with SHA-256.
    pub(crate) fn verify(&self, key: &PublicKey) -> Result<(), NotSigned> {
        let name = without_null(self.algorithm);
        let fits = |pair: &&&dyn SignatureVerificationAlgorithm| {
            key.fits(**pair) && pair.signature_alg_id().as_ref() == name
        };
        let pair = ALL_VERIFICATION_ALGS
            .iter()
            .find(fits)
            .ok_or(NotSigned::Algorithm)?;
        let signature = self.signature().ok_or(NotSigned::Signature)?;
        pair.verify_signature(key.raw(), self.contents, signature)
            .or(Err(NotSigned::Signature))
    }
}

pub(crate) fn malformed() -> der::Error {
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

/// Drops the parameters of an ECDSA algorithm (`ecdsa-with-SHA*`) if they are NULL.
///
/// There should be none (RFC 5758 section 3.2), but Mbed TLS wrote NULL for years, and the C SDK of
/// OpenZiti makes its requests with it. They are not used: nothing else can be meant.
fn without_null(algorithm: &[u8]) -> &[u8] {
    const NULL: &[u8] = &[0x05, 0x00];
    /// 1.2.840.10045.4.3, of which one more byte says which hash it is.
    const ECDSA_WITH: &[u8] = &[0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];
    match algorithm.strip_suffix(NULL) {
        Some(name) if name.len() == ECDSA_WITH.len() + 1 && name.starts_with(ECDSA_WITH) => name,
        _ => algorithm,
    }
}
