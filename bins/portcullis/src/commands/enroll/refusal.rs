//! What can be done about an enrollment that is refused.

use crate::credential::Credential;
use crate::error::CliError;
use portcullis_api::code::Code;
use portcullis_client::{ClientError, Refusal};
use portcullis_domain::clock::Timestamp;

/// About one by a certificate, with a token of its own or with that of the authority.
pub(super) fn of_certificate(
    error: ClientError,
    credential: &Credential,
    has_token: bool,
    now: Timestamp,
) -> CliError {
    let hint = match error.refusal().and_then(Refusal::code) {
        Some(Code::InvalidEnrollmentToken) if has_token => {
            "the token was already used, or its CA was deleted; ask the administrator for another one"
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
             enrollment; administrators see that with `portcullis ca list`"
        },
        _ => return error.into(),
    };
    let mut hints = credential.remarks(now);
    hints.push(hint.to_owned());
    CliError::of_enrollment(error, hints)
}

/// About one by a JWT.
pub(super) fn of_jwt(error: ClientError, end: Option<Timestamp>, now: Timestamp) -> CliError {
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
        _ => "check that the JWT's signer is registered, and enabled for this way of enrolling"
            .to_owned(),
    };
    CliError::of_enrollment(error, vec![hint])
}
