//! Who is responsible for a change, as the audit trail names them.

use crate::access::{Caller, Origin};
use crate::ids::ApiSessionId;

/// Whoever makes a change.
#[derive(Debug, Clone)]
pub struct Actor {
    /// Id of an identity or a router, or the word for the controller itself.
    pub id: String,
    /// The API session through which an identity acts.
    pub session: Option<ApiSessionId>,
    /// Where the request comes from; the controller acts without one.
    pub origin: Option<Origin>,
}

impl Actor {
    /// The controller, by itself or at the wish of whoever runs its program.
    pub fn controller() -> Self {
        Self {
            id: "controller".to_owned(),
            session: None,
            origin: None,
        }
    }

    /// An identity, through one of its sessions.
    pub fn caller(caller: &Caller) -> Self {
        Self {
            id: caller.identity.as_str().to_owned(),
            session: Some(caller.session.clone()),
            origin: Some(caller.origin.clone()),
        }
    }

    /// An identity or router that acts without a session, as in a login or an enrollment.
    pub fn stranger(origin: &Origin, id: &str) -> Self {
        Self {
            id: id.to_owned(),
            session: None,
            origin: Some(origin.clone()),
        }
    }
}
