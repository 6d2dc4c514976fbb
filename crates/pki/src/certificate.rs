//! Certificates: bytes as they came, and what the controller asks of them.

mod issuing;
mod server;
mod text;
mod twin;
mod validity;

use std::fmt;

use der::Decode as _;
use jiff::Timestamp;
use rustls_pki_types::CertificateDer;
use x509_cert::ext::pkix::{BasicConstraints, SubjectAltName, name::GeneralName};

pub use issuing::UnusableAuthority;
pub use text::{certificates_from_pem, certificates_to_pem};
pub use validity::Validity;

use crate::{
    fingerprint::{Fingerprint, Sha256Fingerprint},
    key::{PublicKey, UnsupportedKey},
    pem::PemError,
    subject,
};
use validity::instant;

const LARGEST: usize = 64 * 1024;

/// A text or bytes could not be read as certificates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// The text is broken PEM.
    #[error("the certificate is not valid PEM")]
    Pem(#[from] PemError),
    /// The text holds no PEM block at all.
    #[error("no PEM block found; expected one beginning with -----BEGIN CERTIFICATE-----")]
    NotPem,
    /// The text holds PEM blocks, none of which is a certificate; or one that is none, where only
    /// a certificate may be.
    #[error("expected a PEM block labelled CERTIFICATE, but found {label}")]
    OtherLabel {
        /// Label of the block.
        label: String,
    },
    /// The text holds more than one certificate where only one may be.
    #[error("expected exactly one certificate, but found several")]
    Several,
    /// The bytes are not an X.509 certificate.
    #[error("the certificate is not valid X.509")]
    Malformed(#[source] der::Error),
    /// The certificate is larger than 64 KiB.
    #[error("the certificate is larger than 64 KiB")]
    TooLarge,
}

/// An X.509 certificate (RFC 5280), kept byte for byte as it came.
///
/// Having one says nothing about whether it is to be believed; that is
/// [`TrustAnchors`](crate::TrustAnchors)' to say.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    der: CertificateDer<'static>,
    parsed: x509_cert::Certificate,
    names: Vec<GeneralName>,
    constraints: Option<BasicConstraints>,
}

impl Certificate {
    /// Reads a certificate in DER.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] when it is too large or not well-formed, which includes alternative
    /// names and basic constraints that cannot be read or stand there twice.
    pub fn from_der(der: impl Into<Vec<u8>>) -> Result<Self, CertificateError> {
        let der = der.into();
        if der.len() > LARGEST {
            return Err(CertificateError::TooLarge);
        }
        let parsed = x509_cert::Certificate::from_der(&der).map_err(CertificateError::Malformed)?;
        let body = parsed.tbs_certificate();
        let names = body
            .get_extension::<SubjectAltName>()
            .map_err(CertificateError::Malformed)?;
        let constraints = body
            .get_extension::<BasicConstraints>()
            .map_err(CertificateError::Malformed)?;
        Ok(Self {
            names: names.map(|(_, names)| names.0).unwrap_or_default(),
            constraints: constraints.map(|(_, constraints)| constraints),
            der: CertificateDer::from(der),
            parsed,
        })
    }

    /// The certificate in DER.
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// The certificate in DER, as the TLS library takes it.
    pub fn as_rustls(&self) -> &CertificateDer<'static> {
        &self.der
    }

    pub(crate) fn parsed(&self) -> &x509_cert::Certificate {
        &self.parsed
    }

    /// The SHA-1 digest by which clients and authenticators name the certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_der(&self.der)
    }

    /// The SHA-256 digest, to be shown to people.
    pub fn sha256(&self) -> Sha256Fingerprint {
        Sha256Fingerprint::of_der(&self.der)
    }

    /// The public key.
    ///
    /// # Errors
    ///
    /// [`UnsupportedKey`] when signatures of such keys are not accepted.
    pub fn public_key(&self) -> Result<PublicKey, UnsupportedKey> {
        PublicKey::from_spki(self.parsed.tbs_certificate().subject_public_key_info())
    }

    /// The SHA-256 digest of the public key in DER.
    ///
    /// A list of what is refused goes by this: rewriting a signature changes the certificate's
    /// fingerprint and leaves the key.
    pub fn key_fingerprint(&self) -> Sha256Fingerprint {
        use der::Encode as _;
        let spki = self.parsed.tbs_certificate().subject_public_key_info();
        // What has been decoded can be encoded, so the fallback is never taken.
        Sha256Fingerprint::of_der(&spki.to_der().unwrap_or_default())
    }

    /// Whether issuer and subject are the same name, as in a root.
    pub fn is_self_issued(&self) -> bool {
        let body = self.parsed.tbs_certificate();
        body.issuer() == body.subject()
    }

    /// Whether it says that `authority` issued it, which is still to be proved.
    pub fn names_as_issuer(&self, authority: &Self) -> bool {
        self.parsed.tbs_certificate().issuer() == authority.parsed.tbs_certificate().subject()
    }

    /// Whether the subject is that of `other`.
    pub fn has_subject_of(&self, other: &Self) -> bool {
        self.parsed.tbs_certificate().subject() == other.parsed.tbs_certificate().subject()
    }

    /// The first instant of validity.
    pub fn not_before(&self) -> Timestamp {
        instant(self.parsed.tbs_certificate().validity().not_before)
    }

    /// The last instant of validity.
    pub fn not_after(&self) -> Timestamp {
        instant(self.parsed.tbs_certificate().validity().not_after)
    }

    /// Whether `at` lies within the validity, ends included.
    pub fn is_valid_at(&self, at: Timestamp) -> bool {
        self.validity().contains(at)
    }

    /// When the certificate is valid.
    pub fn validity(&self) -> Validity {
        Validity {
            not_before: self.not_before(),
            not_after: self.not_after(),
        }
    }

    /// The subject as text (RFC 4514).
    pub fn subject(&self) -> String {
        self.parsed.tbs_certificate().subject().to_string()
    }

    /// The issuer as text (RFC 4514).
    pub fn issuer(&self) -> String {
        self.parsed.tbs_certificate().issuer().to_string()
    }

    /// The serial number in upper-case hexadecimal pairs with colons between them.
    pub fn serial_number(&self) -> String {
        self.parsed.tbs_certificate().serial_number().to_string()
    }

    /// The last common name of the subject, if it is a plain text.
    pub fn common_name(&self) -> Option<String> {
        let subject = self.parsed.tbs_certificate().subject();
        let names = subject
            .iter()
            .filter(|part| part.oid == const_oid::db::rfc4519::COMMON_NAME);
        names.last().and_then(|part| subject::text(&part.value))
    }

    /// The URIs among the alternative names, as they stand there.
    pub fn uri_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(|name| match name {
            GeneralName::UniformResourceIdentifier(uri) => Some(uri.as_str()),
            _ => None,
        })
    }

    /// The mail addresses among the alternative names.
    pub fn email_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(|name| match name {
            GeneralName::Rfc822Name(address) => Some(address.as_str()),
            _ => None,
        })
    }

    /// The host names among the alternative names.
    pub fn dns_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(|name| match name {
            GeneralName::DnsName(host) => Some(host.as_str()),
            _ => None,
        })
    }

    pub(crate) fn names(&self) -> &[GeneralName] {
        &self.names
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Certificate({}, {})",
            self.subject(),
            self.fingerprint()
        )
    }
}
