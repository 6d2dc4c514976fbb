//! Which identities are connected.

use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_router::edge::{ChannelId, Denial, IdentityId, Presence};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::connect_event::ConnectTime;

use crate::alarm::Alarm;
use crate::clock::RouterClock;
use crate::controllers::Controllers;

/// The [`Presence`] of a router's SDKs, as its tasks share it.
pub(super) struct Attendance {
    clock: RouterClock,
    presence: Mutex<Presence>,
    controllers: Arc<Controllers>,
    alarm: Alarm,
}

impl Attendance {
    pub(super) fn new(
        presence: Presence,
        controllers: Arc<Controllers>,
        clock: RouterClock,
    ) -> Self {
        Self {
            clock,
            presence: Mutex::new(presence),
            controllers,
            alarm: Alarm::default(),
        }
    }

    /// Tells controllers who is connected.
    pub(super) async fn run(&self) {
        let do_what_is_due = || {
            let now = self.clock.timestamp();
            let report = self.presence.lock().report(now);
            if let Some(events) = report {
                let events = ControlMessage::ConnectEvents(events);
                self.controllers.tell_all(&events);
            }
            self.presence.lock().deadline()
        };
        self.alarm.keep(self.clock, do_what_is_due).await;
    }

    pub(super) fn controller_connected(&self) {
        let now = self.clock.timestamp();
        self.presence.lock().controller_connected(now);
        self.alarm.changed();
    }

    pub(super) fn enter(
        &self,
        channel: ChannelId,
        identity: &IdentityId,
        connection: ConnectTime,
    ) -> Result<(), Denial> {
        let entered = self.presence.lock().enter(channel, identity, connection);
        self.alarm.changed();
        entered
    }

    pub(super) fn leave(&self, channel: ChannelId) {
        self.presence.lock().leave(channel);
        self.alarm.changed();
    }

    pub(super) fn channels_of(&self, identity: &IdentityId) -> Vec<ChannelId> {
        self.presence.lock().channels_of(identity).collect()
    }

    /// Reads who is connected.
    pub(super) fn with<R>(&self, read: impl FnOnce(&Presence) -> R) -> R {
        read(&self.presence.lock())
    }

    /// Number of channels.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.presence.lock().len()
    }
}
