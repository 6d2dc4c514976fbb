//! What an end holds, however little memory there is and whatever a peer sends.

use super::{STOP, data, end, ends, events, exchange, payload, read, sequence};
use crate::support::at_ms;
use bytes::Bytes;
use portcullis_wire::xgress::{Payload, PayloadFlags, payload_header};
use portcullis_xgress::{
    Endpoint, EndpointEvent, MAX_OVERHEAD, MAX_PAYLOADS, Options, Segment, Side, weight,
};

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

/// Defect 15 of the original: one far ahead lifted the bound of what was kept.
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
