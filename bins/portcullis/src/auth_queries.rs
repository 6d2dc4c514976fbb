//! Open authentication queries.

use crate::error::CliError;
use portcullis_api::api_session::AuthQuery;

/// Whether a query asks for a TOTP or recovery code.
pub(crate) fn is_totp(query: &AuthQuery) -> bool {
    matches!(query.type_id.as_ref(), "MFA" | "TOTP")
}

/// Whether there is a TOTP enrollment to answer a query with.
pub(crate) fn is_enrolled(query: &AuthQuery) -> bool {
    query.is_totp_enrolled == Some(true)
}

/// Whether a query asks for a JWT of an external signer.
pub(crate) fn is_jwt(query: &AuthQuery) -> bool {
    query.type_id == "EXT-JWT"
}

/// Whether a TOTP enrollment has to come first.
pub(crate) fn demand_enrollment(queries: &[AuthQuery]) -> bool {
    queries
        .iter()
        .any(|query| is_totp(query) && !is_enrolled(query))
}

/// Error for open queries, with hints.
pub(crate) fn missing_factor_error(queries: &[AuthQuery]) -> CliError {
    let wanted: Vec<_> = queries.iter().map(|query| query.type_id.as_ref()).collect();
    let error = CliError::failed(format!(
        "the login needs another factor: {}",
        wanted.join(", ")
    ));
    queries.iter().fold(error, add_hint)
}

/// Like [`missing_factor_error`], for an existing session.
pub(crate) fn missing_factor_in_session(queries: &[AuthQuery]) -> CliError {
    let can_enroll = |query| is_totp(query) && !is_enrolled(query);
    let error = missing_factor_error(queries);
    if queries.iter().all(can_enroll) {
        return error;
    }
    error.hint("afterwards, log in again with `portcullis login` and the same credential")
}

fn add_hint(error: CliError, query: &AuthQuery) -> CliError {
    if is_jwt(query) {
        let signer = query.id.as_deref().unwrap_or("named in the policy");
        let error = error.hint(format!(
            "add `--second-ext-jwt FILE` with your JWT of the signer {signer}"
        ));
        return match &query.http_url {
            Some(url) if !url.is_empty() => error.hint(format!("log in at {url} to get one")),
            _ => error,
        };
    }
    if !is_totp(query) {
        return error
            .hint("this program does not support that factor; use an identity whose authentication policy does not require it");
    }
    if is_enrolled(query) {
        error.hint("the login needs a code from your app, or a recovery code")
    } else {
        error.hint("you may have to enroll first: `portcullis mfa enroll`")
    }
}
