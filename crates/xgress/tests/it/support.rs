//! What several tests need.

use bytes::BytesMut;
use portcullis_channel::{Frame, FrameLimits, FrameReader, Headers, Moment, Now, UnixNanos};
use portcullis_seeded_random::Random;
use portcullis_wire::link::LinkMessage;
use portcullis_wire::xgress::{Acknowledgement, Payload};
use portcullis_xgress::Endpoint;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Milliseconds since 1970 at the start, whose low 16 bits are those of the recorded frames.
const WALL_MILLIS: u64 = 0x0197_0000_ad5d;

pub(crate) fn at(mono: Moment) -> Now {
    let wall = UnixNanos(WALL_MILLIS * 1_000_000 + mono.as_micros() * 1_000);
    Now { mono, wall }
}

pub(crate) fn at_ms(millis: u64) -> Now {
    at(Moment::from_micros(millis * 1_000))
}

/// What travels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Packet {
    Payload(Payload),
    Acknowledgement(Acknowledgement),
}

impl Packet {
    /// About as many bytes as on the wire.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Payload(payload) => 100 + payload.data.expose().len(),
            Self::Acknowledgement(acknowledgement) => 100 + 4 * acknowledgement.sequences.len(),
        }
    }

    pub(crate) fn deliver(self, endpoint: &mut Endpoint, now: Now) {
        match self {
            Self::Payload(payload) => endpoint.handle_payload(payload, now),
            Self::Acknowledgement(acknowledgement) => {
                endpoint.handle_acknowledgement(&acknowledgement, now);
            },
        }
    }
}

/// How a way treats what it carries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weather {
    pub(crate) delay: Duration,
    /// Added by chance, so that packets overtake each other.
    pub(crate) jitter: Duration,
    /// Of a million.
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
}

impl Weather {
    pub(crate) fn calm(delay: Duration) -> Self {
        Self {
            delay,
            jitter: Duration::ZERO,
            lost: 0,
            doubled: 0,
        }
    }
}

/// One direction between two routers: what is on the way, and what waits to be.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) weather: Weather,
    /// Bytes in a second.
    rate: Option<u64>,
    /// Packets that may wait; others are dropped.
    queue: usize,
    free_at: Moment,
    /// When those that wait depart.
    departures: VecDeque<Moment>,
    random: Random,
    sent: u64,
    travelling: BTreeMap<(Moment, u64), (usize, Packet)>,
    pub(crate) dropped: u64,
}

impl Way {
    pub(crate) fn new(weather: Weather, seed: u64, name: &str) -> Self {
        Self {
            weather,
            rate: None,
            queue: usize::MAX,
            free_at: Moment::ZERO,
            departures: VecDeque::new(),
            random: Random::new(seed, name),
            sent: 0,
            travelling: BTreeMap::new(),
            dropped: 0,
        }
    }

    pub(crate) fn limited(self, rate: u64, queue: usize) -> Self {
        Self {
            rate: Some(rate),
            queue,
            ..self
        }
    }

    pub(crate) fn send(&mut self, circuit: usize, packet: &Packet, now: Moment) {
        if let Some(rate) = self.rate {
            while self
                .departures
                .front()
                .is_some_and(|departure| *departure <= now)
            {
                self.departures.pop_front();
            }
            if self.departures.len() >= self.queue {
                self.dropped += 1;
                return;
            }
            let time = Duration::from_micros(packet.bytes() as u64 * 1_000_000 / rate);
            self.free_at = self.free_at.max(now) + time;
            self.departures.push_back(self.free_at);
        }
        if self.random.below(1_000_000) < self.weather.lost {
            self.dropped += 1;
            return;
        }
        let copies = 1 + u64::from(self.random.below(1_000_000) < self.weather.doubled);
        for _ in 0..copies {
            let jitter = u64::try_from(self.weather.jitter.as_micros()).unwrap();
            let jitter = Duration::from_micros(self.random.below(jitter + 1));
            let arrival = self.free_at.max(now) + self.weather.delay + jitter;
            self.sent += 1;
            let key = (arrival, self.sent);
            self.travelling.insert(key, (circuit, packet.clone()));
        }
    }

    pub(crate) fn next_arrival(&self) -> Option<Moment> {
        self.travelling.keys().next().map(|(arrival, _)| *arrival)
    }

    pub(crate) fn arrive(&mut self, now: Moment) -> Option<(usize, Packet)> {
        let first = self.travelling.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

/// A recorded frame whose name begins like this; the tests of the channel read them too.
pub(crate) fn recorded(beginning: &str) -> Frame {
    let text = include_str!("../../../channel/tests/corpus/frames.txt");
    let mut lines = text.lines();
    let is_wanted = |line: &str| {
        let name = line.strip_prefix("# data plane: ");
        name.is_some_and(|name| name.starts_with(beginning))
    };
    lines
        .find(|line| is_wanted(line))
        .unwrap_or_else(|| panic!("no frame is named {beginning}"));
    let hex = lines.next().unwrap().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let mut bytes: BytesMut = hex.chunks(2).map(byte).collect();
    let reader = FrameReader::new(FrameLimits::default());
    reader.next(&mut bytes).unwrap().unwrap()
}

/// What a recorded frame says.
pub(crate) fn frame(beginning: &str) -> LinkMessage {
    LinkMessage::decode(&recorded(beginning).into_message()).unwrap()
}

pub(crate) fn received_payload(beginning: &str) -> Payload {
    match frame(beginning) {
        LinkMessage::Payload(payload) => payload,
        other => panic!("{other:?} is no payload"),
    }
}

/// Headers by key, without those of the channel.
pub(crate) fn own_headers(headers: &Headers) -> BTreeMap<i32, Vec<u8>> {
    let own = headers.iter().filter(|(key, _)| key.0 >= 128);
    own.map(|(key, value)| (key.0, value.to_vec())).collect()
}
