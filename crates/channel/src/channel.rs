//! One end of a channel after its hello was accepted.

mod event;
mod options;
mod receive;
mod send;
mod timeout;
mod transmit;

pub use event::{AttachError, ChannelEvent, CloseReason, Received, RequestFailure};
pub use options::{ChannelOptions, REQUEST_TIMEOUT};
pub use send::{SendError, SendErrorKind};
pub use timeout::TimeoutReason;
pub use transmit::Transmit;

use crate::channel_kind::{Priority, Role};
use crate::group::{ChannelGrant, GroupId};
use crate::heartbeat::{Heartbeats, Liveness};
use crate::outbox::Outbox;
use crate::pending_requests::PendingRequests;
use crate::time::{Moment, Now};
use crate::underlays::{Phase, UnderlayId, Underlays};
use std::collections::VecDeque;
use std::time::Duration;

/// One end of a channel.
///
/// It has four kinds of methods. *Handlers* (`handle_…`, [`attach`](Self::attach),
/// [`detach`](Self::detach)) report outside events. *Commands* ([`send`](Self::send),
/// [`request`](Self::request), [`reply`](Self::reply), [`close`](Self::close), …) act for the owner
/// of the channel. *Polls* (`poll_…`) return what to do. *Getters* change nothing.
///
/// After each handler or command:
///
/// 1. take [`poll_event`](Self::poll_event) until there is none;
/// 2. for each connection of [`underlays_with_output`](Self::underlays_with_output) whose writer has
///    room, take [`poll_transmit`](Self::poll_transmit); a writer without room does not poll;
/// 3. ask [`poll_timeout`](Self::poll_timeout) when to call [`handle_timeout`](Self::handle_timeout).
///
/// Received frames must be handled before an elapsed deadline; otherwise a program that was suspended
/// considers peers silent whose answers it just has not read yet.
///
/// Instants must not go backwards.
#[derive(Debug)]
pub struct Channel {
    options: ChannelOptions,
    grant: ChannelGrant,
    state: State,
    underlays: Underlays,
    /// Connections whose hellos are being answered.
    reserved: usize,
    outbox: Outbox,
    requests: PendingRequests,
    /// None without connections, or if the protocol has no heartbeats.
    heartbeats: Option<Heartbeats>,
    events: VecDeque<ChannelEvent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Queued frames are still sent until then.
    Closing {
        until: Option<Moment>,
    },
}

impl Channel {
    /// Opens a channel with its first connection, which carries everything until there are others,
    /// whatever type its hello names.
    pub fn open(grant: ChannelGrant, options: ChannelOptions, now: Now) -> (Self, UnderlayId) {
        let mut underlays = Underlays::new(options.kind);
        let first = underlays.insert(Role::Default);
        let channel = Self {
            grant,
            state: State::Open,
            underlays,
            reserved: 0,
            outbox: Outbox::new(options.high_queue, options.default_queue),
            requests: PendingRequests::new(),
            heartbeats: options
                .heartbeats
                .map(|options| Heartbeats::start(options, now.mono)),
            events: VecDeque::new(),
            options,
        };
        (channel, first)
    }

    /// Adds a connection. It must belong to the same group or, if the channel has outlived its
    /// connections, to the successor of that group.
    pub fn attach(
        &mut self,
        grant: &ChannelGrant,
        role: Role,
        now: Now,
    ) -> Result<UnderlayId, AttachError> {
        self.check_room(grant)?;
        if self.underlays.is_empty() {
            self.grant = grant.clone();
            let heartbeats = self.options.heartbeats;
            self.heartbeats = heartbeats.map(|options| Heartbeats::start(options, now.mono));
        }
        Ok(self.change_underlays(|underlays| underlays.insert(role)))
    }

    /// Keeps room for a connection whose hello is about to be accepted, so that nothing but the end of the
    /// channel can speak against it afterwards. Each reservation ends with [`release`](Self::release), at once
    /// before the connection is [attached](Self::attach).
    pub fn reserve(&mut self, grant: &ChannelGrant) -> Result<(), AttachError> {
        self.check_room(grant)?;
        self.reserved += 1;
        Ok(())
    }

    /// Gives up a reservation.
    pub const fn release(&mut self) {
        self.reserved = self.reserved.saturating_sub(1);
    }

    /// What speaks against one more connection.
    fn check_room(&self, grant: &ChannelGrant) -> Result<(), AttachError> {
        if self.state != State::Open {
            return Err(AttachError::Closed);
        }
        let is_empty = self.underlays.is_empty();
        let is_same_group = grant == &self.grant && grant.secret().is_some();
        let takes_its_place = is_empty
            && match (grant.secret(), self.grant.secret()) {
                (Some(new), Some(old)) => new == old,
                // A lost ungrouped connection may be replaced by any other, whatever its id; the
                // caller ensures that both are of the same peer.
                (None, None) => true,
                _ => false,
            };
        if !is_same_group && !takes_its_place {
            return Err(AttachError::WrongGroup);
        }
        if self.underlays.len() + self.reserved >= self.options.max_underlays {
            return Err(AttachError::TooMany {
                limit: self.options.max_underlays,
            });
        }
        Ok(())
    }

    /// Changes the connections, and divides what is queued among those that there are then.
    fn change_underlays<R>(&mut self, change: impl FnOnce(&mut Underlays) -> R) -> R {
        let result = change(&mut self.underlays);
        for priority in Priority::ALL {
            let lanes = self.underlays.lanes(priority);
            self.outbox.queue_mut(priority).divide(lanes);
        }
        result
    }

    /// Removes a connection that has ended. Frames that were handed out for it may be lost and are
    /// not sent again. Unknown connections are ignored.
    pub fn detach(&mut self, underlay: UnderlayId, now: Now) {
        let removed = self.change_underlays(|underlays| underlays.remove(underlay));
        if removed.is_none() {
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

    /// Closes one connection gracefully: it gets no more frames, and its writer is told to close it
    /// after those that it has. The channel goes on with the others.
    pub fn close_underlay(&mut self, underlay: UnderlayId) {
        self.change_underlays(|underlays| underlays.advance_phase(underlay, Phase::Closing));
    }

    /// Closes the channel. There is no goodbye on the wire: queued frames are sent, for a second at
    /// most, and then each connection is closed. Pending requests fail at once.
    pub fn close(&mut self, reason: CloseReason, now: Now) {
        if self.state != State::Open {
            return;
        }
        self.state = State::Closing {
            until: Some(now.mono + self.options.drain_timeout),
        };
        self.heartbeats = None;
        for request in self.requests.drain() {
            let why = RequestFailure::Closed;
            self.events.push_back(ChannelEvent::RequestFailed {
                request,
                reason: why,
            });
        }
        self.events.push_back(ChannelEvent::Closed { reason });
        if reason != CloseReason::Requested || self.underlays.is_empty() {
            self.stop_draining();
        }
    }

    /// Lets no queue hold more than so many bytes from now on, nor more than the options say: memory that
    /// channels share has become scarce, or has become free. What is queued stays, and an empty queue still
    /// accepts one frame of any size.
    pub fn set_queue_allowance(&mut self, bytes: usize) {
        let high = self.options.high_queue.bytes.min(bytes);
        let default = self.options.default_queue.bytes.min(bytes);
        self.outbox.queue_mut(Priority::High).limit_bytes(high);
        self.outbox
            .queue_mut(Priority::Default)
            .limit_bytes(default);
    }

    /// The next event other than received frames.
    pub fn poll_event(&mut self) -> Option<ChannelEvent> {
        self.events.pop_front()
    }

    /// Whether the channel is closed and has no connection left.
    pub fn is_finished(&self) -> bool {
        self.state != State::Open && self.underlays.is_empty()
    }

    /// The id of the group, or of the ungrouped channel.
    pub const fn id(&self) -> &GroupId {
        self.grant.id()
    }

    /// The connections, oldest first.
    pub fn underlays(&self) -> impl Iterator<Item = UnderlayId> {
        self.underlays.ids()
    }

    /// The roles of the connections, oldest first.
    pub fn roles(&self) -> impl Iterator<Item = Role> {
        self.underlays.roles()
    }

    /// Number of frames that wait to be sent.
    pub const fn queued_frames(&self, priority: Priority) -> usize {
        self.outbox.queue(priority).len()
    }

    /// How long messages wait to be sent, by one of them.
    pub fn queue_delay(&self, priority: Priority, now: Now) -> Duration {
        self.outbox.queue(priority).delay(now.mono)
    }

    /// Number of bytes that wait to be sent.
    pub const fn queued_bytes(&self, priority: Priority) -> usize {
        self.outbox.queue(priority).bytes()
    }

    /// Number of requests that wait for their replies.
    pub fn outstanding_requests(&self) -> usize {
        self.requests.len()
    }

    /// The heartbeat status; none without connections or if the protocol has no heartbeats.
    pub fn liveness(&self, now: Now) -> Option<Liveness> {
        let heartbeats = self.heartbeats.as_ref();
        heartbeats.map(|heartbeats| heartbeats.liveness(now.mono))
    }

    /// Drops queued frames: no connection is left to send them, or the time is up.
    fn stop_draining(&mut self) {
        self.outbox.clear();
        self.state = State::Closing { until: None };
    }
}
