//! What operations demand of their callers, in a description.

use crate::session::ZT_SESSION;
use portcullis_domain::access::Access;
use serde_json::{Value, json};

/// The name of the scheme by which sessions are presented.
const SESSION: &str = "session";

/// How callers prove who they are.
pub(super) fn schemes() -> Value {
    json!({SESSION: {
        "type": "apiKey",
        "in": "header",
        "name": ZT_SESSION.as_str(),
        "description": "The token of a session. Where the authentication policy of an identity demands \
            a second token, that comes under `Authorization: Bearer` besides.",
    }})
}

/// What is demanded, as `OpenAPI` has it.
pub(super) fn security(access: Access) -> Value {
    match access {
        Access::Public => json!([]),
        _ => json!([{SESSION: []}]),
    }
}

/// What is demanded, in a word.
pub(super) fn word(access: Access) -> String {
    match access {
        Access::Public => "anybody".to_owned(),
        Access::Partial => "partial".to_owned(),
        Access::Full => "session".to_owned(),
        Access::Admin => "admin".to_owned(),
        Access::AdminOrReadOnly => "admin, read-only".to_owned(),
        Access::Granted(subject, verb) => format!("{}.{}", subject.name(), verb.name()),
        Access::GrantedByName(subject, verb) => {
            format!("{}.{}, by name", subject.name(), verb.name())
        },
    }
}

/// What is demanded, in a sentence.
pub(super) fn sentence(access: Access) -> String {
    match access {
        Access::Public => "Needs no session.".to_owned(),
        Access::Partial => "Needs a session; one whose second factor is open will do.".to_owned(),
        Access::Full => "Needs a session.".to_owned(),
        Access::Admin => "Needs the rank of an administrator.".to_owned(),
        Access::AdminOrReadOnly => {
            "Needs the rank of an administrator or the permission `admin_readonly`.".to_owned()
        },
        Access::GrantedByName(subject, verb) => format!(
            "Needs the permission `{}.{}`; `admin_readonly` does not suffice.",
            subject.name(),
            verb.name()
        ),
        Access::Granted(..) => format!("Needs the permission `{}`.", word(access)),
    }
}
