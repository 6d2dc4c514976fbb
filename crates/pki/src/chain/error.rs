//! Why chains are not believed.

/// A chain was not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// A certificate that should be an anchor cannot be one.
    #[error("the certificate of a trusted CA cannot be used")]
    Anchor(#[source] webpki::Error),
    /// The chain ends in no trusted authority.
    #[error("the certificate was not issued by a trusted CA")]
    UnknownIssuer,
    /// A certificate of the chain is no longer valid.
    #[error("a certificate of the chain has expired")]
    Expired,
    /// A certificate of the chain is not valid yet.
    #[error("a certificate of the chain is not valid yet")]
    NotYetValid,
    /// The chain ends in a trusted authority that is outside of its own validity.
    #[error("the CA certificate has expired or is not valid yet")]
    AnchorOutsideValidity,
    /// The certificate is for another purpose than to authenticate clients.
    #[error("the certificate is not for client authentication (extended key usage)")]
    WrongPurpose,
    /// More intermediates were presented than are looked at.
    #[error("the chain has too many certificates")]
    TooLong,
    /// The chain breaks another rule of RFC 5280.
    #[error("the chain is not valid")]
    Invalid(#[source] webpki::Error),
}

/// Stands for "the anchor is outside of its validity" inside the verification, whose errors are not
/// ours to extend. Revocation lists are not used here, so nothing else gives this value.
pub(super) const ANCHOR_REFUSED: webpki::Error = webpki::Error::CertRevoked;

/// What a refusal of the verification means here.
pub(super) fn refusal(error: webpki::Error) -> ChainError {
    match error {
        ANCHOR_REFUSED => ChainError::AnchorOutsideValidity,
        webpki::Error::CertExpired { .. } => ChainError::Expired,
        webpki::Error::CertNotValidYet { .. } => ChainError::NotYetValid,
        webpki::Error::UnknownIssuer => ChainError::UnknownIssuer,
        webpki::Error::RequiredEkuNotFoundContext(_) => ChainError::WrongPurpose,
        other => ChainError::Invalid(other),
    }
}
