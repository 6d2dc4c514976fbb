//! The channel itself: what both sides have once a hello was accepted.

mod event;
mod options;
mod receive;
mod send;
mod timeout;
mod transmit;

pub use event::{AttachError, ChannelEvent, CloseReason, Received, RequestFailure};
pub use options::{ChannelOptions, REQUEST_TIMEOUT};
pub use send::{Refused, SendError};
pub use timeout::Cause;
pub use transmit::Transmit;

use crate::group::{Grant, GroupId};
use crate::heartbeat::{Heartbeats, Liveness};
use crate::kind::{Priority, Role};
use crate::outbox::Outbox;
use crate::requests::Requests;
use crate::time::{Moment, Now};
use crate::underlays::{Phase, UnderlayId, Underlays};
use std::collections::VecDeque;

/// One side of a channel.
///
/// It has four kinds of methods. *Handlers* (`handle_…`, [`attach`](Self::attach),
/// [`detach`](Self::detach)) are told what happened outside. *Commands* ([`send`](Self::send),
/// [`request`](Self::request), [`reply`](Self::reply), [`close`](Self::close), …) say what our side wants.
/// *Polls* (`poll_…`) give what is to be done. *Getters* change nothing.
///
/// After each handler or command:
///
/// 1. take [`poll_event`](Self::poll_event) until there is none;
/// 2. for each connection of [`with_output`](Self::with_output) whose writer has room, take
///    [`poll_transmit`](Self::poll_transmit); a writer that has no room does not ask;
/// 3. ask [`poll_timeout`](Self::poll_timeout) when to call [`handle_timeout`](Self::handle_timeout).
///
/// What has arrived is handled before a deadline that has passed meanwhile, or a program that was
/// suspended takes peers for silent whose answers it has only not read yet.
///
/// Instants must not go backwards.
#[derive(Debug)]
pub struct Channel {
    options: ChannelOptions,
    grant: Grant,
    state: State,
    underlays: Underlays,
    outbox: Outbox,
    requests: Requests,
    /// None while there is no connection, or if the protocol has none.
    heartbeats: Option<Heartbeats>,
    events: VecDeque<ChannelEvent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// What is queued is still sent, until then.
    Closing {
        until: Option<Moment>,
    },
}

impl Channel {
    /// A channel with its first connection, which carries everything until there are others, whatever
    /// its hello says that it is for.
    pub fn open(grant: Grant, options: ChannelOptions, now: Now) -> (Self, UnderlayId) {
        let mut underlays = Underlays::new(options.kind);
        let first = underlays.insert(Role::Default);
        let channel = Self {
            grant,
            state: State::Open,
            underlays,
            outbox: Outbox::new(options.high_queue, options.default_queue),
            requests: Requests::new(),
            heartbeats: options
                .heartbeats
                .map(|options| Heartbeats::start(options, now.mono)),
            events: VecDeque::new(),
            options,
        };
        (channel, first)
    }

    /// One more connection. It has to be of the same group; if the channel has outlived its connections,
    /// of a group that took that one's place.
    pub fn attach(
        &mut self,
        grant: &Grant,
        role: Role,
        now: Now,
    ) -> Result<UnderlayId, AttachError> {
        if self.state != State::Open {
            return Err(AttachError::Closed);
        }
        let is_empty = self.underlays.is_empty();
        let is_same_group = grant == &self.grant && grant.secret().is_some();
        let takes_its_place = is_empty
            && match (grant.secret(), self.grant.secret()) {
                (Some(new), Some(old)) => new == old,
                // A lone connection that is gone is followed by another one, whatever its id; that
                // they are of the same peer is for whoever attaches it to know.
                (None, None) => true,
                _ => false,
            };
        if !is_same_group && !takes_its_place {
            return Err(AttachError::OtherGroup);
        }
        if self.underlays.len() >= self.options.max_underlays {
            return Err(AttachError::TooMany {
                limit: self.options.max_underlays,
            });
        }
        if is_empty {
            self.grant = grant.clone();
            let heartbeats = self.options.heartbeats;
            self.heartbeats = heartbeats.map(|options| Heartbeats::start(options, now.mono));
        }
        Ok(self.underlays.insert(role))
    }

    /// A connection is gone, whoever ended it. Frames that were handed out for it may be lost; nothing
    /// sends them again. Connections that are not known, or not any more, are ignored.
    pub fn detach(&mut self, underlay: UnderlayId, now: Now) {
        if self.underlays.remove(underlay).is_none() {
            return;
        }
        let kind = self.options.kind;
        if self.state != State::Open {
            if self.underlays.is_empty() {
                self.stop_draining();
            }
        } else if kind.ends_without_default() && !self.underlays.has_default() {
            self.close(CloseReason::ConnectionsLost, now);
        } else if self.underlays.is_empty() {
            if kind.outlives_connections(self.options.side) {
                self.heartbeats = None;
                self.events.push_back(ChannelEvent::Disconnected);
            } else {
                self.close(CloseReason::ConnectionsLost, now);
            }
        }
    }

    /// Ends one connection in order: it gets no more frames, and its writer is told to close it after
    /// those that it has. The channel goes on with the others.
    pub fn close_underlay(&mut self, underlay: UnderlayId) {
        self.underlays.advance(underlay, Phase::Closing);
    }

    /// Ends the channel. There is no goodbye on the wire: what is queued is sent, for a second at most,
    /// and then each connection is closed. Requests fail at once.
    pub fn close(&mut self, reason: CloseReason, now: Now) {
        if self.state != State::Open {
            return;
        }
        self.state = State::Closing {
            until: Some(now.mono + self.options.drain),
        };
        self.heartbeats = None;
        for request in self.requests.drain() {
            let why = RequestFailure::Closed;
            self.events
                .push_back(ChannelEvent::RequestFailed { request, why });
        }
        self.events.push_back(ChannelEvent::Closed { reason });
        if reason != CloseReason::Requested || self.underlays.is_empty() {
            self.stop_draining();
        }
    }

    /// What happened besides frames that arrived.
    pub fn poll_event(&mut self) -> Option<ChannelEvent> {
        self.events.pop_front()
    }

    /// Whether the channel is closed and has no connection left.
    pub fn is_finished(&self) -> bool {
        self.state != State::Open && self.underlays.is_empty()
    }

    /// The id of the group, or of the channel that is none.
    pub const fn id(&self) -> &GroupId {
        self.grant.id()
    }

    /// The connections, by age.
    pub fn underlays(&self) -> impl Iterator<Item = UnderlayId> {
        self.underlays.ids()
    }

    /// Frames that wait to be sent.
    pub fn queued_frames(&self, priority: Priority) -> usize {
        self.outbox.queue(priority).len()
    }

    /// Bytes that wait to be sent.
    pub const fn queued_bytes(&self, priority: Priority) -> usize {
        self.outbox.queue(priority).bytes()
    }

    /// Requests that wait for their replies.
    pub fn outstanding_requests(&self) -> usize {
        self.requests.len()
    }

    /// What heartbeats have shown; nothing without connections, or if the protocol has no heartbeats.
    pub fn liveness(&self, now: Now) -> Option<Liveness> {
        let heartbeats = self.heartbeats.as_ref();
        heartbeats.map(|heartbeats| heartbeats.liveness(now.mono))
    }

    /// Drops what is queued: nobody is left to send it, or time is up.
    fn stop_draining(&mut self) {
        self.outbox.clear();
        self.state = State::Closing { until: None };
    }
}
