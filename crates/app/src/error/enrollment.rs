//! Errors of enrollments.

use super::EnrollmentCertificateError;
use portcullis_domain::enrollment::{EnrollmentMethodKind, RedemptionError};

/// Errors of creating and redeeming enrollments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnrollmentError {
    #[error("the identity already has an enrollment of this method")]
    Exists(EnrollmentMethodKind),
    #[error("the enrollment token is unknown")]
    UnknownToken,
    /// The token's identity already exists.
    #[error("the identity is already enrolled")]
    AlreadyEnrolled,
    #[error("enrolling this way is not enabled")]
    NotEnabled,
    #[error(transparent)]
    Redemption(#[from] RedemptionError),
    #[error(transparent)]
    Certificate(#[from] EnrollmentCertificateError),
}
