//! Names and summaries of operations.
//!
//! Most are derived from method and path; [`OPERATIONS`] lists the others.

use crate::descriptions::capitalized;
use crate::operations::{FABRIC_OPERATIONS, OPERATIONS};
use crate::resource_names::{plural, singular_segment, singular_with_article};
use http::Method;
use portcullis_http::path::Api;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OperationName {
    pub(crate) id: String,
    pub(crate) summary: String,
}

/// Returns the name of an operation.
pub(crate) fn operation_name(api: Api, method: &Method, path: &str) -> OperationName {
    let fabric: &[_] = match api {
        Api::Fabric => FABRIC_OPERATIONS,
        Api::Client | Api::Management | Api::HealthChecks | Api::Oidc => &[],
    };
    let listed = fabric
        .iter()
        .chain(OPERATIONS)
        .find(|(known, at, ..)| *known == method.as_str() && *at == path);
    match listed {
        Some((_, _, id, summary)) => OperationName {
            id: (*id).to_owned(),
            summary: (*summary).to_owned(),
        },
        None => derived_name(method, path),
    }
}

/// Derives the name of an operation on a collection, or on one of its entities.
fn derived_name(method: &Method, path: &str) -> OperationName {
    let segments: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_single = segments.last().is_some_and(|last| last.starts_with('{'));
    let nouns: Vec<_> = segments
        .into_iter()
        .filter(|part| !part.starts_with('{'))
        .collect();
    let (last, outer) = nouns.split_last().unwrap_or((&"root", &[]));
    let stem: String = outer
        .iter()
        .map(|part| to_camel_case(&singular_segment(part)))
        .collect();
    let is_list = *method == Method::GET && !is_single;
    let (verb, phrase) = match *method {
        Method::GET if is_list => ("list", "Lists"),
        Method::GET => ("detail", "Shows"),
        Method::POST => ("create", "Creates"),
        Method::PUT => ("update", "Replaces"),
        Method::PATCH => ("patch", "Changes members of"),
        _ => ("delete", "Deletes"),
    };
    let (noun, what) = if is_list {
        (to_camel_case(last), plural(last))
    } else {
        (
            to_camel_case(&singular_segment(last)),
            singular_with_article(last),
        )
    };
    let summary = match outer.last() {
        Some(outer) if is_list => {
            format!("{phrase} the {what} of {}.", singular_with_article(outer))
        },
        Some(outer) => format!("{phrase} {what} of {}.", singular_with_article(outer)),
        None => format!("{phrase} {what}."),
    };
    OperationName {
        id: format!("{verb}{stem}{noun}"),
        summary,
    }
}

/// Converts `edge-routers` to `EdgeRouters`.
pub(crate) fn to_camel_case(segment: &str) -> String {
    segment.split('-').map(capitalized).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_called_what_clients_call_them() {
        for (method, path, id, summary) in [
            (
                Method::GET,
                "/identities",
                "listIdentities",
                "Lists identities.",
            ),
            (
                Method::GET,
                "/edge-routers/{id}",
                "detailEdgeRouter",
                "Shows an edge router.",
            ),
            (
                Method::POST,
                "/auth-policies",
                "createAuthPolicy",
                "Creates an authentication policy.",
            ),
            (
                Method::PUT,
                "/cas/{id}",
                "updateCa",
                "Replaces a third-party certificate authority.",
            ),
            (
                Method::PATCH,
                "/services/{id}",
                "patchService",
                "Changes members of a service.",
            ),
            (
                Method::GET,
                "/service-policies/{id}/posture-checks",
                "listServicePolicyPostureChecks",
                "Lists the posture checks of a service policy.",
            ),
            (
                Method::GET,
                "/current-identity/authenticators/{id}",
                "detailCurrentIdentityAuthenticator",
                "Shows an authenticator of the caller.",
            ),
            (
                Method::GET,
                "/",
                "listRoot",
                "Shows what the controller is: version, APIs, capabilities.",
            ),
            (
                Method::DELETE,
                "/api-sessions/{id}",
                "deleteAPISessions",
                "Ends an API session.",
            ),
        ] {
            let expected = OperationName {
                id: id.to_owned(),
                summary: summary.to_owned(),
            };
            assert_eq!(
                operation_name(Api::Management, &method, path),
                expected,
                "{method} {path}"
            );
        }
    }
}
