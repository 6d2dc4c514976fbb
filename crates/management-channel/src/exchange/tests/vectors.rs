//! Frames of facts/observability.md, section 1.7, from events and for requests; those that it does not show whole are
//! put together as it says.

use super::{bytes, exchange, one, text_of};
use crate::exchange::{Query, Step, encoded, subscribed};
use bytes::Bytes;
use portcullis_channel::{ContentType, Frame, FrameLimits, FrameReader, Message, Sequence};
use portcullis_events::{
    Body, Circuit, CircuitKind, CircuitPath, EntityCommit, Event, Link, LinkKind, Namespace,
    RouterStatus, SdkStatus, SdkStatusKind, Subscription,
};
use portcullis_wire::management::{
    InspectResponse, InspectedValue, ManagementMessage, StreamedEvent,
};
use serde_json::Value;
use std::time::Duration;

/// Two subscriptions, of which the second has an option.
const STREAM_EVENTS: &str = "0306090c3827000001000000000000006d0000007b22666f726d6174223a226a736f6e222c22737562736372697074696f6e73223a5b7b2274797065223a22726f75746572222c226f7074696f6e73223a6e756c6c7d2c7b2274797065223a227573616765222c226f7074696f6e73223a7b2276657273696f6e223a337d7d5d7d";

/// Head and headers of an event of a circuit with 467 bytes of JSON, the ninth frame.
const CIRCUIT: &str = "0306090c39270000090000000f000000d30100000a0000000700000063697263756974";

/// Head and headers of an event of a commit with 165 bytes of JSON.
const COMMIT: &str =
    "0306090c392700007f03000015000000a50000000a0000000d000000656e746974792e6368616e6765";

/// The body of a request for two values, of which one does not exist.
const INSPECT: &str = "0a0263311205626f6775731210646174612d6d6f64656c2d696e646578";

/// An event as it goes out to who wants all of its namespace, as the frame with this number.
fn sent(number: i32, time: &str, body: Body) -> Bytes {
    let namespace = body.namespace().as_str();
    let subscription = Subscription::new(namespace, &Value::Null).unwrap();
    let event = Event {
        source: "c1".into(),
        time: time.parse().unwrap(),
        body,
    };
    let lines = subscription.lines(&event);
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    let event = ManagementMessage::StreamedEvent(StreamedEvent {
        event_type: line.event_type.to_owned(),
        json: line.json.clone().into(),
    });
    let mut exchange = exchange();
    exchange.last = number - 1;
    exchange.number(encoded(&event)).unwrap().to_bytes()
}

/// A recorded frame, its number, and the members of its event.
fn recorded_event(beginning: &str) -> (Bytes, i32, impl Fn(&str) -> String) {
    let recorded = one(beginning);
    let reader = FrameReader::new(FrameLimits::LARGE);
    let frame = reader.read_datagram(recorded.clone()).unwrap();
    let event: Value = serde_json::from_slice(frame.body()).unwrap();
    let member = move |name: &str| event[name].as_str().unwrap().to_owned();
    (recorded, frame.sequence().0, member)
}

#[test]
fn events_of_clients_links_and_routers_go_out_as_recorded() {
    let (recorded, number, member) = recorded_event("S event sdk");
    let online = Body::Sdk(SdkStatus {
        kind: SdkStatusKind::Online,
        identity_id: member("identity_id").into(),
    });
    assert_eq!(sent(number, &member("timestamp"), online), recorded);

    let (recorded, number, member) = recorded_event("S event link (fault)");
    let fault = Body::Link(Link {
        kind: LinkKind::Fault,
        link_id: member("link_id").into(),
        source_router_id: None,
        destination_router_id: None,
        protocol: None,
        dial_address: None,
        cost: None,
        connections: Vec::new(),
    });
    assert_eq!(sent(number, &member("timestamp"), fault), recorded);

    let (recorded, number, member) = recorded_event("S event router");
    let online = Body::Router(RouterStatus {
        router_id: member("router_id").into(),
        is_online: true,
    });
    assert_eq!(sent(number, &member("timestamp"), online), recorded);
}

/// Ids and times are as long as those of the recording.
#[test]
fn events_of_circuits_and_commits_have_the_recorded_heads() {
    let (identity, circuit, service) = (
        "5iKJgsH1x",
        "lVh5jt821OhXaMKiDqtwH6",
        "5t0y7yvb6t3jCDKMrB42JO",
    );
    let tags = [("clientId", identity), ("serviceId", service)];
    let failed = Body::Circuit(Circuit {
        kind: CircuitKind::Failed {
            took: Duration::from_nanos(67_487),
            path_cost: None,
            cause: "NO_TERMINATORS",
        },
        circuit_id: circuit.into(),
        client_id: identity.into(),
        service_id: service.into(),
        terminator_id: "".into(),
        instance_id: "".into(),
        path: CircuitPath::default(),
        tags: Some(
            tags.map(|(name, id)| (name.to_owned(), id.to_owned()))
                .into(),
        ),
    });
    let frame = sent(9, "2026-11-22T23:11:19.753749083Z", failed);
    let (head, json) = frame.split_at(CIRCUIT.len() / 2);
    assert_eq!(head, bytes(CIRCUIT));
    assert_eq!(json.len(), 467);
    assert!(json.starts_with(br#"{"namespace":"circuit","event_src_id":"c1","#));

    let commit = Body::EntityCommit(EntityCommit {
        event_id: "8d1b7c6e-5f0a-4d0c-9f0e-3d2f1c7a9b54".into(),
        entity_type: "services",
        is_parent: false,
    });
    let frame = sent(895, "2026-11-22T23:13:09.75374908Z", commit);
    let (head, json) = frame.split_at(COMMIT.len() / 2);
    assert_eq!(head, bytes(COMMIT));
    assert_eq!(
        json,
        br#"{"namespace":"entityChange","event_src_id":"c1","timestamp":"2026-11-22T23:13:09.75374908Z","eventId":"8d1b7c6e-5f0a-4d0c-9f0e-3d2f1c7a9b54","eventType":"committed"}"#
    );
}

#[test]
fn a_whole_request_for_events_is_taken() {
    let step = exchange().receive(bytes(STREAM_EVENTS)).unwrap();
    let Step::Subscribe(reply_to, request) = step else {
        panic!("{step:?}");
    };
    let subscriptions = request.subscriptions().unwrap();
    let namespaces: Vec<_> = subscriptions.iter().map(Subscription::namespace).collect();
    assert_eq!(namespaces, [Namespace::Router, Namespace::Usage]);
    // Of version 3, where `include` counts.
    assert!(subscriptions[1].uses("include"));
    let success = subscribed(&reply_to, Ok(()));
    let success = exchange().number(success).unwrap().to_bytes();
    assert_eq!(success, one("S Result success"));
    assert_eq!(text_of(&success).1, "success");
}

/// The answers have the numbers that the recording has, after eight others.
#[test]
fn an_inspection_is_read_and_answered_as_recorded() {
    let request = Message::new(ContentType(10048)).with_body(bytes(INSPECT));
    let request = Frame::new(request, Sequence(10), &FrameLimits::LARGE).unwrap();
    let mut exchange = exchange();
    let step = exchange.receive(request.to_bytes()).unwrap();
    let Step::Query(reply_to, Query::Inspect(asked)) = step else {
        panic!("{step:?}");
    };
    assert_eq!(asked.app_regex, "c1");
    assert_eq!(asked.names, ["bogus", "data-model-index"]);

    let index = InspectedValue {
        app_id: "c1".to_owned(),
        name: "data-model-index".to_owned(),
        value: r#"{"index":70,"timeline":"E73zA7gdR"}"#.to_owned().into(),
    };
    let answer = ManagementMessage::InspectResponse(InspectResponse {
        is_success: true,
        errors: Vec::new(),
        values: vec![index],
    });
    exchange.last = 8;
    let answer = exchange.number(encoded(&answer).in_reply_to(&reply_to));
    assert_eq!(answer.unwrap().to_bytes(), one("S inspect answer"));
}
