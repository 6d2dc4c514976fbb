//! Certificates as issuers of other certificates.

use jiff::Timestamp;
use x509_cert::certificate::Version;
use x509_cert::ext::pkix::KeyUsage;

use super::Certificate;
use crate::{key::UnsupportedKeyError, signed::SignedStructure};

/// A certificate cannot be that of a trusted authority.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableCaError {
    /// Basic constraints do not mark it as a CA.
    #[error("not a CA certificate: its basic constraints do not allow it to issue certificates")]
    NotCa,
    /// The key usage does not allow signing certificates.
    #[error("the certificate's key usage does not include certificate signing (keyCertSign)")]
    CannotSign,
    #[error("the certificate's key is not supported: {0}")]
    UnsupportedKey(#[from] UnsupportedKeyError),
    #[error("the certificate has expired")]
    Expired,
    #[error("the certificate is not valid yet")]
    NotYetValid,
}

impl Certificate {
    /// Whether `authority` issued it: the issuer name matches and the signature verifies.
    ///
    /// The signature algorithm occurs inside and outside of the signed part and must be the same in
    /// both (RFC 5280 section 4.1.1.2): otherwise, changing the outer one would give a different
    /// certificate that verifies too. Nothing else is checked: neither dates nor purposes nor the
    /// version.
    pub fn is_issued_by(&self, authority: &Self) -> bool {
        let is_signed = || {
            let key = authority.public_key().ok()?;
            SignedStructure::parse(self.as_der())
                .ok()?
                .verify(&key)
                .ok()
        };
        let is_one_algorithm =
            self.parsed.signature_algorithm() == self.parsed.tbs_certificate().signature();
        self.names_as_issuer(authority) && is_one_algorithm && is_signed().is_some()
    }

    /// Whether it is an X.509 version 1 certificate, which has no extensions.
    pub fn is_version_one(&self) -> bool {
        let body = self.parsed.tbs_certificate();
        body.version() == Version::V1 && body.extensions().is_none()
    }

    /// Whether basic constraints mark it as a CA.
    pub fn is_ca(&self) -> bool {
        self.constraints.as_ref().is_some_and(|limits| limits.ca)
    }

    /// Whether the key usage allows signing certificates: a missing extension does (RFC 5280 section
    /// 4.2.1.3), an unreadable one does not.
    pub fn can_sign_certificates(&self) -> bool {
        let usage = self.parsed.tbs_certificate().get_extension::<KeyUsage>();
        match usage {
            Ok(None) => true,
            Ok(Some((_, usage))) => usage.key_cert_sign(),
            Err(_) => false,
        }
    }

    /// Number of further CAs allowed between this one and the leaf of a chain; `None` if unlimited.
    pub fn path_length(&self) -> Option<u8> {
        let limits = self.constraints.as_ref().filter(|limits| limits.ca);
        limits.and_then(|limits| limits.path_len_constraint)
    }

    /// Validates that it can be the certificate of a trusted authority at `now`.
    ///
    /// # Errors
    ///
    /// [`UnusableCaError`], the first variant that applies: dates come last, because they are all
    /// that changes by itself.
    pub fn validate_ca(&self, now: Timestamp) -> Result<(), UnusableCaError> {
        if !self.is_ca() {
            return Err(UnusableCaError::NotCa);
        }
        if !self.can_sign_certificates() {
            return Err(UnusableCaError::CannotSign);
        }
        self.public_key()?;
        if self.is_valid_at(now) {
            Ok(())
        } else if now < self.not_before() {
            Err(UnusableCaError::NotYetValid)
        } else {
            Err(UnusableCaError::Expired)
        }
    }
}
