//! PEM encoding of certificates.

use super::{Certificate, CertificateError};
use crate::pem;

const LABEL: &str = "CERTIFICATE";

impl Certificate {
    /// Parses the first certificate of a PEM text.
    ///
    /// # Errors
    ///
    /// As [`certificates_from_pem`].
    pub fn from_pem(text: &str) -> Result<Self, CertificateError> {
        let first = certificates_from_pem(text)?.into_iter().next();
        first.ok_or(CertificateError::NotPem)
    }

    /// Parses a PEM text that contains one certificate and no other block.
    ///
    /// # Errors
    ///
    /// [`CertificateError`], in this order: `Pem` or `NotPem` if the text is not PEM,
    /// `UnexpectedLabel` if any block is something else, `MultipleCertificates`, and then errors in
    /// the certificate itself.
    pub fn from_single_pem(text: &str) -> Result<Self, CertificateError> {
        let blocks = pem::parse_blocks(text)?;
        if let Some(other) = blocks.iter().find(|block| block.label != LABEL) {
            return Err(CertificateError::UnexpectedLabel {
                label: other.label.to_owned(),
            });
        }
        match blocks.as_slice() {
            [] => Err(CertificateError::NotPem),
            [only] => Self::from_der(only.der.as_slice()),
            [_, _, ..] => Err(CertificateError::MultipleCertificates),
        }
    }

    /// Encodes the certificate as one PEM block with a trailing newline.
    pub fn to_pem(&self) -> String {
        pem::encode(LABEL, &self.der)
    }
}

/// Parses all certificates of a PEM text in order; other blocks, such as keys, are skipped.
///
/// # Errors
///
/// [`CertificateError`] if a block is malformed or there is no certificate.
pub fn certificates_from_pem(text: &str) -> Result<Vec<Certificate>, CertificateError> {
    let blocks = pem::parse_blocks(text)?;
    let Some(first) = blocks.first() else {
        return Err(CertificateError::NotPem);
    };
    let certificates: Vec<_> = blocks
        .iter()
        .filter(|block| block.label == LABEL)
        .map(|block| Certificate::from_der(block.der.as_slice()))
        .collect::<Result<_, _>>()?;
    if certificates.is_empty() {
        return Err(CertificateError::UnexpectedLabel {
            label: first.label.to_owned(),
        });
    }
    Ok(certificates)
}

/// Encodes certificates as consecutive PEM blocks with a trailing newline.
pub fn certificates_to_pem<'a>(certificates: impl IntoIterator<Item = &'a Certificate>) -> String {
    certificates.into_iter().map(Certificate::to_pem).collect()
}
