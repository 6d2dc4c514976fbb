//! X.509 certificates: the original bytes and the fields that the controller uses.

mod ca;
mod pem;
mod server;
mod twin;
mod validity;

use std::fmt;
use std::net::IpAddr;

use der::Decode as _;
use jiff::Timestamp;
use rustls_pki_types::CertificateDer;
use x509_cert::ext::pkix::{BasicConstraints, SubjectAltName, name::GeneralName};

pub use ca::UnusableCaError;
pub use pem::{certificates_from_pem, certificates_to_pem};
pub use validity::Validity;

use crate::{
    fingerprint::{Fingerprint, Sha256Fingerprint},
    key::{PublicKey, UnsupportedKeyError},
    pem::PemError,
    subject,
};
use validity::to_timestamp;

const MAX_BYTES: usize = 64 * 1024;

/// A PEM text or DER bytes could not be parsed as certificates.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    #[error("the certificate is not valid PEM")]
    Pem(#[from] PemError),
    #[error("no PEM block found; expected one beginning with -----BEGIN CERTIFICATE-----")]
    NotPem,
    /// The text contains PEM blocks, but none is a certificate; or another block where only a
    /// certificate is allowed.
    #[error("expected a PEM block labelled CERTIFICATE, but found {label}")]
    UnexpectedLabel {
        /// Label of the block.
        label: String,
    },
    /// The text contains more than one certificate where only one is allowed.
    #[error("expected exactly one certificate, but found several")]
    MultipleCertificates,
    #[error("the certificate is not valid X.509")]
    Malformed(#[source] der::Error),
    #[error("the certificate is larger than 64 KiB")]
    TooLarge,
}

/// An X.509 certificate (RFC 5280), kept byte for byte.
///
/// A value of this type is not trusted by itself; [`TrustAnchors`](crate::TrustAnchors) verifies
/// certificates.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    der: CertificateDer<'static>,
    parsed: x509_cert::Certificate,
    names: Vec<GeneralName>,
    constraints: Option<BasicConstraints>,
}

impl Certificate {
    /// Parses a certificate in DER.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] if it is too large or not well-formed; this includes alternative names
    /// and basic constraints that are unreadable or occur twice.
    pub fn from_der(der: impl Into<Vec<u8>>) -> Result<Self, CertificateError> {
        let der = der.into();
        if der.len() > MAX_BYTES {
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

    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// The certificate in DER, as the TLS library expects it.
    pub fn as_rustls(&self) -> &CertificateDer<'static> {
        &self.der
    }

    pub(crate) fn parsed(&self) -> &x509_cert::Certificate {
        &self.parsed
    }

    /// The SHA-1 digest by which clients and authenticators identify the certificate.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_der(&self.der)
    }

    /// The SHA-256 digest, for display.
    pub fn sha256(&self) -> Sha256Fingerprint {
        Sha256Fingerprint::of_der(&self.der)
    }

    ///
    /// # Errors
    ///
    /// [`UnsupportedKeyError`] if signatures of such keys are not accepted.
    pub fn public_key(&self) -> Result<PublicKey, UnsupportedKeyError> {
        PublicKey::from_spki(self.parsed.tbs_certificate().subject_public_key_info())
    }

    /// The SHA-256 digest of the public key in DER.
    ///
    /// Blocklists compare this: rewriting a signature changes the fingerprint of a certificate, but
    /// not its key.
    pub fn key_fingerprint(&self) -> Sha256Fingerprint {
        use der::Encode as _;
        let spki = self.parsed.tbs_certificate().subject_public_key_info();
        // Anything that was decoded can be encoded again, so the fallback is never used.
        Sha256Fingerprint::of_der(&spki.to_der().unwrap_or_default())
    }

    /// Whether issuer and subject are the same name, as in a root.
    pub fn is_self_issued(&self) -> bool {
        let body = self.parsed.tbs_certificate();
        body.issuer() == body.subject()
    }

    /// Whether its issuer name is the subject of `authority`, which proves nothing yet.
    pub fn names_as_issuer(&self, authority: &Self) -> bool {
        self.parsed.tbs_certificate().issuer() == authority.parsed.tbs_certificate().subject()
    }

    pub fn has_same_subject(&self, other: &Self) -> bool {
        self.parsed.tbs_certificate().subject() == other.parsed.tbs_certificate().subject()
    }

    /// The first valid second.
    pub fn not_before(&self) -> Timestamp {
        to_timestamp(self.parsed.tbs_certificate().validity().not_before)
    }

    /// The last valid second.
    pub fn not_after(&self) -> Timestamp {
        to_timestamp(self.parsed.tbs_certificate().validity().not_after)
    }

    /// Whether `at` is within the validity period, bounds included.
    pub fn is_valid_at(&self, at: Timestamp) -> bool {
        self.validity().contains(at)
    }

    pub fn validity(&self) -> Validity {
        Validity {
            not_before: self.not_before(),
            not_after: self.not_after(),
        }
    }

    /// The subject as a string (RFC 4514).
    pub fn subject(&self) -> String {
        self.parsed.tbs_certificate().subject().to_string()
    }

    /// The issuer as a string (RFC 4514).
    pub fn issuer(&self) -> String {
        self.parsed.tbs_certificate().issuer().to_string()
    }

    /// The serial number as upper-case hexadecimal pairs separated by colons.
    pub fn serial_number(&self) -> String {
        self.parsed.tbs_certificate().serial_number().to_string()
    }

    /// The last common name of the subject, if it is a plain string.
    pub fn common_name(&self) -> Option<String> {
        let subject = self.parsed.tbs_certificate().subject();
        let names = subject
            .iter()
            .filter(|part| part.oid == const_oid::db::rfc4519::COMMON_NAME);
        names
            .last()
            .and_then(|part| subject::decode_text(&part.value))
    }

    /// The URIs among the alternative names, unchanged.
    pub fn uri_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(|name| match name {
            GeneralName::UniformResourceIdentifier(uri) => Some(uri.as_str()),
            _ => None,
        })
    }

    /// The email addresses among the alternative names.
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

    /// The IP addresses among the alternative names.
    pub fn ip_names(&self) -> impl Iterator<Item = IpAddr> {
        self.names.iter().filter_map(|name| match name {
            GeneralName::IpAddress(octets) => server::to_address(octets.as_bytes()),
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
