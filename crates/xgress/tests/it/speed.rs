//! How fast circuits are in virtual time, alone and beside others.

use crate::support::{Packet, Way, Weather, at};
use bytes::Bytes;
use portcullis_channel::Moment;
use portcullis_xgress::{Endpoint, EndpointEvent, Options, Received, Segment, Side};
use std::sync::Arc;
use std::time::Duration;

/// As ends at routers read from sockets.
const SEGMENT: usize = 10 << 10;
/// Time that a race takes.
const SECONDS: u64 = 10;
/// A second of a link of 100 megabits.
const LINK: u64 = 12_500_000;
/// Payloads that wait for a link at a router, which drops others.
const QUEUE: usize = 128;

struct Circuit {
    from: Endpoint,
    to: Endpoint,
    received: u64,
}

/// Circuits that send as fast as they can through the same two ways.
struct Race {
    now: Moment,
    circuits: Vec<Circuit>,
    ways: [Way; 2],
    data: Bytes,
}

/// What circuits have carried, in bytes in a second.
#[derive(Debug)]
struct Report {
    sum: u64,
    least: u64,
    /// Of a thousand payloads, those that were sent again.
    again: u64,
}

impl Race {
    fn new(count: usize, ways: [Way; 2]) -> Self {
        let options = Arc::new(Options::default());
        let now = at(Moment::ZERO);
        let circuits = (0..count).map(|number| {
            let end = |side| Endpoint::new(side, number.to_string(), options.clone(), now);
            Circuit {
                from: end(Side::Initiator),
                to: end(Side::Terminator),
                received: 0,
            }
        });
        Self {
            now: Moment::ZERO,
            circuits: circuits.collect(),
            ways,
            data: Bytes::from(vec![7; SEGMENT]),
        }
    }

    fn run(mut self) -> Report {
        let end = Moment::ZERO + Duration::from_secs(SECONDS);
        while self.now < end {
            self.turn();
            let arrivals = self.ways.iter().filter_map(Way::next_arrival);
            let ends = self.circuits.iter().flat_map(Circuit::ends);
            let deadlines = ends.filter_map(|end| end.poll_timeout().map(|(at, _)| at));
            let next = arrivals.chain(deadlines).min().unwrap_or(end);
            // Some arrive together, as they are read from a socket.
            self.now = next.max(self.now + Duration::from_micros(500));
        }
        self.report()
    }

    /// Does what is to be done now.
    fn turn(&mut self) {
        let now = at(self.now);
        let [there, back] = &mut self.ways;
        while let Some((circuit, packet)) = there.arrive(self.now) {
            packet.deliver(&mut self.circuits[circuit].to, now);
        }
        while let Some((circuit, packet)) = back.arrive(self.now) {
            packet.deliver(&mut self.circuits[circuit].from, now);
        }
        for (number, circuit) in self.circuits.iter_mut().enumerate() {
            handle_timeout(&mut circuit.from, self.now);
            while circuit.from.is_writable() {
                let segment = Segment::from(self.data.clone());
                circuit.from.write(segment, now).unwrap();
                send(&mut circuit.from, number, there, self.now);
            }
            send(&mut circuit.from, number, there, self.now);
            handle_timeout(&mut circuit.to, self.now);
            while let Some(Received::Segment(segment)) = circuit.to.read(now) {
                circuit.received += segment.data.expose().len() as u64;
            }
            send(&mut circuit.to, number, back, self.now);
        }
    }

    fn report(&self) -> Report {
        let received = self.circuits.iter().map(|circuit| circuit.received);
        let counters = self
            .circuits
            .iter()
            .map(|circuit| circuit.from.stats().counters);
        let again: u64 = counters
            .clone()
            .map(|counters| counters.retransmissions)
            .sum();
        let sent: u64 = counters.map(|counters| counters.sent_payloads).sum();
        Report {
            sum: received.clone().sum::<u64>() / SECONDS,
            least: received.min().unwrap() / SECONDS,
            again: again * 1_000 / sent,
        }
    }
}

impl Circuit {
    fn ends(&self) -> [&Endpoint; 2] {
        [&self.from, &self.to]
    }
}

fn handle_timeout(end: &mut Endpoint, now: Moment) {
    if end.poll_timeout().is_some_and(|(at, _)| at <= now) {
        end.handle_timeout(at(now));
    }
    while let Some(event) = end.poll_event() {
        assert_eq!(event, EndpointEvent::Writable);
    }
}

fn send(end: &mut Endpoint, circuit: usize, way: &mut Way, now: Moment) {
    while let Some(acknowledgement) = end.poll_acknowledgement() {
        way.send(circuit, &Packet::Acknowledgement(acknowledgement), now);
    }
    while let Some(payload) = end.poll_payload(at(now)) {
        way.send(circuit, &Packet::Payload(payload), now);
    }
}

/// Circuits over a link of 100 megabits, or one without a limit, with a delay each way and a share of a
/// million packets that it loses.
fn race(circuits: usize, delay_ms: u64, lost: u64, rate: Option<u64>) -> Report {
    let weather = Weather {
        lost,
        jitter: Duration::from_millis(1),
        ..Weather::calm(Duration::from_millis(delay_ms))
    };
    let there = Way::new(weather, 1, "there");
    let there = match rate {
        Some(rate) => there.limited(rate, QUEUE),
        None => there,
    };
    let report = Race::new(circuits, [there, Way::new(weather, 1, "back")]).run();
    println!("{circuits} circuits, {delay_ms} ms, {lost} lost: {report:?}");
    report
}

/// Users of OpenZiti report that many streams carry less than one (ziti#2577).
#[test]
fn many_circuits_carry_as_much_as_one_and_none_starves() {
    for (delay_ms, lost) in [(0, 0), (20, 10_000), (50, 0), (50, 10_000)] {
        let alone = race(1, delay_ms, lost, Some(LINK));
        assert!(alone.sum > LINK * 8 / 10, "{alone:?}");
        for circuits in [2, 4, 16] {
            let report = race(circuits, delay_ms, lost, Some(LINK));
            assert!(report.sum >= alone.sum * 98 / 100, "{report:?}, {alone:?}");
            let share = alone.sum / circuits as u64;
            assert!(report.least >= share / 4, "{circuits}: {report:?}");
            assert!(report.again < 150, "{circuits}: {report:?}");
        }
    }
}

#[test]
fn losses_by_chance_do_not_stop_a_circuit() {
    for delay_ms in [20, 50] {
        let round_trip_ms = 2 * delay_ms;
        // Reno, with segments of 1460 bytes and one of a hundred lost.
        let tcp = 1_460 * 1_000 / round_trip_ms * 122 / 10;
        let report = race(1, delay_ms, 10_000, None);
        assert!(report.sum > 20 * tcp, "{report:?}, {tcp} by TCP");
        assert!(report.again < 50, "{report:?}");
    }
}

#[test]
fn a_circuit_fills_its_window_where_nothing_is_lost() {
    let report = race(1, 50, 0, None);
    // All but an eighth of 4 MiB in a round trip of 101 ms.
    let window = (4 << 20) * 7 / 8;
    assert!(report.sum > window * 1_000 / 101 * 9 / 10, "{report:?}");
    assert_eq!(report.again, 0);
}
