//! Conversion of certificate errors to their wire form.

use super::ApiError;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::cas::ProofError;
use portcullis_app::enrollments::CertificateFault;

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

impl From<CertificateFault> for ApiError {
    fn from(error: CertificateFault) -> Self {
        match error {
            CertificateFault::AuthorityNotValid => Self::new(Code::EnrollmentCaNotValid),
            CertificateFault::NoAuthority => Self::new(Code::EnrollmentNoValidCas),
            CertificateFault::NotOfAuthority => Self::new(Code::CertificateFailedValidation),
            CertificateFault::NotVouchedFor => Self::new(Code::CertFailedValidation),
            CertificateFault::NoClaim => Self::new(Code::MissingCertClaim),
            CertificateFault::InUse { fingerprint: None } => Self::new(Code::CertInUse),
            CertificateFault::InUse {
                fingerprint: Some(fingerprint),
            } => Self::new(Code::CertInUse).with_cause(Cause::fingerprint(&fingerprint)),
        }
    }
}
