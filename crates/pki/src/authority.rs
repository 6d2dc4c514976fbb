//! Authorities: certificates with keys that issue other certificates.

mod issue;
mod names;
mod profile;
mod reserved;
mod router;
mod serial;

pub use issue::IssueError;
pub use names::{ServerNames, ServerNamesError};
pub use reserved::{ReservedName, ReservedNames};
pub use router::{RouterCsr, RouterCsrError};

use der::Encode as _;

use crate::{
    certificate::{Certificate, certificates_to_pem},
    key::SigningKey,
};

/// A certificate chain and a key do not make an authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthorityError {
    /// There is no certificate.
    #[error("a CA certificate is required")]
    NoCertificate,
    /// The first certificate is not that of an authority.
    #[error("the first certificate is not a CA certificate (basic constraints)")]
    NotCa,
    /// The key is not that of the first certificate.
    #[error("the key does not match the first certificate")]
    OtherKey,
    /// The subject of the first certificate cannot be repeated exactly as issuer.
    #[error("the subject of the first certificate is not canonical DER")]
    Subject,
}

/// An authority: its certificate, those above it, and its key.
#[derive(Debug)]
pub struct Authority {
    certificate: Certificate,
    above: Vec<Certificate>,
    key: SigningKey,
}

impl Authority {
    /// Puts together a chain, own certificate first, and the key of that certificate.
    ///
    /// # Errors
    ///
    /// [`AuthorityError`] when they do not fit together.
    pub fn new(chain: Vec<Certificate>, key: SigningKey) -> Result<Self, AuthorityError> {
        let mut chain = chain.into_iter();
        let certificate = chain.next().ok_or(AuthorityError::NoCertificate)?;
        if !certificate.is_ca() {
            return Err(AuthorityError::NotCa);
        }
        if certificate.public_key().as_ref() != Ok(key.public_key()) {
            return Err(AuthorityError::OtherKey);
        }
        if !repeats_subject(&certificate) {
            return Err(AuthorityError::Subject);
        }
        Ok(Self {
            certificate,
            above: chain.collect(),
            key,
        })
    }

    /// The authority's own certificate.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Own certificate and those above it, as far as they are known here.
    pub fn chain(&self) -> impl Iterator<Item = &Certificate> {
        std::iter::once(&self.certificate).chain(&self.above)
    }

    /// The key.
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Writes `leaf` and the chain above it as PEM, without self-issued roots: whoever gets the
    /// chain has the root, or does not trust it.
    pub fn chain_pem(&self, leaf: &Certificate) -> String {
        let above = self
            .chain()
            .filter(|certificate| !certificate.is_self_issued());
        certificates_to_pem(std::iter::once(leaf).chain(above))
    }
}

/// Whether writing the subject anew gives the same bytes. Verifiers compare names byte by byte, so
/// a certificate issued under a reordered name would chain to nothing.
fn repeats_subject(certificate: &Certificate) -> bool {
    let Ok(subject) = certificate.parsed().tbs_certificate().subject().to_der() else {
        return false;
    };
    certificate
        .as_der()
        .windows(subject.len())
        .any(|window| window == subject)
}
