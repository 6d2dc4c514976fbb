//! Errors of proofs that an authority's key is held.

/// A certificate does not prove possession of the authority's key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaProofError {
    #[error("the CA is already verified")]
    AlreadyVerified,
    #[error("expected a PEM certificate")]
    NotPem,
    #[error("expected exactly one PEM certificate: {0}")]
    NotOneCertificate(String),
    #[error("the certificate could not be parsed")]
    Unreadable,
    #[error("the common name must be the verification token of the CA")]
    WrongName,
    /// Not issued by the authority, or one of the two is outside its validity period.
    #[error("the certificate was not issued by the CA")]
    NotIssued,
}
