//! Recorded payloads, acknowledgements and traces.

use crate::support::{one, own_headers, recorded};
use bytes::Bytes;
use portcullis_channel::{HeaderKey, Headers, Message, Priority};
use portcullis_wire::edge::EdgeMessage;
use portcullis_wire::link::LinkMessage;
use portcullis_wire::xgress::{
    Acknowledgement, ConnectionId, Control, ControlKind, Payload, PayloadFlags, PayloadSequence,
    payload_header,
};

const PROTOCOL: &str = "data plane";

fn decoded(beginning: &str) -> LinkMessage {
    LinkMessage::decode(&one(PROTOCOL, beginning)).unwrap()
}

fn sequence(number: u32) -> PayloadSequence {
    PayloadSequence::new(number).unwrap()
}

fn payload(number: u32, flags: PayloadFlags) -> Payload {
    Payload {
        circuit_id: "abc".to_owned(),
        sequence: sequence(number),
        flags,
        rtt_millis: Some(0xad5d),
        ..Payload::default()
    }
}

#[test]
fn recorded_messages_of_circuits_are_written_as_they_were_recorded() {
    let mut known = 0;
    for (name, frame) in recorded(PROTOCOL) {
        let recorded = frame.into_message();
        let decoded = LinkMessage::decode(&recorded).unwrap();
        if matches!(decoded, LinkMessage::Unknown(_)) {
            continue;
        }
        known += 1;
        let written = decoded.encode().unwrap();
        assert_eq!(written.content_type, recorded.content_type, "{name}");
        assert_eq!(written.body, recorded.body, "{name}");
        assert_eq!(
            own_headers(&written.headers),
            own_headers(&recorded.headers),
            "{name}"
        );
        let at_edge = EdgeMessage::decode(&recorded).unwrap();
        assert_eq!(at_edge.encode().unwrap(), written, "{name}");
    }
    assert_eq!(known, 9);
}

#[test]
fn payloads() {
    let capabilities = Payload::CAPABILITY_END_OF_STREAM.to_be_bytes();
    let start = Payload {
        headers: [(
            payload_header::CAPABILITIES,
            Bytes::copy_from_slice(&capabilities),
        )]
        .into(),
        ..payload(0, PayloadFlags::CIRCUIT_START)
    };
    let data = Payload {
        rtt_millis: Some(0xa387),
        data: Bytes::from_static(b"hi").into(),
        ..payload(3, PayloadFlags::FROM_TERMINATOR)
    };
    let end_of_stream = payload(4, PayloadFlags::END_OF_STREAM);
    let end = payload(5, PayloadFlags::CIRCUIT_END | PayloadFlags::FROM_TERMINATOR);
    let fin = Payload {
        headers: [(
            payload_header::DATA_FLAGS,
            Bytes::from_static(&[1, 0, 0, 0]),
        )]
        .into(),
        ..payload(6, PayloadFlags::default())
    };
    for (beginning, expected) in [
        ("CircuitStart", start),
        ("payload seq 3", data),
        ("EOF seq 4", end_of_stream),
        ("CircuitEnd seq 5", end),
        ("legacy FIN", fin),
    ] {
        let message = decoded(beginning);
        assert_eq!(message.priority(), Priority::Default);
        assert_eq!(message, LinkMessage::Payload(expected));
    }
}

#[test]
fn a_payload_needs_a_circuit_and_a_sequence_number() {
    let recorded = one(PROTOCOL, "payload seq 3");
    for (key, replacement, said) in [
        (
            2256,
            None,
            "Payload: header 2256 (circuit_id) is missing or unreadable",
        ),
        (
            2257,
            None,
            "Payload: header 2257 (sequence) is missing or unreadable",
        ),
        (
            2257,
            Some(1_u64 << 31),
            "Payload: header 2257 (sequence) is missing or unreadable",
        ),
    ] {
        let others = recorded.headers.iter().filter(|(found, _)| found.0 != key);
        let mut headers = others.fold(Headers::builder(), |all, (key, value)| {
            all.bytes(key, value)
        });
        if let Some(number) = replacement {
            headers = headers.u64(HeaderKey(key), number);
        }
        let message = Message::new(recorded.content_type).with_headers(headers.build());
        let refused = LinkMessage::decode(&message).unwrap_err();
        assert_eq!(refused.to_string(), said);
    }
}

#[test]
fn acknowledgements() {
    let two = Acknowledgement {
        circuit_id: "abc".to_owned(),
        flags: PayloadFlags::FROM_TERMINATOR,
        receive_buffer_bytes: Some(10),
        rtt_millis: Some(0x1234),
        sequences: vec![sequence(3), sequence(4)],
        ..Acknowledgement::default()
    };
    let none = Acknowledgement {
        circuit_id: "abc".to_owned(),
        receive_buffer_bytes: Some(0),
        rtt_millis: Some(0),
        ..Acknowledgement::default()
    };
    let of_sdk = Acknowledgement {
        circuit_id: "1ZZJRJsTH6dXbnLAIJOCdo".to_owned(),
        receive_buffer_bytes: Some(24),
        rtt_millis: Some(0xdc20),
        sequences: vec![sequence(1)],
        ..Acknowledgement::default()
    };
    for (beginning, expected) in [
        ("ack by terminator", two),
        ("empty ack by initiator", none),
        ("ack SDK", of_sdk),
    ] {
        let message = decoded(beginning);
        assert_eq!(message.priority(), Priority::High);
        assert_eq!(message, LinkMessage::Acknowledgement(expected));
    }
}

#[test]
fn an_acknowledgement_is_a_list_of_sequence_numbers() {
    let recorded = one(PROTOCOL, "ack by terminator");
    for body in [&b"\0\0\0"[..], b"\0\0\0\x03\0", b"\x80\0\0\0"] {
        let message = recorded.clone().with_body(body);
        let refused = LinkMessage::decode(&message).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "Acknowledgement: the body (sequences) is not a list of sequence numbers"
        );
    }
}

#[test]
fn a_connection_is_told_on_channels_of_sdks() {
    let with = Payload {
        connection: Some(ConnectionId(7)),
        ..payload(1, PayloadFlags::RETRANSMITTED)
    };
    let message = EdgeMessage::Payload(with.clone()).encode().unwrap();
    assert_eq!(message.headers.u32(HeaderKey(1000)), Some(7));
    assert_eq!(
        EdgeMessage::decode(&message).unwrap(),
        EdgeMessage::Payload(with)
    );
}

#[test]
fn a_trace_passes_on_what_it_does_not_know() {
    let recorded = one(PROTOCOL, "control: trace route");
    let trace = Control {
        kind: ControlKind::TraceRoute,
        circuit_id: "abc".to_owned(),
        hops: Some(2),
        time_millis: Some(1000),
        ..Control::default()
    };
    assert_eq!(
        LinkMessage::decode(&recorded).unwrap(),
        LinkMessage::Control(trace.clone())
    );

    let unknown = Headers::builder().u32(HeaderKey(1000), 7).build();
    let answer = Control {
        kind: ControlKind::TraceRouteAnswer,
        hop_kind: Some("forwarder".to_owned()),
        hop_id: Some("r1".to_owned()),
        user_value: Some(3),
        error: Some("no route".to_owned()),
        others: unknown,
        ..trace
    };
    let message = LinkMessage::Control(answer.clone()).encode().unwrap();
    assert_eq!(message.body[0], 2);
    assert_eq!(
        LinkMessage::decode(&message).unwrap(),
        LinkMessage::Control(answer)
    );
    // What belongs to the channel that it came over is not passed on.
    let beat = Headers::builder()
        .append(&message.headers)
        .u64(HeaderKey(5), 1);
    let with_beat = message.clone().with_headers(beat.build());
    let read = LinkMessage::decode(&with_beat).unwrap();
    assert_eq!(read.encode().unwrap(), message);
    for body in [&b""[..], b"\x01\xff"] {
        assert!(LinkMessage::decode(&recorded.clone().with_body(body)).is_err());
    }
}

/// They wait with the data, but no window counts them.
#[test]
fn payloads_with_more_in_headers_than_anybody_needs_are_refused() {
    let with_headers = |count: u8, length: usize| {
        let headers = (0..count).map(|key| (key, Bytes::from(vec![1; length])));
        let written = LinkMessage::Payload(Payload {
            headers: headers.collect(),
            ..payload(1, PayloadFlags::default())
        });
        let message = written.encode().unwrap();
        assert_eq!(
            EdgeMessage::decode(&message).is_ok(),
            LinkMessage::decode(&message).is_ok()
        );
        LinkMessage::decode(&message).map(|read| assert_eq!(read, written))
    };
    assert_eq!(with_headers(3, 64), Ok(()));
    assert_eq!(with_headers(1, Payload::MAX_HEADER_BYTES - 8), Ok(()));
    for (count, length) in [(1, Payload::MAX_HEADER_BYTES - 7), (200, 0), (255, 200)] {
        let error = with_headers(count, length).unwrap_err();
        let said = "Payload: more than 1024 bytes of headers that travel from end to end";
        assert_eq!(error.to_string(), said, "{count} of {length}");
    }
}
