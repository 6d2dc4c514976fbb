//! Conversion of certificate errors to their wire form.

use super::ApiError;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::cas::ProofError;
use portcullis_app::enrollments::EnrollmentCertificateError;

impl From<ProofError> for ApiError {
    fn from(error: ProofError) -> Self {
        let code = match &error {
            ProofError::AlreadyVerified => Code::CaAlreadyVerified,
            ProofError::NotPem => Code::CouldNotParseBody,
            ProofError::NotOneCertificate(_) => Code::ExpectedPemCertificate,
            ProofError::Unreadable => Code::CouldNotParseDerBlock,
            ProofError::WrongName => Code::InvalidCommonName,
            ProofError::NotIssued => Code::CertificateFailedValidation,
        };
        match &error {
            ProofError::NotPem | ProofError::NotOneCertificate(_) | ProofError::Unreadable => {
                Self::new(code).with_cause(Cause::text(error.to_string()))
            },
            ProofError::AlreadyVerified | ProofError::WrongName | ProofError::NotIssued => {
                Self::new(code)
            },
        }
    }
}

impl From<EnrollmentCertificateError> for ApiError {
    fn from(error: EnrollmentCertificateError) -> Self {
        match error {
            EnrollmentCertificateError::CaNotEnabled => Self::new(Code::EnrollmentCaNotValid),
            EnrollmentCertificateError::NoCa => Self::new(Code::EnrollmentNoValidCas),
            EnrollmentCertificateError::WrongCa => Self::new(Code::CertificateFailedValidation),
            EnrollmentCertificateError::UntrustedCertificate => {
                Self::new(Code::CertFailedValidation)
            },
            EnrollmentCertificateError::NoClaim => Self::new(Code::MissingCertClaim),
            EnrollmentCertificateError::InUse { fingerprint: None } => Self::new(Code::CertInUse),
            EnrollmentCertificateError::InUse {
                fingerprint: Some(fingerprint),
            } => Self::new(Code::CertInUse).with_cause(Cause::fingerprint(&fingerprint)),
        }
    }
}
