//! Reading, writing and ending, with the router's part by hand.

use crate::support::{Sdk, data, modern, oidc};
use bytes::Bytes;
use portcullis_sdk_proto::{CloseReason, EdgeEvent, EdgeOptions, Read, ReadError, WriteError};
use portcullis_wire::Secret;
use portcullis_wire::edge::{ConnectionId, Data, DataFlags, EdgeMessage, StateClosed};
use portcullis_wire::xgress::{
    Acknowledgement, Payload, PayloadFlags, PayloadSequence, payload_header,
};
use portcullis_xgress::EndReason;
use std::time::Duration;

fn small() -> Sdk {
    let options = EdgeOptions {
        max_segment: 100,
        send_buffer: 4_000,
        receive_buffer: 4_000,
        ..EdgeOptions::default()
    };
    Sdk::with(&oidc(), modern(), options)
}

fn message(connection: ConnectionId, bytes: impl Into<Bytes>, flags: DataFlags) -> EdgeMessage {
    EdgeMessage::Data(Data {
        connection,
        flags,
        data: Secret::new(bytes.into()),
        ..Data::default()
    })
}

fn payload(sequence: u32, text: &'static str, flags: PayloadFlags) -> Payload {
    Payload {
        connection: Some(ConnectionId(1)),
        circuit_id: "abc".to_owned(),
        sequence: PayloadSequence::new(sequence).unwrap(),
        flags: PayloadFlags::FROM_TERMINATOR | flags,
        data: Secret::new(Bytes::from_static(text.as_bytes())),
        ..Payload::default()
    }
}

/// Acknowledges all payloads that were said; returns their data.
fn acknowledged(sdk: &mut Sdk) -> Vec<Payload> {
    let said = sdk.says();
    let payloads = said.into_iter().filter_map(|message| match message {
        EdgeMessage::Payload(payload) => Some(payload),
        _ => None,
    });
    let payloads: Vec<Payload> = payloads.collect();
    for payload in &payloads {
        sdk.hears(&EdgeMessage::Acknowledgement(Acknowledgement {
            connection: payload.connection,
            circuit_id: payload.circuit_id.clone(),
            flags: PayloadFlags::FROM_TERMINATOR,
            receive_buffer_bytes: Some(0),
            rtt_millis: payload.rtt_millis,
            sequences: vec![payload.sequence],
        }));
    }
    payloads
}

/// A connection whose other end understands half close.
fn half_closable(sdk: &mut Sdk) -> ConnectionId {
    let connection = sdk.connects(true);
    let mut first = payload(0, "", PayloadFlags::default());
    let capabilities = Payload::CAPABILITY_END_OF_STREAM.to_be_bytes().to_vec();
    first
        .headers
        .insert(payload_header::CAPABILITIES, capabilities.into());
    acknowledged(sdk);
    sdk.hears(&EdgeMessage::Payload(first));
    sdk.says();
    connection
}

#[test]
fn a_writer_waits_for_room() {
    let mut sdk = small();
    let connection = sdk.connects(false);
    let mut data = Bytes::from(vec![7; 10_000]);
    let written = sdk.channel.write(connection, &mut data, sdk.now).unwrap();
    assert!((100..4_000).contains(&written), "{written}");
    assert_eq!(data.len(), 10_000 - written);
    let blocked = sdk.channel.write(connection, &mut data, sdk.now);
    assert_eq!(blocked, Err(WriteError::Blocked));
    assert_eq!(sdk.events(), []);
    let said = sdk.says();
    assert_eq!(said.len(), written / 100, "in pieces that are not too long");
    assert_eq!(sdk.event(), EdgeEvent::Writable(connection), "once");
    assert!(sdk.channel.write(connection, &mut data, sdk.now).is_ok());
}

#[test]
fn a_slow_reader_stops_the_channel_and_one_that_is_flooded_ends() {
    let mut sdk = small();
    let connection = sdk.connects(false);
    let mut sent = 0;
    while sdk.channel.wants_input() {
        sdk.hears(&message(connection, vec![1; 1_000], DataFlags::default()));
        sent += 1;
    }
    assert!((2..=4).contains(&sent), "{sent}");
    sdk.reads(connection);
    sdk.reads(connection);
    assert!(sdk.channel.wants_input());
    for _ in 0..100 {
        sdk.hears(&message(connection, vec![1; 1_000], DataFlags::default()));
    }
    assert!(sdk.channel.weight() < 20_000, "{}", sdk.channel.weight());
    let why = CloseReason::Overflow;
    assert!(
        sdk.events()
            .contains(&EdgeEvent::Closed { connection, why })
    );
    assert!(sdk.channel.wants_input(), "it does not stop others");
}

#[test]
fn several_messages_in_one_are_read() {
    let mut sdk = small();
    let connection = sdk.connects(false);
    let flags = DataFlags::MULTIPART_MESSAGE;
    sdk.hears(&message(connection, &b"\x02\0hi\x03\0 yo"[..], flags));
    assert_eq!(sdk.reads(connection), Some(data("hi yo")));
    sdk.hears(&message(connection, &b"\xff"[..], flags));
    let why = ReadError::Closed(CloseReason::Malformed);
    assert_eq!(sdk.channel.read(connection, sdk.now), Err(why));
}

#[test]
fn a_close_by_the_other_end_is_the_end_of_the_stream() {
    let mut sdk = small();
    let connection = sdk.connects(false);
    sdk.hears(&message(connection, &b"bye"[..], DataFlags::default()));
    sdk.hears(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(connection),
        reason: "close called".to_owned(),
        ..StateClosed::default()
    }));
    let why = CloseReason::Peer;
    assert_eq!(
        sdk.events(),
        [
            EdgeEvent::Readable(connection),
            EdgeEvent::Closed {
                connection,
                why: why.clone()
            }
        ]
    );
    assert_eq!(sdk.reads(connection), Some(data("bye")));
    assert_eq!(sdk.reads(connection), Some(Read::Finished));
    let written = sdk.channel.write(connection, &mut "x".into(), sdk.now);
    assert_eq!(written, Err(WriteError::Closed(why)));
    sdk.channel.close(connection, sdk.now);
    assert_eq!(sdk.says(), [], "the router knows");
    assert_eq!(sdk.channel.connections(), 0);
}

#[test]
fn half_close_of_a_circuit_here_is_told_in_both_ways() {
    let mut sdk = small();
    let connection = half_closable(&mut sdk);
    sdk.writes(connection, "bye");
    sdk.channel.finish(connection, sdk.now);
    let written = sdk.channel.write(connection, &mut "x".into(), sdk.now);
    assert_eq!(written, Err(WriteError::Finished));
    let said = acknowledged(&mut sdk);
    let [bye, fin, end] = &said[..] else {
        panic!("{said:?}");
    };
    assert_eq!(bye.data.expose(), "bye");
    let flag = fin.headers.get(&payload_header::DATA_FLAGS).unwrap();
    assert_eq!(flag[..], DataFlags::FIN.bits().to_le_bytes());
    assert_eq!(end.flags, PayloadFlags::END_OF_STREAM);

    sdk.hears(&EdgeMessage::Payload(payload(
        1,
        "too",
        PayloadFlags::default(),
    )));
    assert_eq!(sdk.reads(connection), Some(data("too")));
    sdk.hears(&EdgeMessage::Payload(payload(
        2,
        "",
        PayloadFlags::END_OF_STREAM,
    )));
    assert_eq!(sdk.reads(connection), Some(Read::Finished));
    let why = CloseReason::Finished;
    assert!(
        sdk.events()
            .contains(&EdgeEvent::Closed { connection, why })
    );
    let said = sdk.says();
    assert!(
        matches!(said.last(), Some(EdgeMessage::CircuitClosed(_))),
        "{said:?}"
    );
    sdk.channel.close(connection, sdk.now);
    assert_eq!(sdk.channel.connections(), 0);
}

#[test]
fn the_flag_of_legacy_sdks_ends_the_stream_of_a_circuit_here() {
    let mut sdk = small();
    let connection = half_closable(&mut sdk);
    let mut fin = payload(1, "", PayloadFlags::default());
    let flag = DataFlags::FIN.bits().to_le_bytes().to_vec();
    fin.headers.insert(payload_header::DATA_FLAGS, flag.into());
    sdk.hears(&EdgeMessage::Payload(fin));
    assert_eq!(sdk.event(), EdgeEvent::Readable(connection));
    assert_eq!(sdk.reads(connection), Some(Read::Finished));
    sdk.writes(connection, "still here");
    // The circuit's own end follows, and is not waited for by anybody.
    sdk.hears(&EdgeMessage::Payload(payload(
        2,
        "",
        PayloadFlags::END_OF_STREAM,
    )));
    sdk.channel.finish(connection, sdk.now);
    assert_eq!(acknowledged(&mut sdk).len(), 3);
    let why = CloseReason::Finished;
    assert_eq!(sdk.event(), EdgeEvent::Closed { connection, why });
}

#[test]
fn what_has_arrived_is_read_although_the_circuit_is_gone() {
    let mut sdk = small();
    let connection = half_closable(&mut sdk);
    sdk.hears(&EdgeMessage::Payload(payload(
        1,
        "one",
        PayloadFlags::default(),
    )));
    sdk.hears(&EdgeMessage::Payload(payload(
        2,
        "two",
        PayloadFlags::default(),
    )));
    sdk.hears(&EdgeMessage::Payload(payload(
        4,
        "four",
        PayloadFlags::default(),
    )));
    sdk.hears(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(connection),
        reason: "xgress unrouted".to_owned(),
        ..StateClosed::default()
    }));
    assert_eq!(sdk.reads(connection), Some(data("one")));
    assert_eq!(sdk.reads(connection), Some(data("two")));
    let read = sdk.channel.read(connection, sdk.now);
    assert!(
        matches!(read, Err(ReadError::Closed(CloseReason::Router(_)))),
        "{read:?}"
    );
}

#[test]
fn a_peer_that_does_not_read_any_more_stops_the_writer() {
    let mut sdk = small();
    let connection = half_closable(&mut sdk);
    let mut data = Bytes::from(vec![0; 10_000_000]);
    while sdk.channel.write(connection, &mut data, sdk.now).is_ok() {}
    sdk.hears(&EdgeMessage::Payload(payload(
        1,
        "",
        PayloadFlags::WRITE_FAILED,
    )));
    assert!(sdk.events().contains(&EdgeEvent::Writable(connection)));
    let written = sdk.channel.write(connection, &mut data, sdk.now);
    assert_eq!(written, Err(WriteError::Stopped));
}

#[test]
fn payloads_of_another_circuit_or_connection_are_passed_over() {
    let mut sdk = small();
    let connection = half_closable(&mut sdk);
    let other_circuit = Payload {
        circuit_id: "xyz".to_owned(),
        ..payload(1, "no", PayloadFlags::default())
    };
    let other_connection = Payload {
        connection: Some(ConnectionId(9)),
        ..payload(1, "no", PayloadFlags::default())
    };
    let no_connection = Payload {
        connection: None,
        ..payload(1, "no", PayloadFlags::default())
    };
    for wrong in [other_circuit, other_connection, no_connection] {
        sdk.hears(&EdgeMessage::Payload(wrong));
    }
    sdk.hears(&message(connection, &b"no"[..], DataFlags::default()));
    assert_eq!(sdk.reads(connection), None);
    assert_eq!(sdk.channel.counters().unfounded, 4);
}

#[test]
fn nothing_is_left_of_what_the_owner_has_given_away() {
    for uses_xgress in [false, true] {
        let mut sdk = small();
        let connection = sdk.connects(uses_xgress);
        sdk.writes(connection, "x");
        sdk.channel.abort(connection, sdk.now);
        let written = sdk.channel.write(connection, &mut "x".into(), sdk.now);
        assert_eq!(written, Err(WriteError::NotOpen));
        assert_eq!(
            sdk.channel.read(connection, sdk.now),
            Err(ReadError::NotOpen)
        );
        assert!(!sdk.says().is_empty());
        assert_eq!(sdk.events(), []);
        assert_eq!(sdk.channel.connections(), 0);
    }
}

#[test]
fn what_has_arrived_is_read_although_something_before_the_end_never_comes() {
    let mut sdk = small();
    let connection = half_closable(&mut sdk);
    let one = payload(1, "one", PayloadFlags::default());
    sdk.hears(&EdgeMessage::Payload(one));
    let end = payload(3, "", PayloadFlags::CIRCUIT_END);
    sdk.hears(&EdgeMessage::Payload(end));
    sdk.events();
    sdk.passes(Duration::from_secs(6));
    let why = CloseReason::Circuit(EndReason::PeerEndedEarly);
    let closed = EdgeEvent::Closed {
        connection,
        why: why.clone(),
    };
    assert_eq!(sdk.event(), closed);
    assert_eq!(sdk.reads(connection), Some(data("one")));
    let read = sdk.channel.read(connection, sdk.now);
    assert_eq!(read, Err(ReadError::Closed(why)));
}
