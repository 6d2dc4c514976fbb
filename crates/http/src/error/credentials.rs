//! Conversion of errors of authenticators and enrollments to their wire form.

use super::ApiError;
use super::app::with_message;
use portcullis_api::code::Code;
use portcullis_app::{AuthenticatorError, CsrDeniedError, EnrollmentError};
use portcullis_domain::FieldError;
use portcullis_domain::enrollment::{EnrollmentMethodKind, RedemptionError};

impl From<AuthenticatorError> for ApiError {
    fn from(error: AuthenticatorError) -> Self {
        match error {
            AuthenticatorError::Exists(_) => Self::new(Code::MaxAuthenticatorMethodsReached),
            AuthenticatorError::NotUpdatable => Self::new(Code::CanNotUpdateAuthenticator),
            AuthenticatorError::WrongPassword => {
                Self::new(Code::Unauthorized).with_cause(FieldError::new(
                    "currentPassword",
                    "is wrong; send the current password of the caller",
                    "",
                ))
            },
            AuthenticatorError::NotOneCertificate => Self::new(Code::CouldNotParsePemBlock),
            AuthenticatorError::UntrustedCertificate => {
                Self::new(Code::CertificateFailedValidation)
            },
            AuthenticatorError::UnexpectedCertificate => Self::new(Code::InvalidClientCert),
        }
    }
}

impl From<EnrollmentError> for ApiError {
    fn from(error: EnrollmentError) -> Self {
        match error {
            EnrollmentError::Exists(method) => {
                Self::new(Code::EnrollmentExists).with_cause(enrollment_exists(method))
            },
            EnrollmentError::UnknownToken => Self::new(Code::InvalidEnrollmentToken),
            EnrollmentError::AlreadyEnrolled => Self::new(Code::EnrollmentIdentityAlreadyEnrolled),
            EnrollmentError::NotEnabled => Self::new(Code::InvalidEnrollmentNotAllowed),
            EnrollmentError::Redemption(RedemptionError::WrongMethod) => {
                Self::new(Code::InvalidEnrollMethod)
            },
            EnrollmentError::Redemption(RedemptionError::Expired) => {
                Self::new(Code::EnrollmentExpired)
            },
            EnrollmentError::Certificate(error) => error.into(),
        }
    }
}

fn enrollment_exists(method: EnrollmentMethodKind) -> FieldError {
    let reason =
        "the identity already has an enrollment of this method; refresh or delete that one";
    FieldError::new("method", reason, method.name())
}

impl From<CsrDeniedError> for ApiError {
    fn from(error: CsrDeniedError) -> Self {
        match error {
            CsrDeniedError::Invalid(reason) => with_message(Code::CouldNotProcessCsr, reason),
            error @ CsrDeniedError::Missing(_) => {
                with_message(Code::MissingOrInvalidCsr, error.to_string())
            },
        }
    }
}
