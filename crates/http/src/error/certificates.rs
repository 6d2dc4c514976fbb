//! Conversion of certificate errors to their wire form.

use super::ApiError;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::cas::CaProofError;
use portcullis_app::enrollments::EnrollmentCertificateError;

impl From<CaProofError> for ApiError {
    fn from(error: CaProofError) -> Self {
        let code = match &error {
            CaProofError::AlreadyVerified => Code::CaAlreadyVerified,
            CaProofError::NotPem => Code::CouldNotParseBody,
            CaProofError::NotOneCertificate(_) => Code::ExpectedPemCertificate,
            CaProofError::Unreadable => Code::CouldNotParseDerBlock,
            CaProofError::WrongName => Code::InvalidCommonName,
            CaProofError::NotIssued => Code::CertificateFailedValidation,
        };
        match &error {
            CaProofError::NotPem
            | CaProofError::NotOneCertificate(_)
            | CaProofError::Unreadable => {
                Self::new(code).with_cause(Cause::text(error.to_string()))
            },
            CaProofError::AlreadyVerified | CaProofError::WrongName | CaProofError::NotIssued => {
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
