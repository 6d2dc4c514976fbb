//! Errors of chain verification.

use super::purpose::Purpose;

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
    #[error("the certificate is not for {0} (extended key usage)")]
    WrongPurpose(Purpose),
    /// More intermediates were presented than are considered.
    #[error("the chain has too many certificates")]
    TooLong,
    /// The chain violates another rule of RFC 5280.
    #[error("the chain is not valid")]
    Invalid(#[source] webpki::Error),
}

impl ChainError {
    /// Of two reasons why a chain was rejected, the one that tells more; of equal ones the first.
    ///
    /// A chain is tried against several authorities and at several times. That one authority did
    /// not issue it tells nothing if another one did, and that it has expired tells little if it
    /// would be rejected at any time.
    #[must_use]
    pub fn more_telling(self, other: Self) -> Self {
        if other.weight() > self.weight() {
            other
        } else {
            self
        }
    }

    fn weight(&self) -> u8 {
        match self {
            Self::UnknownIssuer => 0,
            Self::Expired | Self::NotYetValid | Self::AnchorOutsideValidity => 1,
            Self::Anchor(_) | Self::WrongPurpose(_) | Self::TooLong | Self::Invalid(_) => 2,
        }
    }
}

/// Represents "the anchor is outside its validity period" within the library, whose errors cannot
/// be extended. Revocation lists are not used here, so nothing else yields this value.
pub(super) const ANCHOR_OUTSIDE_VALIDITY: webpki::Error = webpki::Error::CertRevoked;

/// Converts an error of the library, which verified a certificate for `purpose`.
pub(super) fn to_chain_error(error: webpki::Error, purpose: Purpose) -> ChainError {
    match error {
        ANCHOR_OUTSIDE_VALIDITY => ChainError::AnchorOutsideValidity,
        webpki::Error::CertExpired { .. } => ChainError::Expired,
        webpki::Error::CertNotValidYet { .. } => ChainError::NotYetValid,
        webpki::Error::UnknownIssuer => ChainError::UnknownIssuer,
        webpki::Error::RequiredEkuNotFoundContext(_) => ChainError::WrongPurpose(purpose),
        other => ChainError::Invalid(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_of_the_chain_tells_more_than_its_dates_and_those_more_than_another_issuer() {
        let by_weight = [
            ChainError::UnknownIssuer,
            ChainError::Expired,
            ChainError::WrongPurpose(Purpose::Client),
        ];
        for (place, less) in by_weight.iter().enumerate() {
            for more in by_weight.iter().skip(place) {
                assert_eq!(less.clone().more_telling(more.clone()), *more);
                assert_eq!(more.clone().more_telling(less.clone()), *more);
            }
        }
        let first = ChainError::NotYetValid;
        assert_eq!(first.clone().more_telling(ChainError::Expired), first);
    }
}
