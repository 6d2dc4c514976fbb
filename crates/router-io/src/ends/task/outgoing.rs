//! What an end sends into its circuit.

use std::task::Context;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use portcullis_channel::Now;
use portcullis_forwarding::Activity;
use portcullis_wire::xgress::PayloadFlags;

use super::End;
use crate::circuit_message::CircuitMessage;
use crate::ends::local_side::LocalSide;
use crate::relay::NotForwarded;

/// A message that the next hop has no room for.
pub(super) struct Blocked {
    message: CircuitMessage,
    activity: Activity,
    /// None once there is room.
    room: Option<BoxFuture<'static, ()>>,
}

impl Blocked {
    fn has_room(&mut self, context: &mut Context<'_>) -> bool {
        if let Some(room) = &mut self.room {
            if room.poll_unpin(context).is_pending() {
                return false;
            }
            self.room = None;
        }
        true
    }
}

impl<L: LocalSide> End<L> {
    /// Sends what there is, as long as the next hop has room. Returns whether it has room again now.
    pub(super) fn send(&mut self, context: &mut Context<'_>, now: Now) -> bool {
        let was_blocked = self.blocked.is_some();
        if let Some(mut blocked) = self.blocked.take() {
            if !blocked.has_room(context) {
                self.blocked = Some(blocked);
                return false;
            }
            self.forward(blocked.message, blocked.activity);
        }
        self.send_while_there_is_room(now);
        match &mut self.blocked {
            // Asks to be told of room.
            Some(blocked) => blocked.has_room(context),
            None => was_blocked,
        }
    }

    /// Sends what is left when the circuit is over, if there is room: nothing of it is repeated.
    pub(super) fn send_last(&mut self, now: Now) {
        self.blocked = None;
        self.send_while_there_is_room(now);
    }

    fn send_while_there_is_room(&mut self, now: Now) {
        while self.blocked.is_none()
            && let Some((message, activity)) = self.next_message(now)
        {
            self.forward(message, activity);
        }
    }

    fn forward(&mut self, message: CircuitMessage, activity: Activity) {
        let is_acknowledgement = matches!(message, CircuitMessage::Acknowledgement(_));
        let Err(refused) = self.relay.forward(self.hop, message, activity) else {
            return;
        };
        match refused {
            NotForwarded::Full(message, destination) => {
                self.blocked = Some(Blocked {
                    room: Some(destination.room(&message)),
                    message,
                    activity,
                });
            },
            NotForwarded::NoWay if is_acknowledgement || activity == Activity::NotShown => {
                self.meter.metrics().lost(is_acknowledgement);
            },
            NotForwarded::NoWay => {},
        }
    }

    fn next_message(&mut self, now: Now) -> Option<(CircuitMessage, Activity)> {
        if let Some(acknowledgement) = self.endpoint.poll_acknowledgement() {
            self.meter.acknowledgement_sent();
            let message = CircuitMessage::Acknowledgement(Box::new(acknowledgement));
            return Some((message, Activity::Shown));
        }
        if !self.is_started {
            return None;
        }
        let payload = self.endpoint.poll_payload(now)?;
        let is_repeated = payload.flags.contains(PayloadFlags::RETRANSMITTED);
        let activity = if is_repeated {
            Activity::NotShown
        } else {
            Activity::Shown
        };
        Some((CircuitMessage::Payload(Box::new(payload)), activity))
    }
}
