//! Readers that are slow, and what is sent again until they read.

use super::{acknowledgement, data, end, events, exchange, payload, read, sent};
use crate::support::at_ms;
use bytes::Bytes;
use portcullis_wire::xgress::PayloadFlags;
use portcullis_xgress::{
    EndReason, EndpointEvent, Options, Segment, Side, TimeoutReason, WriteErrorKind,
};

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
    assert_eq!(dialing.stats().last_retransmission, None);
    dialing.handle_timeout(at_ms(60));
    let again = sent(&mut dialing, at_ms(60));
    assert_eq!(again.len(), 2);
    assert_eq!(dialing.stats().last_retransmission, Some(at_ms(60).mono));
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
    assert_eq!(hosting.stats().told_held_bytes, 6);
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
