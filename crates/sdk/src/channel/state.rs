//! A channel's state machine, and who waits for what it says.

use super::bind::BindState;
use super::offers::OfferSink;
use super::shared::Shared;
use super::stop::Stop;
use portcullis_channel::{Moment, Now, Priority, SendError, SendErrorKind};
use portcullis_sdk_proto::{
    BindEnd, BindId, CloseReason, Connected, DialFailure, EdgeChannel, EdgeEvent, Offer, Outgoing,
};
use portcullis_transport::ChannelHandle;
use portcullis_wire::edge::ConnectionId;
use std::collections::HashMap;
use std::sync::Weak;
use std::task::Waker;
use tokio::sync::{oneshot, watch};

/// What became of a dial.
pub(super) type DialOutcome = Result<Connected, DialFailure>;

pub(crate) struct State {
    pub(super) edge: EdgeChannel,
    /// What this is the state of.
    shared: Weak<Shared>,
    /// A message that found no room in the queue of the channel.
    held: Option<Outgoing>,
    slots: HashMap<ConnectionId, Slot>,
    binds: HashMap<BindId, BindSlot>,
    last_key: u64,
    /// To be woken when the lock is given back.
    pub(super) woken: Vec<Waker>,
    pub(super) planned: Plan,
    pub(super) ends_when_idle: bool,
    /// The router has answered something that it answers only to a session that is good.
    pub(super) is_proven: bool,
    /// When the router has not answered in time.
    pub(super) suspected_at: Option<Moment>,
    /// The session has been replaced by one that the router cannot be shown.
    pub(super) is_outdated: bool,
}

/// A connection that somebody here owns.
#[derive(Debug)]
pub(super) struct Slot {
    /// Tells it from an earlier one with the same number.
    key: u64,
    dial: Option<oneshot::Sender<DialOutcome>>,
    pub(super) reader: Option<Waker>,
    pub(super) writer: Option<Waker>,
    pub(super) end: Option<CloseReason>,
}

#[derive(Debug)]
struct BindSlot {
    state: watch::Sender<BindState>,
    offers: OfferSink,
}

/// A connection by its number, and the key of whoever owns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owned {
    pub(super) id: ConnectionId,
    key: u64,
}

/// What the driver waits for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) has_ended: bool,
    pub(super) wants_input: bool,
    /// A message waits for room in this queue.
    pub(super) held: Option<Priority>,
    pub(super) timeout: Option<Moment>,
}

impl Plan {
    /// Whether there is something to do before what `planned` waits for.
    pub(super) fn is_sooner_than(&self, planned: &Self) -> bool {
        let is_earlier = |at| planned.timeout.is_none_or(|planned| at < planned);
        self.has_ended != planned.has_ended
            || (self.wants_input && !planned.wants_input)
            || (self.held.is_some() && self.held != planned.held)
            || self.timeout.is_some_and(is_earlier)
    }
}

impl State {
    pub(super) fn new(edge: EdgeChannel, shared: Weak<Shared>) -> Self {
        Self {
            edge,
            shared,
            held: None,
            slots: HashMap::new(),
            binds: HashMap::new(),
            last_key: 0,
            woken: Vec::new(),
            planned: Plan::default(),
            ends_when_idle: false,
            is_proven: false,
            suspected_at: None,
            is_outdated: false,
        }
    }

    pub(super) fn plan(&self) -> Plan {
        Plan {
            has_ended: self.edge.end().is_some(),
            wants_input: self.edge.wants_input(),
            held: self.held.as_ref().map(|held| held.priority),
            timeout: self.edge.poll_timeout(),
        }
    }

    /// Gives a connection an owner.
    pub(super) fn own(
        &mut self,
        id: ConnectionId,
        dial: Option<oneshot::Sender<DialOutcome>>,
    ) -> Owned {
        self.last_key += 1;
        let slot = Slot {
            key: self.last_key,
            dial,
            reader: None,
            writer: None,
            end: None,
        };
        let key = slot.key;
        self.slots.insert(id, slot);
        Owned { id, key }
    }

    /// Whether it still belongs to whoever owned it: dials that have failed and offers that are over do not.
    pub(super) fn has(&self, owned: Owned) -> bool {
        self.slot(owned).is_some()
    }

    pub(super) fn slot(&self, owned: Owned) -> Option<&Slot> {
        let slot = self.slots.get(&owned.id);
        slot.filter(|slot| slot.key == owned.key)
    }

    pub(super) fn slot_mut(&mut self, owned: Owned) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(&owned.id);
        slot.filter(|slot| slot.key == owned.key)
    }

    /// The owner goes; what was written is still delivered.
    pub(super) fn release(&mut self, owned: Owned, now: Now) {
        if self.has(owned) {
            self.forget(owned);
            self.edge.close(owned.id, now);
        }
    }

    /// The owner has ended it.
    pub(super) fn forget(&mut self, owned: Owned) {
        self.slots.remove(&owned.id);
    }

    /// The program is done with all its channels.
    pub(super) fn stop(&mut self, stop: Stop, now: Now) {
        if let Stop::By(_) = stop {
            self.release_all(now);
        }
        self.ends_when_idle |= stop != Stop::Never;
    }

    /// The same for all connections, whose owners are told.
    fn release_all(&mut self, now: Now) {
        for (id, slot) in self.slots.drain() {
            self.woken.extend(slot.reader);
            self.woken.extend(slot.writer);
            self.edge.close(id, now);
        }
        for (bind, slot) in self.binds.drain() {
            let end = BindState::Ended(BindEnd::ChannelEnded);
            slot.state.send_replace(end);
            let _is_over = self.edge.unbind(bind);
        }
    }

    pub(super) fn own_bind(
        &mut self,
        id: BindId,
        state: watch::Sender<BindState>,
        offers: OfferSink,
    ) {
        self.binds.insert(id, BindSlot { state, offers });
    }

    /// The owner of a bind goes.
    pub(super) fn release_bind(&mut self, id: BindId) {
        if self.binds.remove(&id).is_some() {
            let _is_over = self.edge.unbind(id);
        }
    }

    /// Follows up after everything that may have changed: tells who waits, and hands on what is for the router.
    pub(super) fn follow_up(&mut self, handle: &ChannelHandle, now: Now) {
        loop {
            self.transmit(handle, now);
            let mut is_quiet = true;
            while let Some(event) = self.edge.poll_event() {
                is_quiet = false;
                self.tell(event);
            }
            let is_idle = self.edge.connections() == 0 && self.edge.binds() == 0;
            if is_quiet && self.ends_when_idle && is_idle && self.has_sent_all() {
                self.ends_when_idle = false;
                self.edge.shut_down(now);
            } else if is_quiet {
                return;
            }
        }
    }

    fn has_sent_all(&self) -> bool {
        self.held.is_none() && !self.edge.has_output()
    }

    /// Hands messages to the channel while it has room for them.
    fn transmit(&mut self, handle: &ChannelHandle, now: Now) {
        loop {
            let outgoing = self.held.take();
            let Some(outgoing) = outgoing.or_else(|| self.edge.poll_transmit(now)) else {
                return;
            };
            let Outgoing {
                message,
                priority,
                reply_to,
                connection,
            } = outgoing;
            let message = match &reply_to {
                Some(request) => message.in_reply_to(request),
                None => message,
            };
            match handle.send(priority, message) {
                Ok(_) => {},
                Err(SendError {
                    message,
                    why: SendErrorKind::QueueFull,
                }) => {
                    self.held = Some(Outgoing {
                        message,
                        priority,
                        reply_to: None,
                        connection,
                    });
                    return;
                },
                // The driver learns of the end by itself.
                Err(error) => tracing::debug!(%error, "nothing goes to the router any more"),
            }
        }
    }

    fn tell(&mut self, event: EdgeEvent) {
        match event {
            EdgeEvent::Connected(connected) => {
                self.is_proven = true;
                let slot = self.slots.get_mut(&connected.connection);
                if let Some(dial) = slot.and_then(|slot| slot.dial.take()) {
                    // If nobody waits, the owner closes it.
                    let _is_given_up = dial.send(Ok(connected));
                }
            },
            EdgeEvent::DialFailed { connection, why } => {
                self.is_proven |= matches!(why, DialFailure::Refused(_));
                let slot = self.slots.remove(&connection);
                if let Some(dial) = slot.and_then(|slot| slot.dial) {
                    let _is_given_up = dial.send(Err(why));
                }
            },
            EdgeEvent::Bound(bind) => {
                self.is_proven = true;
                if let Some(slot) = self.binds.get(&bind) {
                    slot.state.send_replace(BindState::Bound);
                }
            },
            EdgeEvent::BindEnded { bind, why, .. } => {
                if let Some(slot) = self.binds.remove(&bind) {
                    slot.state.send_replace(BindState::Ended(why));
                }
            },
            EdgeEvent::Offered(offer) => self.offer(*offer),
            EdgeEvent::OfferEnded(connection) => {
                self.slots.remove(&connection);
            },
            EdgeEvent::Readable(connection) => self.wake(connection, |slot| slot.reader.take()),
            EdgeEvent::Writable(connection) => self.wake(connection, |slot| slot.writer.take()),
            EdgeEvent::Closed { connection, why } => {
                self.wake(connection, |slot| {
                    slot.end = Some(why);
                    slot.reader.take()
                });
                self.wake(connection, |slot| slot.writer.take());
            },
            EdgeEvent::TokenRefused(refusal) => {
                tracing::warn!(%refusal, "a router has refused the new access token");
            },
            // Sessions are shown as soon as there are new ones, and nothing else was asked for.
            EdgeEvent::TokenNeeded
            | EdgeEvent::TokenAccepted
            | EdgeEvent::Traced(_)
            | EdgeEvent::Services(_)
            | EdgeEvent::PostureState(_)
            | EdgeEvent::Ended(_) => {},
        }
    }

    fn wake(&mut self, id: ConnectionId, take: impl FnOnce(&mut Slot) -> Option<Waker>) {
        let waker = self.slots.get_mut(&id).and_then(take);
        self.woken.extend(waker);
    }

    fn offer(&mut self, offer: Offer) {
        let Some(sink) = self.binds.get(&offer.bind).map(|bind| bind.offers.clone()) else {
            let _is_over = self.edge.refuse(offer.connection, "nobody listens");
            return;
        };
        let id = offer.connection;
        let owned = self.own(id, None);
        if !sink.push(&self.shared, owned, offer) {
            self.slots.remove(&id);
            let _is_over = self
                .edge
                .refuse(id, "too many connections wait to be accepted");
        }
    }
}
