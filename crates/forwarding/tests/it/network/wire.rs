//! One direction of a link.

use portcullis_channel::Moment;
use portcullis_seeded_random::Random;
use portcullis_wire::xgress::{Acknowledgement, Payload};
use std::collections::BTreeMap;
use std::time::Duration;

/// What travels.
#[derive(Debug, Clone)]
pub(super) enum Packet {
    Payload(Payload),
    Acknowledgement(Acknowledgement),
}

impl Packet {
    pub(super) fn circuit(&self) -> &str {
        match self {
            Self::Payload(payload) => &payload.circuit_id,
            Self::Acknowledgement(acknowledgement) => &acknowledgement.circuit_id,
        }
    }
}

/// Packets on their way, which overtake each other a little.
pub(super) struct Wire {
    delay: Duration,
    /// Of a thousand.
    lost: u64,
    random: Random,
    sent: u64,
    travelling: BTreeMap<(Moment, u64), Packet>,
}

impl Wire {
    pub(super) fn new(random: &mut Random) -> Self {
        Self {
            delay: Duration::from_micros(random.below(40_000)),
            lost: [0, 10, 50][random.index(3)],
            random: Random::from_seed(random.next()),
            sent: 0,
            travelling: BTreeMap::new(),
        }
    }

    pub(super) fn send(&mut self, packet: Packet, now: Moment) {
        if self.random.below(1_000) >= self.lost {
            let jitter = Duration::from_micros(self.random.below(3_000));
            self.sent += 1;
            let key = (now + self.delay + jitter, self.sent);
            self.travelling.insert(key, packet);
        }
    }

    pub(super) fn next_arrival(&self) -> Option<Moment> {
        Some(self.travelling.keys().next()?.0)
    }

    pub(super) fn arrive(&mut self, now: Moment) -> Option<Packet> {
        let first = self.travelling.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    pub(super) fn cut(&mut self) {
        self.travelling.clear();
    }
}
