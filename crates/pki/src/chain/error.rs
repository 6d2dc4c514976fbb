//! Errors of chain verification.

/// A chain was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// A certificate cannot be used as a trust anchor.
    #[error("the certificate of a trusted CA cannot be used")]
    Anchor(#[source] webpki::Error),
    /// The chain ends in no trusted authority.
    #[error("the certificate was not issued by a trusted CA")]
    UnknownIssuer,
    #[error("a certificate of the chain has expired")]
    Expired,
    #[error("a certificate of the chain is not valid yet")]
    NotYetValid,
    /// The chain ends in a trusted authority that is outside its own validity period.
    #[error("the CA certificate has expired or is not valid yet")]
    AnchorOutsideValidity,
    #[error("the certificate is not for client authentication (extended key usage)")]
    WrongPurpose,
    /// More intermediates were presented than are considered.
    #[error("the chain has too many certificates")]
    TooLong,
    /// The chain violates another rule of RFC 5280.
    #[error("the chain is not valid")]
    Invalid(#[source] webpki::Error),
}

/// Represents "the anchor is outside its validity period" within the library, whose errors cannot
/// be extended. Revocation lists are not used here, so nothing else yields this value.
pub(super) const ANCHOR_OUTSIDE_VALIDITY: webpki::Error = webpki::Error::CertRevoked;

/// Converts a verification error of the library.
pub(super) fn to_chain_error(error: webpki::Error) -> ChainError {
    match error {
        ANCHOR_OUTSIDE_VALIDITY => ChainError::AnchorOutsideValidity,
        webpki::Error::CertExpired { .. } => ChainError::Expired,
        webpki::Error::CertNotValidYet { .. } => ChainError::NotYetValid,
        webpki::Error::UnknownIssuer => ChainError::UnknownIssuer,
        webpki::Error::RequiredEkuNotFoundContext(_) => ChainError::WrongPurpose,
        other => ChainError::Invalid(other),
    }
}
