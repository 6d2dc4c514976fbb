//! Certificate signing requests (PKCS#10, RFC 2986): verifying received ones, creating our own.

mod names;

use const_oid::ObjectIdentifier;
use der::{Decode as _, Encode as _, Reader as _, SliceReader, asn1::AnyRef, asn1::BitString};
use spki::SubjectPublicKeyInfoOwned;
use x509_cert::{
    attr::Attributes,
    name::Name,
    request::{CertReq, CertReqInfo, Version},
};

use crate::{
    authority::{IssueError, ReservedNameError, ReservedNames, ServerNames},
    key::{PublicKey, SigningKey, UnsupportedKeyError},
    pem::{self, PemError},
    signed::{SignatureError, SignedStructure, elements, malformed_error},
    subject::Subject,
};

const MAX_BYTES: usize = 64 * 1024;

/// Maximum number of bytes in the accepted values of a subject: they are stored with the
/// certificate, and RFC 5280 appendix A.1 allows 64 characters for most of them.
const MAX_SUBJECT_BYTES: usize = 1024;

/// A certificate request was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsrError {
    #[error("the CSR is empty")]
    Empty,
    #[error("the CSR is larger than 64 KiB")]
    TooLarge,
    #[error("the CSR is not valid PEM")]
    NotPem,
    #[error("the CSR must be the only PEM block")]
    SeveralBlocks,
    /// The block is something else, or a malformed request.
    #[error("the PEM block is not a CSR; expected -----BEGIN CERTIFICATE REQUEST-----")]
    NotACsr,
    #[error("the key of the CSR is not supported: {0}")]
    UnsupportedKey(#[from] UnsupportedKeyError),
    /// The request is signed with an algorithm that is not accepted, such as SHA-1, or that does not
    /// match its key.
    #[error(
        "the CSR is signed with {algorithm}, which is not accepted for its key; use SHA-256 or stronger"
    )]
    UnsupportedSignature {
        /// Object identifier of the algorithm.
        algorithm: String,
    },
    /// The signature does not verify with the request's own key.
    #[error("the signature of the CSR does not match its key")]
    BadSignature,
    #[error("the subject of the CSR is {0} bytes long; at most 1024 are allowed")]
    SubjectTooLong(usize),
    #[error("the subject alternative names in the CSR could not be parsed")]
    InvalidNames,
    #[error(transparent)]
    Reserved(#[from] ReservedNameError),
    #[error("the common name {0:?} of the CSR must not contain '*'")]
    WildcardSubject(String),
}

/// A certificate request whose sender has proved possession of the key.
///
/// Requested extensions are ignored, except the alternative names of routers, which may choose them:
/// the contents of a certificate are the issuer's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csr {
    subject: Subject,
    key: PublicKey,
    /// The unparsed attributes.
    attributes: Option<Vec<u8>>,
}

impl Csr {
    /// Parses and verifies a request that is one PEM block.
    ///
    /// # Errors
    ///
    /// [`CsrError`], by the first check that fails.
    pub fn from_pem(text: &str) -> Result<Self, CsrError> {
        if text.trim().is_empty() {
            return Err(CsrError::Empty);
        }
        if text.len() > MAX_BYTES {
            return Err(CsrError::TooLarge);
        }
        let blocks = pem::parse_blocks(text).map_err(|error| match error {
            PemError::Unterminated | PemError::NotBase64 => CsrError::NotPem,
        })?;
        match blocks.as_slice() {
            [] => Err(CsrError::NotPem),
            [block]
                if matches!(
                    block.label,
                    "CERTIFICATE REQUEST" | "NEW CERTIFICATE REQUEST"
                ) =>
            {
                Self::from_der(&block.der)
            },
            [_] => Err(CsrError::NotACsr),
            [_, _, ..] => Err(CsrError::SeveralBlocks),
        }
    }

    /// Parses and verifies a request in DER.
    ///
    /// # Errors
    ///
    /// [`CsrError`], by the first check that fails.
    pub fn from_der(der: &[u8]) -> Result<Self, CsrError> {
        if der.is_empty() {
            return Err(CsrError::Empty);
        }
        if der.len() > MAX_BYTES {
            return Err(CsrError::TooLarge);
        }
        let parts = ParsedCsr::parse(der).or(Err(CsrError::NotACsr))?;
        let key = PublicKey::from_spki(&parts.key)?;
        parts.verify(&key)?;
        let subject = Subject::from_requested(&parts.subject);
        let length = subject.value_bytes();
        if length > MAX_SUBJECT_BYTES {
            return Err(CsrError::SubjectTooLong(length));
        }
        Ok(Self {
            subject,
            key,
            attributes: parts.attributes.map(<[u8]>::to_vec),
        })
    }

    /// The accepted part of the requested subject.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Returns the request if its common name is neither `reserved` nor a wildcard.
    ///
    /// # Errors
    ///
    /// [`CsrError::Reserved`] and [`CsrError::WildcardSubject`].
    pub fn check_subject(self, reserved: &ReservedNames) -> Result<Self, CsrError> {
        reserved.check_subject(&self.subject)?;
        Ok(self)
    }

    /// The key that the sender has proved to possess.
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }
}

/// A request parsed as far as needed.
struct ParsedCsr<'a> {
    signed: SignedStructure<'a>,
    subject: Name,
    key: SubjectPublicKeyInfoOwned,
    attributes: Option<&'a [u8]>,
}

impl<'a> ParsedCsr<'a> {
    /// Parses version, subject and key. The attributes after them are optional here although RFC 2986
    /// requires them: some tools omit an empty list.
    fn parse(der: &'a [u8]) -> der::Result<Self> {
        let signed = SignedStructure::parse(der)?;
        let elements = elements(AnyRef::from_der(signed.tbs)?)?;
        let [_version, subject, key, ref rest @ ..] = *elements.as_slice() else {
            return Err(malformed_error());
        };
        Ok(Self {
            signed,
            subject: Name::from_der(subject)?,
            key: SubjectPublicKeyInfoOwned::from_der(key)?,
            attributes: rest.first().copied(),
        })
    }

    /// Verifies the signature with the key in the request.
    fn verify(&self, key: &PublicKey) -> Result<(), CsrError> {
        self.signed.verify(key).map_err(|refused| match refused {
            SignatureError::Algorithm => CsrError::UnsupportedSignature {
                algorithm: algorithm_name(self.signed.algorithm),
            },
            SignatureError::Signature => CsrError::BadSignature,
        })
    }
}

fn algorithm_name(contents: &[u8]) -> String {
    let identifier =
        SliceReader::new(contents).and_then(|mut reader| reader.decode::<ObjectIdentifier>());
    identifier.map_or_else(
        |_unreadable| "an unreadable algorithm".to_owned(),
        |id| id.to_string(),
    )
}

/// Creates a certificate request that is signed with `key`.
///
/// # Errors
///
/// [`IssueError`] if the subject cannot be encoded or signing fails.
pub fn create_csr(key: &SigningKey, subject: &Subject) -> Result<String, IssueError> {
    build_csr(key, subject, Attributes::default())
}

/// Creates a certificate request like [`create_csr`] with subject alternative names.
///
/// # Errors
///
/// As for [`create_csr`].
pub fn create_csr_with_names(
    key: &SigningKey,
    subject: &Subject,
    names: &ServerNames,
) -> Result<String, IssueError> {
    build_csr(
        key,
        subject,
        names::extension_request(names.to_general_names()?)?,
    )
}

fn build_csr(
    key: &SigningKey,
    subject: &Subject,
    attributes: Attributes,
) -> Result<String, IssueError> {
    let info = CertReqInfo {
        version: Version::V1,
        subject: subject.to_name()?,
        public_key: key.public_key().spki().clone(),
        attributes,
    };
    let signature = key.sign_asn1(&info.to_der()?)?;
    let request = CertReq {
        info,
        algorithm: key.signature_algorithm(),
        signature: BitString::from_bytes(&signature)?,
    };
    Ok(pem::encode("CERTIFICATE REQUEST", &request.to_der()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyType;

    fn sequence(elements: &[Vec<u8>]) -> Vec<u8> {
        AnyRef::new(der::Tag::Sequence, &elements.concat())
            .unwrap()
            .to_der()
            .unwrap()
    }

    /// Signs a request with these raw attributes.
    fn with_attributes(key: &SigningKey, attributes: Vec<u8>) -> Vec<u8> {
        let algorithm = key.signature_algorithm().to_der().unwrap();
        request(key, attributes, algorithm)
    }

    /// Signs a request that claims to be signed with `algorithm`.
    fn request(key: &SigningKey, attributes: Vec<u8>, algorithm: Vec<u8>) -> Vec<u8> {
        let subject = Subject::new().common_name("device").to_name().unwrap();
        let info = sequence(&[
            0_u8.to_der().unwrap(),
            subject.to_der().unwrap(),
            key.public_key().as_der().to_vec(),
            attributes,
        ]);
        let signature = BitString::from_bytes(&key.sign_asn1(&info).unwrap()).unwrap();
        sequence(&[info, algorithm, signature.to_der().unwrap()])
    }

    #[test]
    fn attributes_may_be_missing_or_out_of_order() {
        let key = SigningKey::generate(KeyType::P256).unwrap();
        // Two attributes of made-up types with no values, the greater one first.
        let unsorted = [
            0xa0, 0x10, 0x30, 0x06, 0x06, 0x02, 0x2a, 0x04, 0x31, 0x00, 0x30, 0x06, 0x06, 0x02,
            0x2a, 0x03, 0x31, 0x00,
        ];
        for attributes in [vec![], vec![0xa0, 0x00], unsorted.to_vec()] {
            let csr = Csr::from_der(&with_attributes(&key, attributes)).unwrap();
            assert_eq!(csr.public_key(), key.public_key());
            assert_eq!(csr.subject(), &Subject::new().common_name("device"));
        }
    }

    #[test]
    fn parameters_of_ecdsa_may_be_null_and_nothing_else() {
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let name = key.signature_algorithm().oid.to_der().unwrap();
        for (parameters, is_accepted) in [
            (vec![], true),
            (vec![0x05, 0x00], true),
            (vec![0x30, 0x00], false),
            (vec![0x05, 0x00, 0x05, 0x00], false),
        ] {
            let algorithm = sequence(&[name.clone(), parameters.clone()]);
            let csr = Csr::from_der(&request(&key, vec![0xa0, 0x00], algorithm));
            let refused = CsrError::UnsupportedSignature {
                algorithm: "1.2.840.10045.4.3.2".to_owned(),
            };
            let expected = if is_accepted { None } else { Some(refused) };
            assert_eq!(csr.err(), expected, "{parameters:02x?}");
        }
    }

    #[test]
    fn bytes_after_a_request_are_refused() {
        let key = SigningKey::generate(KeyType::P256).unwrap();
        let mut request = with_attributes(&key, vec![]);
        request.push(0);
        assert_eq!(Csr::from_der(&request), Err(CsrError::NotACsr));
    }
}
