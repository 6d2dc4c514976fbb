//! Circuits whose ends wait for room on a link that they share, as those of one router do.

use crate::support::{Packet, at};
use bytes::Bytes;
use portcullis_channel::group::{
    Admission, ChannelGrant, GeneratedCredentials, GroupId, GroupLimits, GroupRegistry, GroupSecret,
};
use portcullis_channel::hello::{GroupHello, Grouping, Hello};
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, Flow, Frame, Headers, Moment,
    Priority, QueueLimits, Role, Transmit, UnderlayId,
};
use portcullis_seeded_random::Random;
use portcullis_wire::link::LinkMessage;
use portcullis_xgress::{Endpoint, EndpointEvent, Options, Segment, Side};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

const SEGMENT: usize = 32 << 10;
const SECONDS: u64 = 3;
/// Bytes of the link in a second.
const RATE: usize = 25_000_000;
const STEP: Duration = Duration::from_micros(500);
const QUEUE: QueueLimits = QueueLimits {
    frames: 64,
    bytes: 64 * SEGMENT,
};

const SINGLE: Path = Path {
    delay: Duration::ZERO,
    buffer: 0,
    connections: 1,
    longest_turn: Duration::ZERO,
};

struct Circuit {
    from: Endpoint,
    to: Endpoint,
    /// What the link had no room for.
    refused: Option<LinkMessage>,
    is_blocked: bool,
    received: usize,
}

/// A link whose writers take what it can carry, and what is on its way there and back.
struct Link {
    channel: Channel,
    connections: Vec<Connection>,
    /// What all circuits send.
    data: Bytes,
    path: Path,
    budget: usize,
    random: Random,
    /// The connection that is served now, and until when.
    served: (usize, Moment),
    there: VecDeque<(Moment, Frame)>,
    back: VecDeque<(Moment, usize, Packet)>,
}

/// What is between the ends of a link.
#[derive(Debug, Clone, Copy)]
struct Path {
    /// One way.
    delay: Duration,
    /// Bytes that a connection takes before they are on their way.
    buffer: usize,
    connections: usize,
    /// For how long one of them is served at most while others wait.
    longest_turn: Duration,
}

struct Connection {
    underlay: UnderlayId,
    buffered: VecDeque<Frame>,
    bytes: usize,
}

impl Link {
    fn new(path: Path) -> Self {
        let options = ChannelOptions {
            default_queue: QUEUE,
            ..ChannelOptions::new(ChannelKind::Link, ChannelSide::Dialer)
        };
        let grant = grant();
        let (mut channel, first) = Channel::open(grant.clone(), options, at(Moment::ZERO));
        let mut underlays = vec![first];
        for _ in 1..path.connections {
            let underlay = channel.attach(&grant, Role::Default, at(Moment::ZERO));
            underlays.push(underlay.unwrap());
        }
        let connections = underlays.into_iter().map(|underlay| Connection {
            underlay,
            buffered: VecDeque::new(),
            bytes: 0,
        });
        Self {
            channel,
            connections: connections.collect(),
            data: vec![7; SEGMENT].into(),
            path,
            budget: 0,
            random: Random::new(1, "connections"),
            served: (0, Moment::ZERO),
            there: VecDeque::new(),
            back: VecDeque::new(),
        }
    }

    /// Writes what the connections take.
    fn write(&mut self, now: Moment) {
        for connection in &mut self.connections {
            while connection.bytes <= self.path.buffer
                && let Some(Transmit::Frame(frame)) =
                    self.channel.poll_transmit(connection.underlay, at(now))
            {
                connection.bytes += frame.wire_len();
                connection.buffered.push_back(frame);
            }
        }
    }

    /// Sends as much as fits into a step.
    fn carry(&mut self, now: Moment) {
        self.budget += RATE / 2_000;
        self.write(now);
        while self.budget > 0 {
            let Some(frame) = self.next_frame(now) else {
                self.budget = 0;
                return;
            };
            self.budget = self.budget.saturating_sub(frame.wire_len());
            self.there.push_back((now + self.path.delay, frame));
            self.write(now);
        }
    }

    /// The next frame of the connection that is served, or else of the first one that has any.
    fn next_frame(&mut self, now: Moment) -> Option<Frame> {
        let (mut served, until) = self.served;
        if now >= until {
            served = self.random.index(self.connections.len());
            let longest = u64::try_from(self.path.longest_turn.as_micros()).unwrap();
            let turn = Duration::from_micros(self.random.below(longest));
            self.served = (served, now + turn);
        }
        let (before, after) = self.connections.split_at_mut(served);
        let mut connections = after.iter_mut().chain(before);
        let connection = connections.find(|connection| !connection.buffered.is_empty())?;
        let frame = connection.buffered.pop_front()?;
        connection.bytes -= frame.wire_len();
        Some(frame)
    }
}

/// What admits connections to the link.
fn grant() -> ChannelGrant {
    let group = GroupHello {
        is_first: true,
        ..GroupHello::default()
    };
    let router = "router".to_owned();
    let hello = Hello::new(router, None, Grouping::Grouped(group), Headers::empty());
    let generated = GeneratedCredentials {
        id: GroupId::new("link").unwrap(),
        secret: GroupSecret::new([1; 16]),
    };
    let mut groups: GroupRegistry<(), ()> = GroupRegistry::new(GroupLimits::default());
    match groups.admit(&(), &hello, generated, Moment::ZERO) {
        Admission::New(reservation) => reservation.grant().clone(),
        other => panic!("{other:?}"),
    }
}

/// Sends what the link takes; then waits until it is told of room.
fn send(circuit: &mut Circuit, number: usize, link: &mut Link, now: Moment) {
    let flow = Flow(number as u64 + 1);
    while circuit.from.is_writable() {
        let segment = Segment::from(link.data.clone());
        circuit.from.write(segment, at(now)).unwrap();
    }
    while !circuit.is_blocked {
        let refused = circuit.refused.take();
        let next = refused.or_else(|| circuit.from.poll_payload(at(now)).map(LinkMessage::Payload));
        let Some(message) = next else {
            return;
        };
        let encoded = message.encode().unwrap();
        let sent = link.channel.send_in(flow, Priority::Default, encoded);
        if sent.is_err() {
            circuit.refused = Some(message);
            circuit.is_blocked = !link.channel.wait_for_room(flow, Priority::Default);
        }
    }
}

/// What circuits have carried: together, and the slowest of them.
#[derive(Debug)]
struct Report {
    sum: usize,
    least: usize,
    again: u64,
}

fn race(count: usize, path: Path) -> Report {
    let options = Arc::new(Options::default());
    let end = |number: usize, side| {
        Endpoint::new(side, number.to_string(), options.clone(), at(Moment::ZERO))
    };
    let circuits = (0..count).map(|number| Circuit {
        from: end(number, Side::Initiator),
        to: end(number, Side::Terminator),
        refused: None,
        is_blocked: false,
        received: 0,
    });
    let mut circuits: Vec<_> = circuits.collect();
    let mut link = Link::new(path);
    let mut now = Moment::ZERO;
    while now < Moment::ZERO + Duration::from_secs(SECONDS) {
        now = now + STEP;
        while let Some((_, frame)) = link.there.pop_front_if(|(due, _)| *due <= now) {
            let message = LinkMessage::decode(&frame.into_message()).unwrap();
            let LinkMessage::Payload(payload) = message else {
                panic!("{message:?}");
            };
            let number: usize = payload.circuit_id.parse().unwrap();
            let circuit = &mut circuits[number];
            circuit.to.handle_payload(payload, at(now));
            while let Some(portcullis_xgress::Received::Segment(segment)) = circuit.to.read(at(now))
            {
                circuit.received += segment.data.expose().len();
            }
            while let Some(acknowledgement) = circuit.to.poll_acknowledgement() {
                let packet = Packet::Acknowledgement(acknowledgement);
                link.back.push_back((now + path.delay, number, packet));
            }
        }
        while let Some((_, number, packet)) = link.back.pop_front_if(|(due, ..)| *due <= now) {
            packet.deliver(&mut circuits[number].from, at(now));
        }
        while let Some(event) = link.channel.poll_event() {
            let ChannelEvent::Writable { flow, .. } = event else {
                panic!("{event:?}");
            };
            circuits[usize::try_from(flow.0).unwrap() - 1].is_blocked = false;
        }
        for (number, circuit) in circuits.iter_mut().enumerate() {
            if circuit
                .from
                .poll_timeout()
                .is_some_and(|(due, _)| due <= now)
            {
                circuit.from.handle_timeout(at(now));
            }
            while let Some(event) = circuit.from.poll_event() {
                assert_eq!(event, EndpointEvent::Writable);
            }
            send(circuit, number, &mut link, now);
        }
        link.carry(now);
    }
    let received = circuits.iter().map(|circuit| circuit.received);
    let counters = circuits.iter().map(|circuit| circuit.from.stats().counters);
    let report = Report {
        sum: received.clone().sum(),
        least: received.min().unwrap(),
        again: counters.map(|counters| counters.retransmissions).sum(),
    };
    println!("{count} circuits, {path:?}: {report:?}");
    report
}

/// Who is first in a row is asked first each time: in a queue with one line for all, that one got all. The buffer is
/// that of a connection over TCP, which makes round trips ten times as long as the path.
#[test]
fn the_sum_is_that_of_one_circuit_and_shares_are_equal() {
    for delay in [0, 10, 25].map(Duration::from_millis) {
        for buffer in [0, 8 << 20] {
            let path = Path {
                delay,
                buffer,
                ..SINGLE
            };
            let alone = race(1, path);
            for count in [2, 4, 8, 16] {
                let report = race(count, path);
                let is_as_much = report.sum >= alone.sum * 99 / 100;
                assert!(is_as_much, "{report:?} and {alone:?}");
                let share = report.sum / count;
                assert!(report.least >= share * 9 / 10, "{count}: {report:?}");
                // Nothing is lost, but round trips get longer than ends can know while the buffer fills.
                assert!(report.again <= 50, "{report:?}");
            }
        }
    }
}

#[test]
fn a_hundred_circuits_get_equal_shares() {
    let path = Path {
        delay: Duration::from_millis(10),
        buffer: 8 << 20,
        ..SINGLE
    };
    let report = race(100, path);
    let share = report.sum / 100;
    assert!(report.least >= share * 9 / 10, "{report:?}");
}

/// Connections are served by chance, and each has taken megabytes. When the payloads of a circuit went over all of
/// them, they overtook each other: thousands were sent again for nothing, and windows shrank until a circuit
/// carried hardly anything.
#[test]
fn several_connections_starve_nobody() {
    for buffer in [256 << 10, 1 << 20, 6 << 20] {
        for longest_turn in [2, 30].map(Duration::from_millis) {
            for count in [2, 4, 8, 16] {
                let path = Path {
                    delay: Duration::from_millis(10),
                    buffer,
                    connections: 3,
                    longest_turn,
                };
                let report = race(count, path);
                // Three connections do not divide all circuits equally.
                let share = report.sum / count;
                assert!(report.least >= share / 2, "{count}: {report:?}");
                let payloads = u64::try_from(report.sum / SEGMENT).unwrap();
                assert!(report.again <= payloads / 10, "{count}: {report:?}");
            }
        }
    }
}
