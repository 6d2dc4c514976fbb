//! Whether and how far a certificate may vouch for others.

use jiff::Timestamp;
use x509_cert::certificate::Version;
use x509_cert::ext::pkix::KeyUsage;

use super::Certificate;
use crate::{key::UnsupportedKey, signed::Signed};

/// A certificate cannot be that of a trusted authority.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableAuthority {
    /// Basic constraints do not make it an authority.
    #[error("not a CA certificate: its basic constraints do not allow it to issue certificates")]
    NotCa,
    /// Its key usage leaves out that it signs certificates.
    #[error("the certificate's key usage does not include certificate signing (keyCertSign)")]
    CannotSign,
    /// Signatures of its key are not accepted.
    #[error("the certificate's key is not supported: {0}")]
    UnsupportedKey(#[from] UnsupportedKey),
    /// It is no longer valid.
    #[error("the certificate has expired")]
    Expired,
    /// It is not valid yet.
    #[error("the certificate is not valid yet")]
    NotYetValid,
}

impl Certificate {
    /// Whether `authority` issued it: its name is that of the issuer, and its key has signed.
    ///
    /// The algorithm stands inside and outside of what is signed, and has to be the same
    /// (RFC 5280 section 4.1.1.2): one outside in another form would be another certificate that
    /// verifies. Nothing else is looked at: neither dates, nor what either certificate is for, nor
    /// its version.
    pub fn is_issued_by(&self, authority: &Self) -> bool {
        let is_signed = || {
            let key = authority.public_key().ok()?;
            Signed::read(self.as_der()).ok()?.verify(&key).ok()
        };
        let is_one_algorithm =
            self.parsed.signature_algorithm() == self.parsed.tbs_certificate().signature();
        self.names_as_issuer(authority) && is_one_algorithm && is_signed().is_some()
    }

    /// Whether it is of X.509 version 1, which knows no extensions.
    pub fn is_version_one(&self) -> bool {
        let body = self.parsed.tbs_certificate();
        body.version() == Version::V1 && body.extensions().is_none()
    }

    /// Whether basic constraints make it the certificate of an authority.
    pub fn is_ca(&self) -> bool {
        self.constraints.as_ref().is_some_and(|limits| limits.ca)
    }

    /// Whether the key usage lets it sign certificates: if there is none, it does (RFC 5280 section
    /// 4.2.1.3); if it cannot be read, it does not.
    pub fn may_sign_certificates(&self) -> bool {
        let usage = self.parsed.tbs_certificate().get_extension::<KeyUsage>();
        match usage {
            Ok(None) => true,
            Ok(Some((_, usage))) => usage.key_cert_sign(),
            Err(_) => false,
        }
    }

    /// How many other authorities may stand between this one and the certificate at the end of a
    /// chain; `None` for any number.
    pub fn path_length(&self) -> Option<u8> {
        let limits = self.constraints.as_ref().filter(|limits| limits.ca);
        limits.and_then(|limits| limits.path_len_constraint)
    }

    /// Checks that it can be the certificate of an authority that is trusted at `now`.
    ///
    /// # Errors
    ///
    /// [`UnusableAuthority`], by the first of its variants that applies: dates come last, for they
    /// alone change by themselves.
    pub fn check_authority(&self, now: Timestamp) -> Result<(), UnusableAuthority> {
        if !self.is_ca() {
            return Err(UnusableAuthority::NotCa);
        }
        if !self.may_sign_certificates() {
            return Err(UnusableAuthority::CannotSign);
        }
        self.public_key()?;
        if self.is_valid_at(now) {
            Ok(())
        } else if now < self.not_before() {
            Err(UnusableAuthority::NotYetValid)
        } else {
            Err(UnusableAuthority::Expired)
        }
    }
}
