//! One direction of a link, for one circuit.

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

/// How a way treats what it carries.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weather {
    pub(super) delay: Duration,
    /// Most that is added by chance, so that packets overtake each other.
    pub(super) jitter_micros: u64,
    /// Of a thousand.
    pub(super) lost: u64,
    pub(super) doubled: u64,
}

#[derive(Debug)]
pub(super) struct Way {
    weather: Weather,
    random: Random,
    sent: u64,
    travelling: BTreeMap<(Moment, u64), Packet>,
    pub(super) lost: u64,
}

impl Way {
    pub(super) fn new(weather: Weather, seed: u64, name: &str) -> Self {
        Self {
            weather,
            random: Random::new(seed, name),
            sent: 0,
            travelling: BTreeMap::new(),
            lost: 0,
        }
    }

    pub(super) fn send(&mut self, packet: &Packet, now: Moment) {
        if self.random.below(1_000) < self.weather.lost {
            self.lost += 1;
            return;
        }
        let copies = 1 + u64::from(self.random.below(1_000) < self.weather.doubled);
        for _ in 0..copies {
            let jitter = self.random.below(self.weather.jitter_micros + 1);
            let arrival = now + self.weather.delay + Duration::from_micros(jitter);
            self.sent += 1;
            self.travelling.insert((arrival, self.sent), packet.clone());
        }
    }

    pub(super) fn next_arrival(&self) -> Option<Moment> {
        self.travelling.keys().next().map(|(arrival, _)| *arrival)
    }

    pub(super) fn arrive(&mut self, now: Moment) -> Option<Packet> {
        let first = self.travelling.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    pub(super) fn clear(&mut self) {
        self.travelling.clear();
    }
}
