//! Circuits whose ends wait for room on a link that they share, as those of one router do.

use crate::support::{Packet, at};
use bytes::Bytes;
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, Flow, Frame, Moment, Priority,
    QueueLimits, Transmit, UnderlayId,
};
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

struct Circuit {
    from: Endpoint,
    to: Endpoint,
    /// What the link had no room for.
    refused: Option<LinkMessage>,
    is_blocked: bool,
    received: usize,
}

/// A link whose writer takes what it can carry, and what is on its way there and back.
struct Link {
    channel: Channel,
    underlay: UnderlayId,
    /// What all circuits send.
    data: Bytes,
    delay: Duration,
    /// Bytes that its connection takes before they are on their way.
    buffer: usize,
    buffered: VecDeque<Frame>,
    buffered_bytes: usize,
    budget: usize,
    there: VecDeque<(Moment, Frame)>,
    back: VecDeque<(Moment, usize, Packet)>,
}

impl Link {
    fn new(delay: Duration, buffer: usize) -> Self {
        let options = ChannelOptions {
            default_queue: QUEUE,
            ..ChannelOptions::new(ChannelKind::Link, ChannelSide::Dialer)
        };
        let grant = ChannelGrant::ungrouped(GroupId::new("link").unwrap());
        let (channel, underlay) = Channel::open(grant, options, at(Moment::ZERO));
        Self {
            channel,
            underlay,
            data: vec![7; SEGMENT].into(),
            delay,
            buffer,
            buffered: VecDeque::new(),
            buffered_bytes: 0,
            budget: 0,
            there: VecDeque::new(),
            back: VecDeque::new(),
        }
    }

    /// Writes what the connection takes.
    fn write(&mut self, now: Moment) {
        while self.buffered_bytes <= self.buffer
            && let Some(Transmit::Frame(frame)) = self.channel.poll_transmit(self.underlay, at(now))
        {
            self.buffered_bytes += frame.wire_len();
            self.buffered.push_back(frame);
        }
    }

    /// Sends as much as fits into a step.
    fn carry(&mut self, now: Moment) {
        self.budget += RATE / 2_000;
        self.write(now);
        while self.budget > 0 {
            let Some(frame) = self.buffered.pop_front() else {
                self.budget = 0;
                return;
            };
            let bytes = frame.wire_len();
            self.budget = self.budget.saturating_sub(bytes);
            self.buffered_bytes -= bytes;
            self.there.push_back((now + self.delay, frame));
            self.write(now);
        }
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

fn race(count: usize, delay: Duration, buffer: usize) -> Report {
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
    let mut link = Link::new(delay, buffer);
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
                link.back.push_back((now + delay, number, packet));
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
    println!("{count} circuits, {delay:?}, {buffer}: {report:?}");
    report
}

/// Who is first in a row is asked first each time: in a queue with one line for all, that one got all. The buffer is
/// that of a connection over TCP, which makes round trips ten times as long as the path.
#[test]
fn the_sum_is_that_of_one_circuit_and_shares_are_equal() {
    for delay in [0, 10, 25].map(Duration::from_millis) {
        for buffer in [0, 8 << 20] {
            let alone = race(1, delay, buffer);
            for count in [2, 4, 8, 16] {
                let report = race(count, delay, buffer);
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
    let report = race(100, Duration::from_millis(10), 8 << 20);
    let share = report.sum / 100;
    assert!(report.least >= share * 9 / 10, "{report:?}");
}
