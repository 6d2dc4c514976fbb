//! Bodies and headers that no honest peer sends.

use portcullis_channel::{ContentType, HeaderKey, Headers, Message};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{Action, ChangeSet, Changes, Event, Identity, Subject};
use portcullis_wire::control::link::{RouterLink, RouterLinks};
use portcullis_wire::control::metrics::Metrics;
use portcullis_wire::control::terminator::RemoveTerminators;

fn decode(content_type: i32, body: &[u8]) -> Result<ControlMessage, String> {
    let message = Message::new(ContentType(content_type)).with_body(body.to_vec());
    ControlMessage::decode(&message).map_err(|error| error.to_string())
}

fn refused(content_type: i32, body: &[u8]) -> String {
    decode(content_type, body).unwrap_err()
}

#[test]
fn errors_name_message_and_field() {
    let prefix = "Fault: failed to decode Protobuf message: Fault.id: ";
    // A text that is not UTF-8, and a number where a text should be.
    for body in [&b"\x12\x02\xff\xfe"[..], b"\x10\x05"] {
        let said = refused(1004, body);
        assert!(said.starts_with(prefix), "{said}");
    }
    // A change of an event of a change set.
    let said = refused(20501, b"\x1a\x05\x52\x03\x0a\x01\xff");
    assert!(
        said.starts_with("ChangeSet: ")
            && said.contains("Changes.events")
            && said.contains("Identity.id"),
        "{said}"
    );
    assert_eq!(
        refused(20218, b""),
        "CreateCircuitV2: header 11 (session_token) is missing or unreadable"
    );
    assert_eq!(
        refused(20410, b"\xff"),
        "RemoveTunnelTerminator: the body (terminator_id) is not UTF-8"
    );
}

#[test]
fn lengths_beyond_the_body_are_refused_before_memory_is_reserved() {
    for length in [
        &b"\x7f"[..],
        b"\xff\xff\xff\xff\x0f",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ] {
        for (content_type, tag) in [(1004, 0x12), (1035, 0x0a), (20501, 0x1a), (1042, 0x0a)] {
            let body = [&[tag][..], length, b"abc"].concat();
            refused(content_type, &body);
        }
    }
}

#[test]
fn unknown_groups_may_not_be_nested_without_end() {
    let nested = |depth: usize| {
        let starts = vec![0x7b; depth];
        [starts, vec![0x7c; depth]].concat()
    };
    assert!(decode(1004, &nested(50)).is_ok());
    let said = refused(1004, &nested(100_000));
    assert!(said.contains("recursion limit"), "{said}");
}

#[test]
fn lists_of_nothing_are_refused() {
    // Empty elements: links, interfaces, events with an empty identity, map entries of a state.
    for (content_type, element) in [
        (1035, &b"\x0a\x00"[..]),
        (1052, b"\x0a\x00"),
        (20501, b"\x1a\x02\x52\x00"),
    ] {
        let said = refused(content_type, &element.repeat(100_000));
        assert!(
            said.ends_with(": too many elements for a body of its length"),
            "{said}"
        );
        assert!(decode(content_type, &element.repeat(100)).is_ok());
    }
}

#[test]
fn lists_of_the_shortest_elements_that_peers_send_are_read() {
    let id = |number: u32| format!("{number:09}");
    let events = (0..20_000).map(|number| {
        let identity = Identity {
            id: id(number),
            ..Identity::default()
        };
        Event {
            action: Action::Delete,
            is_synthetic: false,
            subject: Some(Subject::Identity(Box::new(identity))),
        }
    });
    let changes = ChangeSet {
        changes: Changes {
            index: 1,
            events: events.collect(),
            ..Changes::default()
        },
        subscription_id: None,
    };
    let links = RouterLinks {
        links: (0..20_000)
            .map(|number| RouterLink {
                id: id(number),
                destination: id(number),
                ..RouterLink::default()
            })
            .collect(),
        is_full: true,
    };
    let removed = RemoveTerminators {
        terminator_ids: (0..20_000).map(id).collect(),
    };
    let metrics = Metrics {
        integers: (0..20_000).map(|number| (id(number), 0)).collect(),
        ..Metrics::default()
    };
    for message in [
        ControlMessage::ChangeSet(changes),
        ControlMessage::RouterLinks(links),
        ControlMessage::RemoveTerminators(removed),
        ControlMessage::Metrics(metrics),
    ] {
        let written = message.encode().unwrap();
        assert!(ControlMessage::decode(&written).unwrap() == message);
    }
}

#[test]
fn numbers_that_do_not_end_are_refused() {
    refused(1004, &[&b"\x18"[..], &[0xff; 11]].concat());
    refused(1004, b"\x18\xff");
    refused(1004, b"\x00\x01");
    refused(1004, b"\x1c");
}

#[test]
fn a_header_of_another_length_counts_as_missing() {
    let headers = Headers::builder().u32(HeaderKey(1025), 10).build();
    let message = Message::new(ContentType(20506)).with_headers(headers);
    let said = ControlMessage::decode(&message).unwrap_err().to_string();
    assert_eq!(
        said,
        "CurrentIndex: header 1025 (index) is missing or unreadable"
    );
}

#[test]
fn a_list_that_no_receiver_would_read_is_not_sent() {
    let circuit = portcullis_wire::control::circuit::CreateCircuitV2 {
        fingerprints: vec![String::new(); 129],
        ..Default::default()
    };
    let said = ControlMessage::CreateCircuitV2(circuit)
        .encode()
        .unwrap_err();
    assert_eq!(
        said.to_string(),
        "CreateCircuitV2: header 12: 129 entries; a list or map has at most 128"
    );
}
