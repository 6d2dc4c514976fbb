//! Frames that were recorded between real peers, and what the reference encoders make.

use crate::support::{Sdk, bind, dial, dial_keys, modern, oidc};
use bytes::BytesMut;
use portcullis_channel::hello::{Grouping, HelloAnswer};
use portcullis_channel::{Frame, FrameLimits, FrameReader, HeaderKey, Role, Sequence};
use portcullis_sdk_proto::{DialFailure, DialRequest, EdgeEvent, Retry, RouterTerms};
use portcullis_wire::ErrorCode;
use portcullis_wire::edge::{ConnectionId, EdgeMessage, StateConnected};
use std::collections::BTreeMap;

/// A frame by its name in the collection that the tests of the channel read.
fn recorded(beginning: &str) -> Frame {
    let text = include_str!("../../../channel/tests/corpus/frames.txt");
    let mut lines = text.lines();
    let is_wanted = |line: &str| {
        let name = line.strip_prefix("# data plane: ");
        name.is_some_and(|name| name.starts_with(beginning))
    };
    lines
        .find(|line| is_wanted(line))
        .unwrap_or_else(|| panic!("no frame is named {beginning}"));
    let hex = lines.next().unwrap().as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let mut bytes: BytesMut = hex.chunks(2).map(byte).collect();
    let reader = FrameReader::new(FrameLimits::default());
    reader.next(&mut bytes).unwrap().unwrap()
}

fn headers(frame: &Frame) -> BTreeMap<i32, Vec<u8>> {
    let all = frame.headers().iter();
    all.map(|(key, value)| (key.0, value.to_vec())).collect()
}

fn hears(sdk: &mut Sdk, beginning: &str) {
    let now = sdk.now;
    sdk.channel.handle_frame(recorded(beginning), now);
}

#[test]
fn the_answer_of_a_router_of_2_1() {
    let answer = HelloAnswer::from_frame(&recorded("hello result")).unwrap();
    let HelloAnswer::Accepted(accepted) = answer else {
        panic!("rejected");
    };
    let terms = RouterTerms::from_answer(&accepted);
    assert_eq!(terms.router_id.as_deref(), Some("Q-3v6L3R3"));
    assert!(terms.knows_services() && terms.confirms_binds() && terms.leaves_circuits_to_sdks());
    assert!(terms.takes_posture() && terms.tells_services());
    assert_eq!(terms.version.unwrap().version, "v0.0.0");
}

#[test]
fn the_hello_is_that_of_the_go_sdk() {
    let frame = recorded("hello, legacy token");
    let token = frame.headers().string(HeaderKey(1002)).unwrap();
    let mut session = oidc();
    session.token = crate::support::token(token);
    let id = String::from_utf8(frame.body().to_vec()).unwrap();
    let hello = session.hello(id, Role::Default, Grouping::Ungrouped);
    assert_eq!(hello.encode().unwrap(), frame.to_bytes());
}

#[test]
fn a_bind_of_the_go_sdk_answered_by_a_router() {
    let mut sdk = Sdk::new(modern());
    let id = sdk.channel.bind(bind(), sdk.now).unwrap();
    assert_eq!(id.0, ConnectionId(1), "as in the recorded frames");
    sdk.says();
    hears(&mut sdk, "StateConnected for Bind");
    hears(&mut sdk, "ConnInspectRequest");
    let outgoing = sdk.channel.poll_transmit(sdk.now).unwrap();
    let response = outgoing.message.in_reply_to(&outgoing.reply_to.unwrap());
    assert_eq!(response.headers.i32(HeaderKey(1)), Some(2));
    assert_eq!(response.headers.u8(HeaderKey(1022)), Some(2));
    hears(&mut sdk, "BindSuccess");
    assert_eq!(sdk.event(), EdgeEvent::Bound(id));
}

#[test]
fn a_dial_as_the_reference_encodes_it() {
    let mut sdk = Sdk::new(modern());
    let mut made = None;
    for _ in 0..7 {
        let request = DialRequest {
            caller_id: Some("a".to_owned()),
            ..dial()
        };
        made = Some(sdk.channel.dial(request, sdk.now).unwrap());
    }
    assert_eq!(made, Some(ConnectionId(7)));
    let mut last = None;
    while let Some(outgoing) = sdk.channel.poll_transmit(sdk.now) {
        last = Some(outgoing.message);
    }
    let frame = Frame::new(last.unwrap(), Sequence(5), &FrameLimits::LARGE).unwrap();
    let expected = recorded("ConnectV2 conn 7");
    assert_eq!(frame.content_type(), expected.content_type());
    assert_eq!(headers(&frame), headers(&expected));
}

#[test]
fn a_denial_as_a_router_sends_it() {
    let mut sdk = Sdk::new(modern());
    let mut connections: Vec<_> = (0..5).map(|_| sdk.dials(dial())).collect();
    hears(&mut sdk, "denial code 14");
    let EdgeEvent::DialFailed {
        connection,
        why: DialFailure::Refused(refusal),
    } = sdk.event()
    else {
        panic!("not refused");
    };
    assert_eq!(Some(connection), connections.pop());
    assert_eq!(refusal.code, Some(ErrorCode::AccessDenied));
    assert_eq!(
        (refusal.reason.as_str(), refusal.retry),
        ("no", Retry::GiveUp)
    );
}

#[test]
fn the_end_of_a_circuit_as_a_router_tells_it() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.connects(true);
    assert_eq!(connection, ConnectionId(1));
    sdk.says();
    hears(&mut sdk, "StateClosed \"xgress unrouted\"");
    assert!(matches!(
        sdk.events()[..],
        [EdgeEvent::Readable(_), EdgeEvent::Closed { .. }] | [EdgeEvent::Closed { .. }]
    ));
    assert_eq!(sdk.says(), [], "the router knows");
}

#[test]
fn closing_a_circuit_as_the_go_sdk_does() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.dials(dial());
    sdk.says();
    let expected = recorded("XgClose");
    let circuit = String::from_utf8(expected.body().to_vec()).unwrap();
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection,
        circuit_id: Some(circuit),
        uses_xgress: true,
        ..StateConnected::default()
    }));
    sdk.channel.abort(connection, sdk.now);
    let mut last = None;
    while let Some(outgoing) = sdk.channel.poll_transmit(sdk.now) {
        last = Some(outgoing.message);
    }
    let last = last.unwrap();
    assert_eq!(last.content_type, expected.content_type());
    assert_eq!(&last.body, expected.body());
    assert_eq!(
        headers(&Frame::new(last, Sequence(1), &FrameLimits::LARGE).unwrap()),
        headers(&expected)
    );
    assert_eq!(sdk.channel.connections(), 0);
}

#[test]
fn the_keys_of_the_reference() {
    let mut sdk = Sdk::new(modern());
    let mut keys = dial_keys(1);
    let hex = |text: &str| -> Vec<u8> {
        let bytes = text.as_bytes().chunks(2);
        bytes
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    };
    let header = hex("935fe5c1a35df22dbbd783490a8f0de08846a12d62c6da13");
    keys.header = header[..].try_into().unwrap();
    let connection = sdk.dials(DialRequest {
        keys: Some(keys),
        ..dial()
    });
    let EdgeMessage::ConnectV2(connect) = sdk.says_one() else {
        panic!("not a ConnectV2");
    };
    let public = "a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209";
    assert_eq!(connect.public_key.unwrap(), hex(public));
    let host = "ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59";
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection,
        public_key: Some(hex(host).into()),
        ..StateConnected::default()
    }));
    assert!(matches!(sdk.event(), EdgeEvent::Connected(_)));
    let said = sdk.says_one();
    let EdgeMessage::Data(first) = said else {
        panic!("{said:?}");
    };
    assert_eq!(first.data.into_inner(), header);
    sdk.writes(connection, "hello");
    let EdgeMessage::Data(sealed) = sdk.says_one() else {
        panic!("not Data");
    };
    assert_eq!(sealed.data.expose().len(), 5 + 17);
}
