//! What a login still lacks.

use crate::error::CliError;
use portcullis_api::api_session::AuthQuery;

/// Says what is wanted, and what gives it.
pub(crate) fn explain(queries: &[AuthQuery]) -> CliError {
    let wanted: Vec<_> = queries.iter().map(|query| query.type_id.as_ref()).collect();
    let error = CliError::failed(format!(
        "the login needs a further factor: {}",
        wanted.join(", ")
    ));
    queries.iter().fold(error, |error, query| {
        if query.type_id != "EXT-JWT" {
            return error
                .hint("log in as an identity whose authentication policy asks for no such code");
        }
        let signer = query.id.as_deref().unwrap_or("that is named in the policy");
        let error = error.hint(format!(
            "add `--second-ext-jwt FILE`, with a JWT of the signer {signer} that belongs to you"
        ));
        match &query.http_url {
            Some(url) if !url.is_empty() => error.hint(format!("its holders log in at {url}")),
            _ => error,
        }
    })
}
