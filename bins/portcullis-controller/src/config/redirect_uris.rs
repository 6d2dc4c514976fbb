//! Check of the URIs that logins and logouts may lead to.

use portcullis_controller_config::RedirectUriReference;
use portcullis_oidc::redirect::RegisteredUri;
use portcullis_yaml::{Diagnostic, Severity, codes};

/// Finds URIs that the provider does not register.
pub(super) fn check(uris: &[RedirectUriReference]) -> impl Iterator<Item = Diagnostic> {
    uris.iter()
        .filter_map(|RedirectUriReference { path, place, uri }| {
            let error = RegisteredUri::parse(uri).err()?;
            let message = format!("nothing may lead to `{uri}`: {error}");
            let (severity, code) = (Severity::Error, codes::INVALID_VALUE);
            Some(Diagnostic::new(
                severity,
                code,
                path.clone(),
                *place,
                message,
            ))
        })
}
