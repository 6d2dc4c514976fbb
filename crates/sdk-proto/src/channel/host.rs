//! Hosting.

use super::EdgeChannel;
use super::dial::{LIBSODIUM, public_key};
use super::transmit::TooLongError;
use crate::bind::{Bind, BindPhase, BindRequest};
use crate::event::{BindEnd, BindId, EdgeEvent};
use crate::refusal::Refusal;
use crate::timers::Timer;
use bytes::Bytes;
use portcullis_channel::Now;
use portcullis_wire::edge::{self as wire, EdgeMessage, HealthEvent, Unbind, UpdateBind};
use portcullis_wire::{Precedence, Token};

/// A bind was not begun, or not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    #[error("the channel has ended")]
    Ended,
    #[error("there are {limit} binds already, the maximum")]
    TooMany { limit: usize },
    #[error("the bind is too long: {0}")]
    TooLong(String),
    #[error("there is no such bind")]
    NotBound,
}

impl EdgeChannel {
    /// Hosts a service. The outcome is [`EdgeEvent::Bound`] or [`EdgeEvent::BindEnded`].
    pub fn bind(&mut self, request: BindRequest, now: Now) -> Result<BindId, BindError> {
        if self.end.is_some() {
            return Err(BindError::Ended);
        }
        let limit = self.options.max_binds;
        if self.connections.binds.len() >= limit {
            return Err(BindError::TooMany { limit });
        }
        let id = self.connections.choose();
        let keys = request.keys.as_ref();
        let message = EdgeMessage::Bind(wire::Bind {
            session_token: request.session.clone(),
            connection: id,
            listener_id: request.listener_id,
            router_provides_connections: true,
            supports_inspect: true,
            supports_bind_success: self.terms.confirms_binds(),
            uses_xgress: self.offers_xgress(request.prefers_xgress),
            public_key: keys.map(|keys| public_key(&keys.public_key())),
            crypto_method: keys.map(|_| Bytes::from_static(LIBSODIUM)),
            cost: request.cost.filter(|cost| *cost > 0),
            precedence: request
                .precedence
                .filter(|precedence| *precedence != Precedence::Default),
            instance_id: request.instance_id,
            instance_secret: request.instance_secret,
            sequence: None,
        });
        self.try_send(&message, None)
            .map_err(|TooLongError(why)| BindError::TooLong(why))?;
        let deadline = now.mono + self.options.bind_timeout;
        let bind = Bind {
            session: request.session,
            keys: request.keys,
            phase: BindPhase::Asked,
        };
        self.connections.binds.insert(BindId(id), bind);
        self.timers.set(Timer::Bind(id), Some(deadline));
        Ok(BindId(id))
    }

    /// Hosts the service no more. Its connections go on, its offers are declined.
    pub fn unbind(&mut self, bind: BindId) -> Result<(), BindError> {
        let session = self.take_bind(bind)?.session;
        self.end_offers(bind);
        self.send(&unbind(bind, session), None);
        Ok(())
    }

    /// Changes cost and precedence of a bind; `None` leaves them as they are.
    pub fn update_bind(
        &mut self,
        bind: BindId,
        cost: Option<u16>,
        precedence: Option<Precedence>,
    ) -> Result<(), BindError> {
        let update = UpdateBind {
            session_token: self.bind_session(bind)?,
            connection: bind.0,
            cost,
            precedence,
            sequence: None,
        };
        self.send(&EdgeMessage::UpdateBind(update), None);
        Ok(())
    }

    /// Tells the outcome of a health check of the hosted program. Routers of OpenZiti 2.1 ignore it.
    pub fn report_health(&mut self, bind: BindId, has_passed: bool) -> Result<(), BindError> {
        let event = HealthEvent {
            session_token: self.bind_session(bind)?,
            connection: bind.0,
            has_passed,
            sequence: None,
        };
        self.send(&EdgeMessage::HealthEvent(event), None);
        Ok(())
    }

    fn bind_session(&self, bind: BindId) -> Result<Token, BindError> {
        let bind = self.connections.binds.get(&bind);
        Ok(bind.ok_or(BindError::NotBound)?.session.clone())
    }

    fn take_bind(&mut self, bind: BindId) -> Result<Bind, BindError> {
        self.timers.set(Timer::Bind(bind.0), None);
        let taken = self.connections.binds.remove(&bind);
        taken.ok_or(BindError::NotBound)
    }

    /// The router has the bind, and the controller will.
    pub(super) fn bind_answered(&mut self, id: BindId) {
        let Some(bind) = self.connections.binds.get_mut(&id) else {
            return;
        };
        self.timers.set(Timer::Bind(id.0), None);
        if bind.phase == BindPhase::Asked {
            bind.phase = BindPhase::Answered;
            if !self.terms.confirms_binds() {
                self.bound(id);
            }
        }
    }

    pub(super) fn bound(&mut self, id: BindId) {
        let Some(bind) = self.connections.binds.get_mut(&id) else {
            self.counters.unfounded += 1;
            return;
        };
        self.timers.set(Timer::Bind(id.0), None);
        if bind.phase != BindPhase::Bound {
            bind.phase = BindPhase::Bound;
            self.events.push_back(EdgeEvent::Bound(id));
        }
    }

    /// The router has ended the bind.
    pub(super) fn bind_ended(&mut self, id: BindId, why: Refusal) {
        self.end_bind(id, BindEnd::Refused(why));
    }

    pub(super) fn bind_timed_out(&mut self, id: BindId) {
        let Some(bind) = self.connections.binds.get(&id) else {
            return;
        };
        let session = bind.session.clone();
        self.end_bind(id, BindEnd::TimedOut);
        self.send(&unbind(id, session), None);
    }

    pub(super) fn end_bind(&mut self, id: BindId, why: BindEnd) {
        if let Ok(bind) = self.take_bind(id) {
            self.end_offers(id);
            let was_bound = bind.phase == BindPhase::Bound;
            self.events.push_back(EdgeEvent::BindEnded {
                bind: id,
                why,
                was_bound,
            });
        }
    }
}

fn unbind(bind: BindId, session_token: Token) -> EdgeMessage {
    EdgeMessage::Unbind(Unbind {
        session_token,
        connection: bind.0,
        sequence: None,
    })
}
