//! Certificate requests (PKCS#10, RFC 2986): checking those of others, making our own.

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
    authority::{IssueError, ReservedName, ReservedNames, ServerNames},
    key::{PublicKey, SigningKey, UnsupportedKey},
    pem::{self, PemError},
    signed::{NotSigned, Signed, elements, malformed},
    subject::Subject,
};

const LARGEST: usize = 64 * 1024;

/// Most bytes of the texts that are taken over from a subject: they are stored with the certificate,
/// and RFC 5280 appendix A.1 allows 64 characters for most of them.
const LONGEST_SUBJECT: usize = 1024;

/// A certificate request was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsrError {
    /// Nothing was given.
    #[error("the CSR is empty")]
    Empty,
    /// The request is larger than 64 KiB.
    #[error("the CSR is larger than 64 KiB")]
    TooLarge,
    /// The text is not PEM.
    #[error("the CSR is not valid PEM")]
    NotPem,
    /// More than one PEM block was given.
    #[error("the CSR must be the only PEM block")]
    SeveralBlocks,
    /// The block holds something else, or a damaged request.
    #[error("the PEM block is not a CSR; expected -----BEGIN CERTIFICATE REQUEST-----")]
    NotACsr,
    /// The key is of a kind that is not accepted.
    #[error("the key of the CSR is not supported: {0}")]
    UnsupportedKey(#[from] UnsupportedKey),
    /// The request is signed with an algorithm that is not accepted (SHA-1 among them) or that
    /// does not fit its key.
    #[error(
        "the CSR is signed with {algorithm}, which is not accepted for its key; use SHA-256 or stronger"
    )]
    UnsupportedSignature {
        /// Object identifier of the algorithm.
        algorithm: String,
    },
    /// The signature is not that of the request's own key.
    #[error("the signature of the CSR does not match its key")]
    BadSignature,
    /// The subject is longer than 1024 bytes.
    #[error("the subject of the CSR is {0} bytes long; at most 1024 are allowed")]
    LongSubject(usize),
    /// The alternative names that it asks for cannot be read.
    #[error("the subject alternative names in the CSR could not be parsed")]
    Names,
    /// Its common name is a name of the controller.
    #[error(transparent)]
    Reserved(#[from] ReservedName),
    /// Its common name is a wildcard.
    #[error("the common name {0:?} of the CSR must not contain '*'")]
    WildcardSubject(String),
}

/// A certificate request whose sender has proved to hold the key.
///
/// Requested extensions are not looked at, apart from the alternative names of those few that may
/// choose them: what a certificate may say is the issuer's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csr {
    subject: Subject,
    key: PublicKey,
    /// The attributes as they came; nothing is known of what is in them.
    attributes: Option<Vec<u8>>,
}

impl Csr {
    /// Reads and verifies a request of one PEM block.
    ///
    /// # Errors
    ///
    /// [`CsrError`], by the first check that fails.
    pub fn from_pem(text: &str) -> Result<Self, CsrError> {
        if text.trim().is_empty() {
            return Err(CsrError::Empty);
        }
        if text.len() > LARGEST {
            return Err(CsrError::TooLarge);
        }
        let blocks = pem::blocks(text).map_err(|error| match error {
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

    /// Reads and verifies a request in DER.
    ///
    /// # Errors
    ///
    /// [`CsrError`], by the first check that fails.
    pub fn from_der(der: &[u8]) -> Result<Self, CsrError> {
        if der.is_empty() {
            return Err(CsrError::Empty);
        }
        if der.len() > LARGEST {
            return Err(CsrError::TooLarge);
        }
        let parts = Parts::read(der).or(Err(CsrError::NotACsr))?;
        let key = PublicKey::from_spki(&parts.key)?;
        parts.verify(&key)?;
        let subject = Subject::from_requested(&parts.subject);
        let length = subject.text_bytes();
        if length > LONGEST_SUBJECT {
            return Err(CsrError::LongSubject(length));
        }
        Ok(Self {
            subject,
            key,
            attributes: parts.attributes.map(<[u8]>::to_vec),
        })
    }

    /// What of the requested subject may stand in a certificate.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The same request, if its common name is none of `reserved` and no wildcard.
    ///
    /// # Errors
    ///
    /// [`CsrError::Reserved`] and [`CsrError::WildcardSubject`].
    pub fn check_subject(self, reserved: &ReservedNames) -> Result<Self, CsrError> {
        reserved.check_subject(&self.subject)?;
        Ok(self)
    }

    /// The key that the sender has proved to hold.
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }
}

/// A request taken apart as far as needed.
struct Parts<'a> {
    signed: Signed<'a>,
    subject: Name,
    key: SubjectPublicKeyInfoOwned,
    attributes: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// Reads version, subject and key. The attributes behind them are optional here although RFC
    /// 2986 wants them: some tools leave an empty list out.
    fn read(der: &'a [u8]) -> der::Result<Self> {
        let signed = Signed::read(der)?;
        let elements = elements(AnyRef::from_der(signed.contents)?)?;
        let [_version, subject, key, ref rest @ ..] = *elements.as_slice() else {
            return Err(malformed());
        };
        Ok(Self {
            signed,
            subject: Name::from_der(subject)?,
            key: SubjectPublicKeyInfoOwned::from_der(key)?,
            attributes: rest.first().copied(),
        })
    }

    /// Verifies the signature with the key that the request holds.
    fn verify(&self, key: &PublicKey) -> Result<(), CsrError> {
        self.signed.verify(key).map_err(|refused| match refused {
            NotSigned::Algorithm => CsrError::UnsupportedSignature {
                algorithm: algorithm_name(self.signed.algorithm),
            },
            NotSigned::Signature => CsrError::BadSignature,
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

/// Makes a certificate request for `key` and signs it with it.
///
/// # Errors
///
/// [`IssueError`] when the subject cannot be encoded or the library cannot sign.
pub fn make_csr(key: &SigningKey, subject: &Subject) -> Result<String, IssueError> {
    make(key, subject, Attributes::default())
}

/// Makes a certificate request as [`make_csr`] does that asks for alternative names.
///
/// # Errors
///
/// As for [`make_csr`].
pub fn make_csr_with_names(
    key: &SigningKey,
    subject: &Subject,
    names: &ServerNames,
) -> Result<String, IssueError> {
    make(key, subject, names::asking_for(names.to_general_names()?)?)
}

fn make(key: &SigningKey, subject: &Subject, attributes: Attributes) -> Result<String, IssueError> {
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

    /// Signs a request whose attributes are `attributes`, taken as they are.
    fn with_attributes(key: &SigningKey, attributes: Vec<u8>) -> Vec<u8> {
        let algorithm = key.signature_algorithm().to_der().unwrap();
        request(key, attributes, algorithm)
    }

    /// Signs a request and says that it was done with `algorithm`.
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
