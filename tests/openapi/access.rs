//! Access requirements of operations.

use portcullis_domain::access::Access;
use serde_json::{Value, json};

/// Name of the security scheme of session tokens.
const SESSION: &str = "session";

/// The security schemes.
pub(crate) fn security_schemes() -> Value {
    json!({SESSION: {
        "type": "apiKey",
        "in": "header",
        "name": "zt-session",
        "description": "The token of a session. If the authentication policy of an identity requires \
            a second token, that is sent as `Authorization: Bearer` in addition.",
    }})
}

/// The security requirement of an operation.
pub(crate) fn security(access: Access) -> Value {
    match access {
        Access::Public => json!([]),
        _ => json!([{SESSION: []}]),
    }
}

/// The requirement as a short label.
pub(crate) fn label(access: Access) -> String {
    match access {
        Access::Public => "anybody".to_owned(),
        Access::Partial => "partial".to_owned(),
        Access::Full => "session".to_owned(),
        Access::Admin => "admin".to_owned(),
        Access::AdminOrReadOnly => "admin, read-only".to_owned(),
        Access::Granted(subject, verb) => format!("{}.{}", subject.name(), verb.name()),
        Access::GrantedExplicitly(subject, verb) => {
            format!("{}.{}, by name", subject.name(), verb.name())
        },
        Access::GrantedWhole(subject) => format!("{}, as a whole", subject.name()),
    }
}

/// The requirement as a sentence.
pub(crate) fn sentence(access: Access) -> String {
    match access {
        Access::Public => "Needs no session.".to_owned(),
        Access::Partial => "Needs a session; its second factor may still be pending.".to_owned(),
        Access::Full => "Needs a session.".to_owned(),
        Access::Admin => "Needs an administrator.".to_owned(),
        Access::AdminOrReadOnly => {
            "Needs an administrator or the permission `admin_readonly`.".to_owned()
        },
        Access::GrantedExplicitly(subject, verb) => format!(
            "Needs the permission `{}.{}`; `admin_readonly` does not suffice.",
            subject.name(),
            verb.name()
        ),
        Access::GrantedWhole(subject) => format!(
            "Needs the permission `{0}`; `{0}.read` and the like do not suffice.",
            subject.name(),
        ),
        Access::Granted(..) => format!("Needs the permission `{}`.", label(access)),
    }
}
