//! Acknowledgements of small payloads, which wait for something to go with.

use super::{end, ends, exchange, payload, sent, sequence};
use crate::support::at_ms;
use bytes::Bytes;
use portcullis_wire::xgress::PayloadFlags;
use portcullis_xgress::{Endpoint, Options, Segment, Side, TimeoutReason};

/// A hosting end that has heard of the other one, and owes nothing.
fn hosting() -> Endpoint {
    let (mut dialing, mut hosting) = ends();
    exchange(&mut dialing, &mut hosting, at_ms(0));
    assert_eq!(hosting.poll_timeout(), None);
    hosting
}

fn question(hosting: &mut Endpoint) {
    hosting.handle_payload(payload(1, PayloadFlags::default(), "question"), at_ms(5));
}

#[test]
fn an_answer_takes_it_along() {
    let mut hosting = hosting();
    question(&mut hosting);
    assert!(!hosting.has_acknowledgement());
    assert_eq!(hosting.poll_acknowledgement(), None);
    hosting.write(Segment::from("answer"), at_ms(5)).unwrap();
    let acknowledgement = hosting.poll_acknowledgement().unwrap();
    assert_eq!(acknowledgement.sequences, [sequence(1)]);
    assert_eq!(sent(&mut hosting, at_ms(5)).len(), 1);
    let deadline = hosting.poll_timeout().unwrap();
    assert_ne!(deadline.1, TimeoutReason::Acknowledgement);
}

#[test]
fn without_an_answer_it_goes_after_a_millisecond() {
    let mut hosting = hosting();
    question(&mut hosting);
    let deadline = (at_ms(6).mono, TimeoutReason::Acknowledgement);
    assert_eq!(hosting.poll_timeout(), Some(deadline));
    hosting.handle_timeout(at_ms(5));
    assert_eq!(hosting.poll_acknowledgement(), None);
    hosting.handle_timeout(at_ms(6));
    assert_eq!(
        hosting.poll_timeout(),
        None,
        "whether it can be sent or not"
    );
    assert!(hosting.has_acknowledgement());
    assert!(hosting.poll_acknowledgement().is_some());
}

#[test]
fn a_second_payload_ends_it() {
    let mut hosting = hosting();
    question(&mut hosting);
    hosting.handle_payload(payload(2, PayloadFlags::default(), "another"), at_ms(5));
    let acknowledgement = hosting.poll_acknowledgement().unwrap();
    assert_eq!(acknowledgement.sequences, [1, 2].map(sequence));
}

#[test]
fn what_says_more_than_a_little_data_does_not_wait() {
    for flags in [
        PayloadFlags::CIRCUIT_END,
        PayloadFlags::END_OF_STREAM,
        PayloadFlags::RETRANSMITTED,
        PayloadFlags::WRITE_FAILED,
    ] {
        let mut hosting = hosting();
        hosting.handle_payload(payload(1, flags, "x"), at_ms(5));
        assert!(hosting.poll_acknowledgement().is_some(), "{flags:?}");
    }
    for bytes in [0, 1025] {
        let mut hosting = hosting();
        let mut payload = payload(1, PayloadFlags::default(), "");
        payload.data = Bytes::from(vec![1; bytes]).into();
        hosting.handle_payload(payload, at_ms(5));
        assert!(hosting.poll_acknowledgement().is_some(), "{bytes}");
    }
    let mut early = end(Side::Terminator, Options::default());
    early.handle_payload(payload(1, PayloadFlags::default(), "x"), at_ms(5));
    assert!(early.poll_acknowledgement().is_some(), "not started");
}

#[test]
fn the_end_of_a_circuit_takes_it_along() {
    let mut hosting = hosting();
    question(&mut hosting);
    hosting.abort();
    assert!(hosting.poll_acknowledgement().is_some());
}
