//! A terminator.

use std::sync::Arc;

use bytes::Bytes;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::{Precedence, Token};

use super::health::Health;
use crate::edge::access::{ApiSession, ServiceSession};
use crate::edge::circuit::Flow;
use crate::edge::host_exchange::{BindKey, BindRequest, BindTerms};
use crate::edge::names::{IdentityId, ServiceId, ServiceSessionId, TerminatorId};

/// A terminator with the bind that hosts it.
#[derive(Debug)]
pub(super) struct Terminator {
    pub(super) id: TerminatorId,
    pub(super) bind: BindKey,
    pub(super) session: ApiSession,
    pub(super) service_session: ServiceSession,
    pub(super) token: Token,
    pub(super) fingerprints: Arc<[String]>,
    pub(super) listener: Option<Bytes>,
    pub(super) terms: BindTerms,
    pub(super) created: Timestamp,
    /// When a controller was last asked to create it.
    pub(super) last_attempt: Option<Timestamp>,
    pub(super) stage: Stage,
    /// The terms have changed since they were sent.
    pub(super) has_changed: bool,
    /// A controller may know it.
    pub(super) was_sent: bool,
    /// The SDK was told that a controller has it.
    pub(super) was_told: bool,
    /// Refusals that ask for another attempt, in a row.
    pub(super) refusals: u32,
    /// Answers that a controller is busy, in a row.
    pub(super) delays: u32,
    pub(super) supports_inspect: bool,
    pub(super) flow: Flow,
    pub(super) router_provides: bool,
    pub(super) inspection: Inspection,
    pub(super) health: Health,
}

/// How far a terminator has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It waits for its turn.
    Queued { turn: u64 },
    /// A controller is asked to create it.
    Creating,
    /// It waits for another attempt.
    Paused,
    /// A controller has it.
    Established,
}

/// Whether the SDK confirms that it has the bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inspection {
    /// It cannot be asked, or has confirmed.
    Settled,
    Pending {
        since: Timestamp,
        asked: u32,
    },
}

/// What distinguishes terminators of an identity. Of two that are the same, the later one counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    identity: IdentityId,
    instance: String,
    of: PlaceOf,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PlaceOf {
    /// A listener, which keeps its id when its SDK connects again.
    Listener(ServiceId, Bytes),
    /// A session, for SDKs that do not name their listeners.
    Session(ServiceSessionId),
}

/// A terminator, as inspections show it.
#[derive(Debug, Clone, Copy)]
pub struct TerminatorView<'a> {
    pub id: &'a TerminatorId,
    pub bind: BindKey,
    pub service: &'a ServiceId,
    pub identity: &'a IdentityId,
    /// Of the listener, if the SDK names it.
    pub listener: Option<&'a [u8]>,
    pub instance: &'a str,
    pub cost: u16,
    pub precedence: Precedence,
    pub created: Timestamp,
    /// When a controller was last asked to create it.
    pub last_attempt: Option<Timestamp>,
    /// A controller is being asked.
    pub is_creating: bool,
    /// A controller has it.
    pub is_established: bool,
    /// The SDK can be asked whether it still has the bind.
    pub supports_inspect: bool,
    /// Where its circuits end.
    pub flow: Flow,
    /// The router numbers the connections of dials.
    pub router_provides: bool,
}

impl Terminator {
    pub(super) fn new(id: TerminatorId, request: BindRequest, now: Timestamp) -> Self {
        let inspection = if request.supports_inspect {
            Inspection::Pending {
                since: now,
                asked: 0,
            }
        } else {
            Inspection::Settled
        };
        Self {
            id,
            bind: request.bind,
            session: request.session,
            service_session: request.service_session,
            token: request.token,
            fingerprints: request.fingerprints,
            listener: request.listener,
            terms: request.terms,
            created: now,
            last_attempt: None,
            stage: Stage::Paused,
            has_changed: false,
            was_sent: false,
            was_told: false,
            refusals: 0,
            delays: 0,
            supports_inspect: request.supports_inspect,
            flow: request.flow,
            router_provides: request.router_provides,
            inspection,
            health: Health::default(),
        }
    }

    pub(super) fn place(&self) -> Place {
        place(
            &self.session,
            &self.service_session,
            self.listener.as_ref(),
            &self.terms,
        )
    }

    pub(super) fn is_established(&self) -> bool {
        self.stage == Stage::Established
    }
}

impl BindRequest {
    pub(super) fn place(&self) -> Place {
        place(
            &self.session,
            &self.service_session,
            self.listener.as_ref(),
            &self.terms,
        )
    }
}

impl<'a> TerminatorView<'a> {
    pub(super) fn of(terminator: &'a Terminator) -> Self {
        Self {
            id: &terminator.id,
            bind: terminator.bind,
            service: &terminator.service_session.service,
            identity: &terminator.session.identity,
            listener: terminator.listener.as_deref(),
            instance: &terminator.terms.instance,
            cost: terminator.terms.cost,
            precedence: terminator.terms.precedence,
            created: terminator.created,
            last_attempt: terminator.last_attempt,
            is_creating: terminator.stage == Stage::Creating,
            is_established: terminator.is_established(),
            supports_inspect: terminator.supports_inspect,
            flow: terminator.flow,
            router_provides: terminator.router_provides,
        }
    }
}

fn place(
    session: &ApiSession,
    service_session: &ServiceSession,
    listener: Option<&Bytes>,
    terms: &BindTerms,
) -> Place {
    Place {
        identity: session.identity.clone(),
        instance: terms.instance.clone(),
        of: match listener {
            Some(listener) => PlaceOf::Listener(service_session.service.clone(), listener.clone()),
            None => PlaceOf::Session(service_session.id.clone()),
        },
    }
}
