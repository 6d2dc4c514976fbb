//! Hints on refused enrollments.

use crate::credential::Credential;
use crate::error::CliError;
use portcullis_api::code::Code;
use portcullis_client::{ClientError, RefusalError};
use portcullis_domain::clock::Timestamp;

/// Explains a refused enrollment by certificate, with a token of its own or that of the CA.
pub(super) fn explain_certificate_refusal(
    error: ClientError,
    credential: &Credential,
    has_token: bool,
    now: Timestamp,
) -> CliError {
    let hint = match error.refusal().and_then(RefusalError::code) {
        Some(Code::InvalidEnrollmentToken) if has_token => {
            "the token was already used, or its CA was deleted; ask the administrator for a new one"
        },
        Some(
            Code::InvalidEnrollmentToken
            | Code::CertFailedValidation
            | Code::CertificateFailedValidation
            | Code::InvalidClientCert
            | Code::EnrollmentCaNotValid
            | Code::EnrollmentNoValidCas
            | Code::Unauthorized
            | Code::InvalidAuth,
        ) => {
            "check that the CA that issued the certificate is registered, verified and enabled for \
             enrollment; administrators can check with `portcullis ca list`"
        },
        _ => return error.into(),
    };
    let mut hints = credential.certificate_warnings(now);
    hints.push(hint.to_owned());
    CliError::from_enrollment(error, hints)
}

/// Explains a refused enrollment by JWT.
pub(super) fn explain_jwt_refusal(
    error: ClientError,
    end: Option<Timestamp>,
    now: Timestamp,
) -> CliError {
    let is_refused = [
        Code::InvalidEnrollmentToken,
        Code::Unauthorized,
        Code::InvalidAuth,
    ]
    .iter()
    .any(|code| error.is_refused_with(*code));
    if !is_refused {
        return error.into();
    }
    let hint = match end {
        Some(end) if end <= now => format!("the JWT of `--ext-jwt` expired at {end}"),
        _ => "check that the JWT's signer is registered, and enabled for this kind of enrollment"
            .to_owned(),
    };
    CliError::from_enrollment(error, vec![hint])
}
