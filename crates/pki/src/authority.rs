//! Certificate authorities that issue certificates.

mod issue;
mod names;
mod profile;
mod reserved;
mod router;
mod serial;

pub use issue::IssueError;
pub use names::{ServerNames, ServerNamesError};
pub use reserved::{ReservedNameError, ReservedNames};
pub use router::{RouterCsr, RouterCsrError};

use der::Encode as _;

use crate::{
    certificate::{Certificate, certificates_to_pem},
    key::SigningKey,
};

/// A certificate chain and a key that do not form an authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthorityError {
    #[error("a CA certificate is required")]
    NoCertificate,
    #[error("the first certificate is not a CA certificate (basic constraints)")]
    NotCa,
    #[error("the key does not match the first certificate")]
    KeyMismatch,
    /// The subject of the first certificate cannot be reproduced byte for byte as an issuer name.
    #[error("the subject of the first certificate is not canonical DER")]
    NonCanonicalSubject,
}

/// A certificate authority: its certificate, the issuers above it, and its key.
#[derive(Debug)]
pub struct Authority {
    certificate: Certificate,
    issuers: Vec<Certificate>,
    key: SigningKey,
}

impl Authority {
    /// Combines a chain, own certificate first, with the key of that certificate.
    ///
    /// # Errors
    ///
    /// [`AuthorityError`] when they do not match.
    pub fn new(chain: Vec<Certificate>, key: SigningKey) -> Result<Self, AuthorityError> {
        let mut chain = chain.into_iter();
        let certificate = chain.next().ok_or(AuthorityError::NoCertificate)?;
        if !certificate.is_ca() {
            return Err(AuthorityError::NotCa);
        }
        if certificate.public_key().as_ref() != Ok(key.public_key()) {
            return Err(AuthorityError::KeyMismatch);
        }
        if !has_canonical_subject(&certificate) {
            return Err(AuthorityError::NonCanonicalSubject);
        }
        Ok(Self {
            certificate,
            issuers: chain.collect(),
            key,
        })
    }

    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The authority's own certificate, followed by its known issuers.
    pub fn chain(&self) -> impl Iterator<Item = &Certificate> {
        std::iter::once(&self.certificate).chain(&self.issuers)
    }

    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Encodes `leaf` and the chain above it as PEM, without self-issued roots: a recipient either
    /// has the root already or does not trust it.
    pub fn chain_pem(&self, leaf: &Certificate) -> String {
        let above = self
            .chain()
            .filter(|certificate| !certificate.is_self_issued());
        certificates_to_pem(std::iter::once(leaf).chain(above))
    }
}

/// Whether encoding the subject again gives the same bytes. Verifiers compare names byte by byte,
/// so a certificate issued under a reordered name would not chain to anything.
fn has_canonical_subject(certificate: &Certificate) -> bool {
    let Ok(subject) = certificate.parsed().tbs_certificate().subject().to_der() else {
        return false;
    };
    certificate
        .as_der()
        .windows(subject.len())
        .any(|window| window == subject)
}
