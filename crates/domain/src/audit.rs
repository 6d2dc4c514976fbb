//! Audit trail: events and actors.

mod event;

pub use event::Event;

use crate::access::{Caller, Origin};
use crate::ids::ApiSessionId;
use std::fmt;

/// The originator of a change.
#[derive(Debug, Clone)]
pub struct Actor {
    pub actor_type: ActorType,
    /// Id of an identity or a router, or `controller` or `operator`.
    pub id: String,
    pub session: Option<ApiSessionId>,
    /// `None` when the controller itself or its operator acts.
    pub origin: Option<Origin>,
}

/// Who an [`Actor`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorType {
    Controller,
    /// Whoever works on the store of a stopped controller.
    Operator,
    Identity,
    /// An identity on the management channel.
    ConnectedIdentity,
    /// A router that uses an API.
    Router,
    /// A router on the control channel.
    ConnectedRouter,
}

impl Actor {
    /// The controller itself.
    pub fn controller() -> Self {
        Self::local(ActorType::Controller, "controller")
    }

    /// Whoever works on the store of a stopped controller.
    pub fn operator() -> Self {
        Self::local(ActorType::Operator, "operator")
    }

    fn local(actor_type: ActorType, id: &str) -> Self {
        Self {
            actor_type,
            id: id.to_owned(),
            session: None,
            origin: None,
        }
    }

    /// An identity, through one of its sessions.
    pub fn caller(caller: &Caller) -> Self {
        Self::through_session(ActorType::Identity, caller)
    }

    /// An identity, on the management channel that one of its sessions has opened.
    pub fn connected_caller(caller: &Caller) -> Self {
        Self::through_session(ActorType::ConnectedIdentity, caller)
    }

    fn through_session(actor_type: ActorType, caller: &Caller) -> Self {
        Self {
            actor_type,
            id: caller.identity.as_str().to_owned(),
            session: Some(caller.session.clone()),
            origin: Some(caller.origin.clone()),
        }
    }

    /// An identity that acts without a session, as in a login or an enrollment.
    pub fn without_session(origin: &Origin, id: &str) -> Self {
        Self::remote(ActorType::Identity, origin, id)
    }

    /// A router that uses an API, as in its enrollment.
    pub fn router(origin: &Origin, id: &str) -> Self {
        Self::remote(ActorType::Router, origin, id)
    }

    /// A router on the control channel.
    pub fn connected_router(origin: &Origin, id: &str) -> Self {
        Self::remote(ActorType::ConnectedRouter, origin, id)
    }

    fn remote(actor_type: ActorType, origin: &Origin, id: &str) -> Self {
        Self {
            actor_type,
            id: id.to_owned(),
            session: None,
            origin: Some(origin.clone()),
        }
    }
}

/// Identifies the audit trail of one store; a restored snapshot gets a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditTrailId(pub [u8; 16]);

impl fmt::Display for AuditTrailId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}
