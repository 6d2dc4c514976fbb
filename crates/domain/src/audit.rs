//! What the audit trail consists of, and who is responsible for a change, as it names them.

mod event;

pub use event::Event;

use crate::access::{Caller, Origin};
use crate::ids::ApiSessionId;
use std::fmt;

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

/// What tells the audit trail of one store from that of every other, and of a copy that was put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrailId(pub [u8; 16]);

impl fmt::Display for TrailId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}
