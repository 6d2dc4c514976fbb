//! What operations are called, and what they do in a sentence.
//!
//! Most follow from method and path; [`SAID`] has those that do not.

use super::nouns::{one, several, singular};
use super::said::{ON_THE_FABRIC, SAID};
use super::words::capitalised;
use crate::path::Api;
use http::Method;

/// An operation in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// Its `operationId`.
    pub(super) id: String,
    /// What it does.
    pub(super) summary: String,
}

/// The name of the operation `method` on `path` of an API.
pub(super) fn name(api: Api, method: &Method, path: &str) -> Name {
    let others: &[_] = match api {
        Api::Fabric => ON_THE_FABRIC,
        Api::Client | Api::Management | Api::HealthChecks => &[],
    };
    let said = others
        .iter()
        .chain(SAID)
        .find(|(known, at, ..)| *known == method.as_str() && *at == path);
    match said {
        Some((_, _, id, summary)) => Name {
            id: (*id).to_owned(),
            summary: (*summary).to_owned(),
        },
        None => usual(method, path),
    }
}

/// The name of an operation on a collection, or on one of its entities.
fn usual(method: &Method, path: &str) -> Name {
    let segments: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_one = segments.last().is_some_and(|last| last.starts_with('{'));
    let nouns: Vec<_> = segments
        .into_iter()
        .filter(|part| !part.starts_with('{'))
        .collect();
    let (last, outer) = nouns.split_last().unwrap_or((&"root", &[]));
    let stem: String = outer.iter().map(|part| camel(&singular(part))).collect();
    let is_list = *method == Method::GET && !is_one;
    let (verb, does) = match *method {
        Method::GET if is_list => ("list", "Lists"),
        Method::GET => ("detail", "Shows"),
        Method::POST => ("create", "Creates"),
        Method::PUT => ("update", "Replaces"),
        Method::PATCH => ("patch", "Changes members of"),
        _ => ("delete", "Deletes"),
    };
    let (noun, what) = if is_list {
        (camel(last), several(last))
    } else {
        (camel(&singular(last)), one(last))
    };
    let summary = match outer.last() {
        Some(outer) if is_list => format!("{does} the {what} of {}.", one(outer)),
        Some(outer) => format!("{does} {what} of {}.", one(outer)),
        None => format!("{does} {what}."),
    };
    Name {
        id: format!("{verb}{stem}{noun}"),
        summary,
    }
}

/// `edge-routers` as `EdgeRouters`.
fn camel(segment: &str) -> String {
    segment.split('-').map(capitalised).collect()
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
                "Tells what the controller is: version, APIs, capabilities.",
            ),
            (
                Method::DELETE,
                "/api-sessions/{id}",
                "deleteAPISessions",
                "Ends an API session.",
            ),
        ] {
            let expected = Name {
                id: id.to_owned(),
                summary: summary.to_owned(),
            };
            assert_eq!(
                name(Api::Management, &method, path),
                expected,
                "{method} {path}"
            );
        }
    }
}
