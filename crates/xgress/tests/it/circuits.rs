//! What the two ends of a circuit say to each other, held against recorded frames where there are some.

use crate::support::{at_ms, frame, own_headers, received_payload, recorded};
use bytes::Bytes;
use portcullis_channel::Now;
use portcullis_wire::edge::DataFlags;
use portcullis_wire::link::LinkMessage;
use portcullis_wire::xgress::{
    Acknowledgement, Payload, PayloadFlags, PayloadSequence, payload_header,
};
use portcullis_xgress::{
    EndReason, Endpoint, EndpointEvent, MAX_OVERHEAD, MAX_PAYLOADS, Options, Received, Segment,
    Side, TimeoutReason, WriteErrorKind, weight,
};
use std::sync::Arc;
use std::time::Duration;

const EOF: PayloadFlags = PayloadFlags::END_OF_STREAM;
const END: PayloadFlags = PayloadFlags::CIRCUIT_END;
const STOP: PayloadFlags = PayloadFlags::WRITE_FAILED;
const FROM_TERMINATOR: PayloadFlags = PayloadFlags::FROM_TERMINATOR;

fn end(side: Side, options: Options) -> Endpoint {
    Endpoint::new(side, "abc".to_owned(), Arc::new(options), at_ms(0))
}

fn ends() -> (Endpoint, Endpoint) {
    let end = |side| end(side, Options::default());
    (end(Side::Initiator), end(Side::Terminator))
}

fn sequence(number: u32) -> PayloadSequence {
    PayloadSequence::new(number).unwrap()
}

fn payload(number: u32, flags: PayloadFlags, data: &'static str) -> Payload {
    Payload {
        circuit_id: "abc".to_owned(),
        sequence: sequence(number),
        flags,
        data: Bytes::from_static(data.as_bytes()).into(),
        ..Payload::default()
    }
}

fn acknowledgement(numbers: &[u32], held: u32) -> Acknowledgement {
    Acknowledgement {
        circuit_id: "abc".to_owned(),
        flags: FROM_TERMINATOR,
        receive_buffer_bytes: Some(held),
        rtt_millis: Some(0),
        sequences: numbers.iter().map(|number| sequence(*number)).collect(),
        ..Acknowledgement::default()
    }
}

fn sent(end: &mut Endpoint, now: Now) -> Vec<Payload> {
    std::iter::from_fn(|| end.poll_payload(now)).collect()
}

fn events(end: &mut Endpoint) -> Vec<EndpointEvent> {
    std::iter::from_fn(|| end.poll_event()).collect()
}

/// Lets everything arrive until nothing more is sent.
fn exchange(one: &mut Endpoint, other: &mut Endpoint, now: Now) {
    loop {
        let before = one.has_payload() || other.has_payload();
        let before = before || one.has_acknowledgement() || other.has_acknowledgement();
        if !before {
            return;
        }
        for _ in 0..2 {
            for payload in sent(one, now) {
                other.handle_payload(payload, now);
            }
            while let Some(acknowledgement) = one.poll_acknowledgement() {
                other.handle_acknowledgement(&acknowledgement, now);
            }
            std::mem::swap(one, other);
        }
    }
}

fn read(end: &mut Endpoint, now: Now) -> Vec<Received> {
    std::iter::from_fn(|| end.read(now)).collect()
}

fn data(data: &'static str) -> Received {
    Received::Segment(Segment::from(data))
}

#[test]
fn a_circuit_starts_as_recorded() {
    let (mut dialing, _) = ends();
    let start = dialing.poll_payload(at_ms(0)).unwrap();
    let written = LinkMessage::Payload(start).encode().unwrap();
    let frame = recorded("CircuitStart");
    assert_eq!(written.content_type, frame.content_type());
    assert_eq!(own_headers(&written.headers), own_headers(frame.headers()));
    assert_eq!(&written.body, frame.body());
    assert_eq!(dialing.poll_payload(at_ms(0)), None);
}

#[test]
fn ends_follow_recorded_payloads() {
    let mut hosting = end(Side::Terminator, Options::default());
    let now = at_ms(0);
    hosting.handle_payload(received_payload("CircuitStart"), now);
    for number in 1..4 {
        hosting.handle_payload(payload(number, PayloadFlags::default(), "x"), now);
    }
    hosting.handle_payload(received_payload("EOF seq 4"), now);
    let expected = [data("x"), data("x"), data("x"), Received::EndOfStream];
    assert_eq!(read(&mut hosting, now), expected);

    let mut dialing = end(Side::Initiator, Options::default());
    for number in 0..3 {
        dialing.handle_payload(payload(number, FROM_TERMINATOR, "x"), now);
    }
    dialing.handle_payload(received_payload("payload seq 3"), now);
    dialing.handle_payload(payload(4, FROM_TERMINATOR, "x"), now);
    dialing.handle_payload(received_payload("CircuitEnd seq 5"), now);
    let read = read(&mut dialing, now);
    assert_eq!(read[3..], [data("hi"), data("x"), Received::EndOfStream]);
    assert_eq!(
        events(&mut dialing),
        [EndpointEvent::Ended(EndReason::PeerEnded)]
    );
}

#[test]
fn the_flags_of_sdks_travel_as_headers() {
    let mut hosting = end(Side::Terminator, Options::default());
    for number in 0..6 {
        hosting.handle_payload(payload(number, PayloadFlags::default(), ""), at_ms(0));
    }
    hosting.handle_payload(received_payload("legacy FIN"), at_ms(0));
    let Some(Received::Segment(fin)) = hosting.read(at_ms(0)) else {
        panic!("only the last one has something in it");
    };
    assert!(fin.data_flags().unwrap().contains(DataFlags::FIN));
    assert_eq!(Segment::from("x").data_flags(), None);
    assert_eq!(hosting.read(at_ms(0)), None, "there may be more");
}

#[test]
fn recorded_acknowledgements_make_room() {
    let mut dialing = end(Side::Initiator, Options::default());
    for _ in 0..4 {
        dialing.write(Segment::from("abc"), at_ms(0)).unwrap();
    }
    assert_eq!(sent(&mut dialing, at_ms(0)).len(), 5);
    let LinkMessage::Acknowledgement(two) = frame("ack by terminator") else {
        panic!("an acknowledgement");
    };
    dialing.handle_acknowledgement(&two, at_ms(5));
    let stats = dialing.stats();
    assert_eq!(stats.outstanding_bytes, 6);
    assert_eq!(stats.peer_held_bytes, 10);
    assert_eq!(stats.round_trip, Some(Duration::from_millis(5)));
}

#[test]
fn a_hosting_end_is_silent_until_the_circuit_starts() {
    let (mut dialing, mut hosting) = ends();
    hosting.write(Segment::from("early"), at_ms(0)).unwrap();
    assert_eq!(sent(&mut hosting, at_ms(0)), []);
    assert_eq!(hosting.poll_timeout().unwrap().1, TimeoutReason::Start);

    // Payloads may overtake the start.
    dialing.write(Segment::from("first"), at_ms(0)).unwrap();
    let [start, first] = sent(&mut dialing, at_ms(0)).try_into().unwrap();
    hosting.handle_payload(first, at_ms(1));
    assert_eq!(sent(&mut hosting, at_ms(1)), []);
    hosting.handle_payload(start, at_ms(1));
    assert_eq!(read(&mut hosting, at_ms(1)), [data("first")]);
    let [capabilities, early] = sent(&mut hosting, at_ms(1)).try_into().unwrap();
    assert!(
        capabilities
            .headers
            .contains_key(&payload_header::CAPABILITIES)
    );
    assert_eq!(capabilities.sequence, sequence(0));
    assert_eq!(early.flags, FROM_TERMINATOR);
    dialing.handle_payload(capabilities, at_ms(2));
    assert_eq!(
        read(&mut dialing, at_ms(2)),
        [],
        "nothing of this is for the program"
    );
}

#[test]
fn a_circuit_that_does_not_start_ends() {
    let mut hosting = end(Side::Terminator, Options::default());
    hosting.handle_timeout(at_ms(179_999));
    assert_eq!(events(&mut hosting), []);
    hosting.handle_timeout(at_ms(180_000));
    assert_eq!(
        events(&mut hosting),
        [EndpointEvent::Ended(EndReason::NotStarted)]
    );
    assert!(!hosting.has_payload(), "there is nobody to tell");
}

#[test]
fn each_direction_ends_by_itself() {
    let (mut dialing, mut hosting) = ends();
    let now = at_ms(0);
    dialing.write(Segment::from("request"), now).unwrap();
    exchange(&mut dialing, &mut hosting, now);
    dialing.finish(now);
    let late = dialing.write(Segment::from("late"), now).unwrap_err();
    assert_eq!(late.why, WriteErrorKind::Finished);
    exchange(&mut dialing, &mut hosting, now);
    let heard = read(&mut hosting, now);
    assert_eq!(heard, [data("request"), Received::EndOfStream]);

    hosting.write(Segment::from("answer"), now).unwrap();
    hosting.finish(now);
    exchange(&mut dialing, &mut hosting, now);
    assert_eq!(
        read(&mut dialing, now),
        [data("answer"), Received::EndOfStream]
    );
    exchange(&mut dialing, &mut hosting, now);
    // Nobody waits for five seconds.
    assert_eq!(
        events(&mut dialing),
        [EndpointEvent::Ended(EndReason::Finished)]
    );
    assert!(hosting.has_ended());
}

#[test]
fn the_end_of_a_direction_waits_for_what_the_other_end_understands() {
    let (mut dialing, mut hosting) = ends();
    dialing.finish(at_ms(0));
    let start = sent(&mut dialing, at_ms(0));
    assert_eq!(start.len(), 1, "the other end has not said anything");
    hosting.handle_payload(start[0].clone(), at_ms(1));
    for payload in sent(&mut hosting, at_ms(1)) {
        dialing.handle_payload(payload, at_ms(2));
    }
    let flags = sent(&mut dialing, at_ms(2))
        .iter()
        .map(|payload| payload.flags)
        .collect::<Vec<_>>();
    assert_eq!(flags, [EOF]);

    // One that says nothing understands only the end of the circuit.
    let mut hosting = end(Side::Terminator, Options::default());
    hosting.handle_payload(payload(0, PayloadFlags::CIRCUIT_START, ""), at_ms(0));
    hosting.finish(at_ms(0));
    let last = sent(&mut hosting, at_ms(0)).pop().unwrap();
    assert_eq!(last.flags, END | FROM_TERMINATOR);

    let mut dialing = end(Side::Initiator, Options::default());
    dialing.finish(at_ms(0));
    sent(&mut dialing, at_ms(0));
    dialing.handle_acknowledgement(&acknowledgement(&[0], 0), at_ms(1));
    let patience = (at_ms(30_000).mono, TimeoutReason::Impatience);
    assert_eq!(dialing.poll_timeout(), Some(patience));
    dialing.handle_timeout(at_ms(30_000));
    let last = sent(&mut dialing, at_ms(30_000)).pop().unwrap();
    assert_eq!(last.flags, END);
}

#[test]
fn closing_tells_the_other_end_to_stop() {
    let (mut dialing, mut hosting) = ends();
    let now = at_ms(0);
    exchange(&mut dialing, &mut hosting, now);
    hosting.write(Segment::from("on its way"), now).unwrap();
    dialing.write(Segment::from("last"), now).unwrap();
    dialing.close(now);
    let flags: Vec<_> = sent(&mut dialing, now)
        .into_iter()
        .map(|payload| {
            let flags = payload.flags;
            hosting.handle_payload(payload, now);
            flags
        })
        .collect();
    assert_eq!(flags, [PayloadFlags::default(), EOF, STOP]);
    assert_eq!(events(&mut hosting), [EndpointEvent::PeerStopped]);
    let refused = hosting.write(Segment::from("more"), now).unwrap_err();
    assert_eq!(refused.why, WriteErrorKind::Closed);
    assert_eq!(
        read(&mut hosting, now),
        [data("last"), Received::EndOfStream]
    );
    assert_eq!(
        events(&mut hosting),
        [EndpointEvent::Ended(EndReason::Finished)]
    );
    exchange(&mut dialing, &mut hosting, now);
    assert!(dialing.has_ended());
}

#[test]
fn aborting_is_said_once() {
    let (mut dialing, mut hosting) = ends();
    let now = at_ms(0);
    exchange(&mut dialing, &mut hosting, now);
    dialing.abort();
    let farewell = sent(&mut dialing, now);
    assert_eq!(farewell.len(), 1);
    assert_eq!(farewell[0].flags, END);
    assert_eq!(
        events(&mut dialing),
        [EndpointEvent::Ended(EndReason::Aborted)]
    );
    hosting.handle_payload(farewell[0].clone(), now);
    assert_eq!(read(&mut hosting, now), [Received::EndOfStream]);
    assert_eq!(
        events(&mut hosting),
        [EndpointEvent::Ended(EndReason::PeerEnded)]
    );
    assert!(!hosting.has_payload());

    let (mut dialing, _) = ends();
    dialing.unroute();
    assert_eq!(sent(&mut dialing, now), [], "it would arrive nowhere");
}

#[test]
fn an_end_that_was_overtaken_waits_for_the_rest() {
    let (mut dialing, mut hosting) = ends();
    exchange(&mut dialing, &mut hosting, at_ms(0));
    hosting.handle_payload(payload(2, END, ""), at_ms(0));
    assert_eq!(events(&mut hosting), []);
    assert_eq!(
        hosting.poll_timeout(),
        Some((at_ms(5_000).mono, TimeoutReason::Linger))
    );
    hosting.handle_payload(payload(1, PayloadFlags::default(), "rest"), at_ms(4_000));
    assert_eq!(
        read(&mut hosting, at_ms(4_000)),
        [data("rest"), Received::EndOfStream]
    );
    assert_eq!(
        events(&mut hosting),
        [EndpointEvent::Ended(EndReason::PeerEnded)]
    );

    let (mut dialing, mut hosting) = ends();
    exchange(&mut dialing, &mut hosting, at_ms(0));
    hosting.handle_payload(payload(2, END, ""), at_ms(0));
    hosting.handle_timeout(at_ms(5_000));
    assert_eq!(
        events(&mut hosting),
        [EndpointEvent::Ended(EndReason::PeerEndedEarly)]
    );
}

#[test]
fn what_has_arrived_is_read_after_the_other_end_has_gone() {
    let options = Options {
        receive_buffer: 10,
        ..Options::default()
    };
    let mut hosting = end(Side::Terminator, options);
    hosting.handle_payload(payload(0, PayloadFlags::CIRCUIT_START, ""), at_ms(0));
    hosting.handle_payload(payload(1, PayloadFlags::default(), "eleven byte"), at_ms(0));
    hosting.handle_payload(payload(2, PayloadFlags::default(), "no room"), at_ms(0));
    // An end takes no room. It is not sent again.
    hosting.handle_payload(payload(3, END, ""), at_ms(0));
    assert_eq!(hosting.stats().counters.refused_payloads, 1);
    for second in 1..10 {
        hosting.handle_timeout(at_ms(second * 5_000));
        assert_eq!(events(&mut hosting), []);
    }
    assert_eq!(read(&mut hosting, at_ms(46_000)), [data("eleven byte")]);
    hosting.handle_timeout(at_ms(50_000));
    assert_eq!(
        events(&mut hosting),
        [EndpointEvent::Ended(EndReason::PeerEndedEarly)]
    );
}

#[test]
fn what_is_its_own_is_not_taken() {
    let (mut dialing, _) = ends();
    dialing.handle_payload(payload(0, PayloadFlags::default(), "mine"), at_ms(0));
    let mut own = acknowledgement(&[0], 0);
    own.flags = PayloadFlags::default();
    sent(&mut dialing, at_ms(0));
    dialing.handle_acknowledgement(&own, at_ms(0));
    assert_eq!(dialing.stats().counters.reflected, 2);
    assert_eq!(dialing.stats().outstanding_payloads, 1);
    assert!(!dialing.has_acknowledgement());
}

#[test]
fn duplicates_are_acknowledged_again_and_read_once() {
    let (mut dialing, mut hosting) = ends();
    exchange(&mut dialing, &mut hosting, at_ms(0));
    for number in [2, 2, 1, 1, 2, 0] {
        hosting.handle_payload(payload(number, PayloadFlags::default(), "x"), at_ms(0));
    }
    let acknowledged: Vec<_> = std::iter::from_fn(|| hosting.poll_acknowledgement())
        .flat_map(|acknowledgement| acknowledgement.sequences)
        .map(PayloadSequence::number)
        .collect();
    assert_eq!(acknowledged, [2, 2, 1, 1, 2, 0]);
    assert_eq!(read(&mut hosting, at_ms(0)).len(), 2);
}

#[test]
fn payloads_that_arrived_together_are_acknowledged_together() {
    let mut hosting = end(Side::Terminator, Options::default());
    for number in 0..6 {
        let mut payload = payload(number, PayloadFlags::default(), "abc");
        payload.rtt_millis = Some(u16::try_from(number).unwrap() + 7);
        hosting.handle_payload(payload, at_ms(0));
    }
    let first = hosting.poll_acknowledgement().unwrap();
    assert_eq!(first.sequences, [0, 1, 2, 3].map(sequence));
    assert_eq!(first.rtt_millis, Some(7));
    assert_eq!(first.receive_buffer_bytes, Some(18));
    assert_eq!(first.flags, FROM_TERMINATOR);
    let second = hosting.poll_acknowledgement().unwrap();
    assert_eq!(second.sequences, [4, 5].map(sequence));
    assert_eq!(hosting.poll_acknowledgement(), None);
}

#[test]
fn a_reader_that_catches_up_is_told_of() {
    let mut hosting = end(Side::Terminator, Options::default());
    hosting.handle_payload(payload(0, PayloadFlags::CIRCUIT_START, ""), at_ms(0));
    for number in 1..4 {
        let mut payload = payload(number, PayloadFlags::default(), "");
        payload.data = Bytes::from(vec![1; 10_000]).into();
        hosting.handle_payload(payload, at_ms(0));
    }
    assert_eq!(
        hosting.poll_acknowledgement().unwrap().receive_buffer_bytes,
        Some(30_000)
    );
    hosting.read(at_ms(0));
    assert!(!hosting.has_acknowledgement(), "two thirds are left");
    hosting.read(at_ms(0));
    let update = hosting.poll_acknowledgement().unwrap();
    assert_eq!((update.sequences, update.rtt_millis), (Vec::new(), Some(0)));
    assert_eq!(update.receive_buffer_bytes, Some(10_000));
    hosting.read(at_ms(0));
    assert!(!hosting.has_acknowledgement(), "it is not worth telling");
}

#[test]
fn writers_wait_for_room() {
    let options = Options {
        start_window: 10_000,
        max_window: 10_000,
        ..Options::default()
    };
    let mut dialing = end(Side::Initiator, options);
    dialing
        .write(Segment::from(vec![1; 50_000]), at_ms(0))
        .unwrap();
    let refused = dialing.write(Segment::from("x"), at_ms(0)).unwrap_err();
    assert_eq!(refused.why, WriteErrorKind::Blocked);
    assert_eq!(refused.segment, Segment::from("x"));
    sent(&mut dialing, at_ms(0));
    assert_eq!(events(&mut dialing), []);
    dialing.handle_acknowledgement(&acknowledgement(&[0], 0), at_ms(1));
    assert_eq!(events(&mut dialing), []);
    dialing.handle_acknowledgement(&acknowledgement(&[1], 50_000), at_ms(2));
    // The other end is full, which one more payload will find out.
    assert_eq!(events(&mut dialing), [EndpointEvent::Writable]);
    dialing.write(Segment::from("x"), at_ms(2)).unwrap();
    assert!(dialing.stats().is_blocked_by_peer);
    assert!(!dialing.is_writable());
    dialing.handle_acknowledgement(&acknowledgement(&[], 5_000), at_ms(3));
    assert!(dialing.is_writable());
    assert_eq!(events(&mut dialing), [], "nothing was refused since");
}

#[test]
fn what_is_lost_is_sent_again_as_it_was() {
    let mut dialing = end(Side::Initiator, Options::default());
    for text in ["a", "b", "c"] {
        dialing.write(Segment::from(text), at_ms(0)).unwrap();
    }
    let first = sent(&mut dialing, at_ms(0));
    dialing.handle_acknowledgement(&acknowledgement(&[0, 3], 0), at_ms(40));
    // Half as long again as the round trip.
    assert_eq!(
        dialing.poll_timeout(),
        Some((at_ms(60).mono, TimeoutReason::Loss))
    );
    dialing.handle_timeout(at_ms(60));
    let again = sent(&mut dialing, at_ms(60));
    assert_eq!(again.len(), 2);
    for (again, first) in again.iter().zip(&first[1..]) {
        assert_eq!(again.flags, first.flags | PayloadFlags::RETRANSMITTED);
        assert_eq!((again.sequence, &again.data), (first.sequence, &first.data));
        assert_ne!(again.rtt_millis, first.rtt_millis);
    }
    assert_eq!(dialing.stats().counters.retransmissions, 2);
}

#[test]
fn a_silent_end_is_probed_less_and_less_often() {
    let mut dialing = end(Side::Initiator, Options::default());
    sent(&mut dialing, at_ms(0));
    let mut probes = Vec::new();
    while let Some((at, TimeoutReason::Probe)) = dialing.poll_timeout() {
        let now = at_ms(at.as_micros() / 1_000);
        dialing.handle_timeout(now);
        assert_eq!(sent(&mut dialing, now).len(), 1);
        probes.push(at.as_micros() / 1_000);
    }
    assert_eq!(probes[..5], [200, 400, 800, 1_200, 2_000]);
    assert!(probes.len() < 60, "{} probes in two minutes", probes.len());
    let (at, reason) = dialing.poll_timeout().unwrap();
    assert_eq!(
        (at, reason),
        (at_ms(120_000).mono, TimeoutReason::Unanswered)
    );
    dialing.handle_timeout(at_ms(120_000));
    assert_eq!(
        events(&mut dialing),
        [EndpointEvent::Ended(EndReason::Unanswered)]
    );
}

/// Acknowledgements overtake each other: one that says that there is room may be the last to be believed.
#[test]
fn who_refuses_says_that_there_is_no_room() {
    let options = Options {
        receive_buffer: 1,
        ..Options::default()
    };
    let mut dialing = end(Side::Initiator, Options::default());
    let mut hosting = end(Side::Terminator, options);
    exchange(&mut dialing, &mut hosting, at_ms(0));
    for text in ["first", "second", "third"] {
        dialing.write(Segment::from(text), at_ms(10)).unwrap();
    }
    let [first, second, third] = sent(&mut dialing, at_ms(10)).try_into().unwrap();
    hosting.handle_payload(first, at_ms(10));
    assert_eq!(read(&mut hosting, at_ms(10)), [data("first")]);
    let room = hosting.poll_acknowledgement().unwrap();
    assert_eq!(room.receive_buffer_bytes, Some(0));
    hosting.handle_payload(second, at_ms(10));
    let no_room = hosting.poll_acknowledgement().unwrap();
    assert_eq!(no_room.receive_buffer_bytes, Some(6));
    hosting.handle_payload(third, at_ms(10));
    // It overtakes the other one, and the first payload is sent again.
    dialing.handle_acknowledgement(&no_room, at_ms(20));
    assert_eq!(dialing.stats().peer_held_bytes, 6);
    dialing.handle_timeout(at_ms(1_000));
    let again = sent(&mut dialing, at_ms(1_000));
    assert_eq!(again.first().unwrap().sequence, room.sequences[0]);
    dialing.handle_acknowledgement(&room, at_ms(1_000));
    assert_eq!(dialing.stats().peer_held_bytes, 0, "believed to be empty");
    for second in 1..300 {
        let now = at_ms(1_000 + second * 1_000);
        dialing.handle_timeout(now);
        exchange(&mut dialing, &mut hosting, now);
        assert_eq!(events(&mut dialing), [], "after {second} s");
    }
    assert_eq!(dialing.stats().peer_held_bytes, 6);
    // It reads again: what was refused is on its way only from now on.
    assert_eq!(read(&mut hosting, at_ms(400_000)), [data("second")]);
    exchange(&mut dialing, &mut hosting, at_ms(400_000));
    dialing.handle_timeout(at_ms(400_001));
    assert_eq!(events(&mut dialing), []);
    dialing.handle_timeout(at_ms(420_000));
    exchange(&mut dialing, &mut hosting, at_ms(420_000));
    assert_eq!(read(&mut hosting, at_ms(420_000)), [data("third")]);
}

/// Its answers to probes are no progress.
#[test]
fn who_has_closed_does_not_wait_for_a_reader_that_stalls() {
    let options = Options {
        receive_buffer: 1,
        ..Options::default()
    };
    let mut dialing = end(Side::Initiator, Options::default());
    let mut hosting = end(Side::Terminator, options);
    exchange(&mut dialing, &mut hosting, at_ms(0));
    for text in ["first", "second", "third"] {
        dialing.write(Segment::from(text), at_ms(10)).unwrap();
    }
    dialing.close(at_ms(10));
    for second in 1..30 {
        let now = at_ms(second * 1_000);
        dialing.handle_timeout(now);
        exchange(&mut dialing, &mut hosting, now);
        assert_eq!(events(&mut dialing), [], "after {second} s");
    }
    assert!(dialing.stats().peer_held_bytes > 0);
    dialing.handle_timeout(at_ms(31_000));
    let ended = EndpointEvent::Ended(EndReason::Unanswered);
    assert_eq!(events(&mut dialing), [ended]);
}

#[test]
fn memory_that_is_scarce_bounds_both_directions() {
    let now = at_ms(0);
    let (mut dialing, mut hosting) = ends();
    exchange(&mut dialing, &mut hosting, now);
    let allowance = 16 << 10;
    let segment = Segment::from(vec![1; 10_000]);
    let fill = |dialing: &mut Endpoint| {
        let mut written = 0;
        while dialing.is_writable() {
            dialing.write(segment.clone(), now).unwrap();
            written += 1;
        }
        written
    };
    dialing.set_allowance(allowance, now);
    let mut written = fill(&mut dialing);
    let bound = allowance + weight(&segment.headers, &segment.data);
    assert!((allowance..=bound).contains(&dialing.weight()));
    dialing.write(segment.clone(), now).unwrap_err();
    // There is memory again.
    dialing.set_allowance(usize::MAX, now);
    assert_eq!(events(&mut dialing), [EndpointEvent::Writable]);
    written += fill(&mut dialing);
    assert!(dialing.weight() > 2 * bound);

    hosting.set_allowance(allowance, now);
    exchange(&mut dialing, &mut hosting, now);
    assert!((allowance..=bound).contains(&hosting.weight()));
    assert!(hosting.stats().counters.refused_payloads > 0);
    hosting.set_allowance(usize::MAX, now);
    let mut received = 0;
    for second in 1..100 {
        let now = at_ms(second * 1_000);
        dialing.handle_timeout(now);
        exchange(&mut dialing, &mut hosting, now);
        received += read(&mut hosting, now).len();
    }
    assert_eq!((dialing.weight(), received), (0, written));
}

#[test]
fn sequences_far_ahead_are_not_kept() {
    let mut hosting = end(Side::Terminator, Options::default());
    hosting.handle_payload(payload(65_536, PayloadFlags::default(), "near"), at_ms(0));
    hosting.handle_payload(payload(65_537, PayloadFlags::default(), "far"), at_ms(0));
    hosting.handle_payload(payload(i32::MAX.unsigned_abs(), STOP, "farther"), at_ms(0));
    let stats = hosting.stats();
    assert_eq!(
        (stats.held_payloads, stats.counters.refused_payloads),
        (1, 2)
    );
    assert_eq!(
        events(&mut hosting),
        [],
        "what was refused says nothing either"
    );
    assert_eq!(
        hosting.poll_acknowledgement().unwrap().sequences,
        [sequence(65_536)]
    );
}

#[test]
fn an_idle_end_is_small() {
    let (mut dialing, mut hosting) = ends();
    exchange(&mut dialing, &mut hosting, at_ms(0));
    assert!(
        size_of::<Endpoint>() < 1_200,
        "{} bytes",
        size_of::<Endpoint>()
    );
    assert_eq!(dialing.poll_timeout(), None, "and nothing wakes it");
    assert_eq!(hosting.poll_timeout(), None);
}

/// What payloads have in headers counts for no window, but takes memory.
#[test]
fn memory_is_bounded_whatever_is_in_headers() {
    let options = Options::default();
    let (window, buffer) = (options.max_window as usize, options.receive_buffer as usize);
    let header = Bytes::from(vec![1; Payload::MAX_HEADER_BYTES - 8]);
    let (now, one) = (at_ms(0), 2 << 10);
    let (mut dialing, mut hosting) = ends();
    // The next in order is missing, so that as much as possible waits before something can be read.
    let order = (MAX_PAYLOADS..4 * MAX_PAYLOADS).chain(0..MAX_PAYLOADS);
    for number in order {
        hosting.handle_payload(
            Payload {
                headers: [(7, header.clone())].into(),
                ..payload(u32::try_from(number).unwrap(), PayloadFlags::default(), "")
            },
            now,
        );
        while hosting.poll_acknowledgement().is_some() {}
    }
    let stats = hosting.stats();
    assert_eq!(stats.held_bytes, 0);
    let both = 2 * (buffer + MAX_OVERHEAD + one);
    assert!(stats.held_weight <= both, "{stats:?}");
    assert!(stats.held_weight > buffer + MAX_OVERHEAD, "{stats:?}");
    // What was read makes room.
    let next = stats.next_received;
    while hosting.read(now).is_some() {}
    hosting.handle_payload(payload(next, PayloadFlags::default(), "more"), now);
    assert_eq!(hosting.read(now), Some(data("more")));

    let segment = Segment {
        headers: [(7, header)].into(),
        ..Segment::default()
    };
    while dialing.is_writable() {
        dialing.write(segment.clone(), now).unwrap();
    }
    let stats = dialing.stats();
    assert!(
        stats.outstanding_weight <= window + MAX_OVERHEAD + one,
        "{stats:?}"
    );
    assert!(stats.outstanding_payloads < MAX_PAYLOADS, "{stats:?}");
}

/// Peers count data only: what they may send by their window has room.
#[test]
fn a_window_of_small_payloads_has_room_with_the_headers_of_sdks() {
    let mut hosting = end(Side::Terminator, Options::default());
    let now = at_ms(0);
    let payloads = u32::try_from((4 << 20) / 1_024).unwrap();
    for number in 0..payloads {
        hosting.handle_payload(
            Payload {
                headers: [
                    (payload_header::UUID, Bytes::from_static(&[1; 16])),
                    (
                        payload_header::DATA_FLAGS,
                        Bytes::from_static(&[8, 0, 0, 0]),
                    ),
                ]
                .into(),
                data: Bytes::from_static(&[1; 1_024]).into(),
                ..payload(number, PayloadFlags::default(), "")
            },
            now,
        );
        while hosting.poll_acknowledgement().is_some() {}
    }
    let stats = hosting.stats();
    assert_eq!(stats.counters.refused_payloads, 0, "{stats:?}");
    assert_eq!(stats.held_bytes, 4 << 20);
}
