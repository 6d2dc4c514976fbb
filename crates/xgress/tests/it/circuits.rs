//! What the two ends of a circuit say to each other, held against recorded frames where there are some.

mod memory;
mod stalling;

use crate::support::{at_ms, frame, own_headers, received_payload, recorded};
use bytes::Bytes;
use portcullis_channel::Now;
use portcullis_wire::edge::DataFlags;
use portcullis_wire::link::LinkMessage;
use portcullis_wire::xgress::{
    Acknowledgement, Payload, PayloadFlags, PayloadSequence, payload_header,
};
use portcullis_xgress::{
    EndReason, Endpoint, EndpointEvent, Options, Received, Segment, Side, TimeoutReason,
    WriteErrorKind,
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
    let ending = |end: &Endpoint| {
        let stats = end.stats();
        (stats.is_finishing, stats.is_sending_over)
    };
    assert_eq!(ending(&dialing), (false, false));
    dialing.finish(now);
    assert_eq!(ending(&dialing), (true, false));
    let late = dialing.write(Segment::from("late"), now).unwrap_err();
    assert_eq!(late.why, WriteErrorKind::Finished);
    exchange(&mut dialing, &mut hosting, now);
    assert_eq!(ending(&dialing), (false, true));
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
