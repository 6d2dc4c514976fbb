//! What a login still lacks.

use crate::error::CliError;
use portcullis_api::api_session::AuthQuery;

/// Whether it is a TOTP code, or a recovery code in its place.
pub(crate) fn is_code(query: &AuthQuery) -> bool {
    matches!(query.type_id.as_ref(), "MFA" | "TOTP")
}

/// Whether it is a JWT of an external signer.
pub(crate) fn is_jwt(query: &AuthQuery) -> bool {
    query.type_id == "EXT-JWT"
}

/// Says what is wanted, and what gives it.
pub(crate) fn explain(queries: &[AuthQuery]) -> CliError {
    let wanted: Vec<_> = queries.iter().map(|query| query.type_id.as_ref()).collect();
    let error = CliError::failed(format!(
        "the login needs a further factor: {}",
        wanted.join(", ")
    ));
    queries.iter().fold(error, explain_one)
}

/// The same for a session that was opened before.
pub(crate) fn explain_in_session(queries: &[AuthQuery]) -> CliError {
    let can_enroll = |query| is_code(query) && !query.is_totp_enrolled;
    let error = explain(queries);
    if queries.iter().all(can_enroll) {
        return error;
    }
    error.hint("then log in again: `portcullis login` with what it was made with")
}

fn explain_one(error: CliError, query: &AuthQuery) -> CliError {
    if is_jwt(query) {
        let signer = query.id.as_deref().unwrap_or("that is named in the policy");
        let error = error.hint(format!(
            "add `--second-ext-jwt FILE`, with a JWT of the signer {signer} that belongs to you"
        ));
        return match &query.http_url {
            Some(url) if !url.is_empty() => error.hint(format!("log in at {url} to get one")),
            _ => error,
        };
    }
    if !is_code(query) {
        return error
            .hint("this program does not support that factor; log in as an identity whose auth policy does not require it");
    }
    if query.is_totp_enrolled {
        error.hint("the login needs a code from your app, or a recovery code")
    } else {
        error.hint("you may have to enroll first: `portcullis mfa enroll`")
    }
}
