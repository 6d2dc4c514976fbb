//! What real routers were seen to do with hand-made messages, and each error that SDKs are told.

use super::judge::{legacy, service_token, session};
use super::world::{World, bind, connect, connect_v2, on_the_wire};
use portcullis_channel::{ContentType, HeaderKey, Headers, Message};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{Action, ChannelId, RequestFailure, SessionKind};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::refusal::Refusal as ControllerRefusal;
use portcullis_wire::edge::{
    CircuitClosed, ConnectionId, Data, EdgeMessage, ServiceIdentifier, StateClosed, Unbind,
    UpdateToken,
};
use portcullis_wire::xgress::Payload;
use portcullis_wire::{ErrorCode, RetryHint, Token};
use std::time::Duration;

const CONNECTION: HeaderKey = HeaderKey(1000);

/// The code and the text that a message is answered with.
fn answer(world: &mut World, channel: ChannelId, message: EdgeMessage) -> (Option<u32>, String) {
    let sequence = world.says(channel, message);
    let (message, reply_to) = world.sent();
    let written = on_the_wire(&message, reply_to.as_ref());
    let reply_for = written.headers.i32(HeaderKey(1));
    assert_eq!(reply_for, Some(sequence.0), "it is a reply");
    match message {
        EdgeMessage::StateClosed(closed) => (closed.code.map(ErrorCode::code), closed.reason),
        other => panic!("{other:?}"),
    }
}

fn hint(closed: &StateClosed) -> Option<u64> {
    let json: serde_json::Value = serde_json::from_str(closed.structured_error.as_ref()?).unwrap();
    json["retryHint"].as_u64()
}

#[test]
fn connect_without_connection_id() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let message = Message::new(ContentType(60783)).with_body("ey");
    world.says_raw(alice, message);
    let closed = world.closed();
    assert_eq!(closed.connection, Some(ConnectionId(0)));
    assert_eq!(closed.reason, "connId not set, required");
    assert_eq!(closed.code, None);
}

#[test]
fn connect_with_a_token_that_is_none() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let mut with = |token: &str| {
        let mut message = connect(1);
        message.session_token = Token::new(token.to_owned());
        answer(&mut world, alice, EdgeMessage::Connect(message))
    };
    assert_eq!(with("xxx").0, Some(6));
    assert_eq!(
        with("eyxxx"),
        (Some(3), "Invalid Session".to_owned()),
        "the text that makes C SDKs renew the session"
    );
    let not_utf8 = Message::new(ContentType(60783))
        .with_headers(Headers::builder().u32(CONNECTION, 1).build())
        .with_body(vec![0xff, 0xfe]);
    world.says_raw(alice, not_utf8);
    assert_eq!(world.closed().code, Some(ErrorCode::InvalidSession));
}

#[test]
fn connect_v2_to_what_there_is_not() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let unknown_id = EdgeMessage::ConnectV2(connect_v2(1, "nope"));
    assert_eq!(answer(&mut world, alice, unknown_id).0, Some(14));
    let mut by_name = connect_v2(1, "nope");
    by_name.service_identifier = Some(ServiceIdentifier::Name);
    let unknown_name = EdgeMessage::ConnectV2(by_name);
    assert_eq!(
        answer(&mut world, alice, unknown_name),
        (Some(6), "service not found".to_owned())
    );
    let without = Message::new(ContentType(60806))
        .with_headers(Headers::builder().u32(CONNECTION, 1).build());
    world.says_raw(alice, without);
    let closed = world.closed();
    assert_eq!(closed.reason, "service header not set, required");
    assert_eq!(closed.code, None);
}

#[test]
fn connect_v2_is_for_sessions_of_oidc() {
    let mut world = World::new();
    let alice = world.connect("alice", legacy());
    let (code, _) = answer(
        &mut world,
        alice,
        EdgeMessage::ConnectV2(connect_v2(1, "svc1")),
    );
    assert_eq!(code, None, "a text alone");
    assert!(world.done.requests.is_empty());
}

#[test]
fn bind_and_unbind_with_garbage_are_refused_by_text() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let garbage = Token::new("garbage".to_owned());
    let mut message = bind(1, "listener");
    message.session_token = garbage.clone();
    assert_eq!(answer(&mut world, bob, EdgeMessage::Bind(message)).0, None);
    let unbind = EdgeMessage::Unbind(Unbind {
        session_token: garbage,
        connection: ConnectionId(1),
        sequence: None,
    });
    assert_eq!(answer(&mut world, bob, unbind).0, None);
}

#[test]
fn what_leads_nowhere_is_dropped() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let data = EdgeMessage::Data(Data {
        connection: ConnectionId(9),
        ..Data::default()
    });
    world.says(alice, data);
    world.says_raw(alice, Message::new(ContentType(60786)).with_body("data"));
    world.says_raw(alice, Message::new(ContentType(4242)));
    world.says_raw(alice, Message::new(ContentType::HEARTBEAT));
    let payload = Payload {
        circuit_id: "unknown".to_owned(),
        ..Payload::default()
    };
    world.says(alice, EdgeMessage::Payload(payload));
    let closed = CircuitClosed {
        circuit_id: "unknown".to_owned(),
    };
    world.says(alice, EdgeMessage::CircuitClosed(closed));
    let closed = StateClosed {
        connection: Some(ConnectionId(9)),
        ..StateClosed::default()
    };
    world.says(alice, EdgeMessage::StateClosed(closed));
    world.nothing_sent();
    assert!(world.done.others.is_empty());
    assert!(world.done.put.is_empty());
}

#[test]
fn acknowledgement_without_circuit_ends_it_unasked() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says_raw(alice, Message::new(ContentType(1101)));
    let (message, reply_to) = world.sent();
    assert_eq!(reply_to, None);
    let EdgeMessage::StateClosed(closed) = message else {
        panic!("{message:?}");
    };
    assert_eq!(closed.reason, "xgress closed");
}

#[test]
fn refused_token_ends_the_channel() {
    for (kind, code) in [(SessionKind::Oidc, 2), (legacy(), 12)] {
        let mut world = World::new();
        let alice = world.connect("alice", kind);
        let update = EdgeMessage::UpdateToken(UpdateToken {
            access_token: Token::new("garbage".to_owned()),
        });
        world.says(alice, update);
        let (message, reply_to) = world.sent();
        let EdgeMessage::UpdateTokenFailure(failure) = message else {
            panic!("{message:?}");
        };
        assert!(reply_to.is_some());
        assert_eq!(failure.code.map(ErrorCode::code), Some(code));
        assert!(failure.structured_error.is_some());
        let last = world.done.others.pop_back();
        assert!(
            matches!(last, Some(Action::CloseChannel { .. })),
            "{last:?}"
        );
        assert!(world.channel(alice).is_finished());
    }
}

#[test]
fn token_of_another_session_is_refused() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.judge.know(session("bob", SessionKind::Oidc));
    let update = EdgeMessage::UpdateToken(UpdateToken {
        access_token: Token::new("ey-bob".to_owned()),
    });
    world.says(alice, update);
    let (message, _) = world.sent();
    assert!(
        matches!(message, EdgeMessage::UpdateTokenFailure(_)),
        "{message:?}"
    );
}

/// Each code of a controller reaches the SDK with hint, text and circuit.
#[test]
fn every_refusal_of_a_controller_reaches_the_sdk() {
    for code in (1..=15).map(ErrorCode::from_code) {
        for retry in (0..=3).map(RetryHint::from_code) {
            let mut world = World::new();
            let alice = world.oidc("alice");
            world.says(alice, EdgeMessage::Connect(connect(1)));
            let (request, _) = world.request();
            let refusal = ControllerRefusal {
                reason: "because".to_owned(),
                code: Some(code),
                retry_hint: Some(retry),
                circuit_id: Some("c1".to_owned()),
            };
            world.controller_answers(alice, request, ControlMessage::Refusal(refusal));
            let closed = world.closed();
            assert_eq!(closed.code, Some(code));
            assert_eq!(hint(&closed), Some(u64::from(retry.code())));
            assert_eq!(closed.circuit_id.as_deref(), Some("c1"));
            let text = match code {
                ErrorCode::InvalidSession => "Invalid Session",
                _ => "because",
            };
            assert_eq!(closed.reason, text);
            assert_eq!(world.channel(alice).connections(), 0);
        }
    }
}

/// The errors that a router finds by itself.
#[test]
fn every_refusal_of_the_router_has_its_code() {
    let dial = |world: &mut World, alice| answer(world, alice, EdgeMessage::Connect(connect(1))).0;
    let mut world = World::new();
    let alice = world.oidc("alice");

    world.judge.deny("alice", ServiceGrant::Dial, "svc1");
    assert_eq!(dial(&mut world, alice), Some(14), "no policy");
    world.judge.allow("alice", ServiceGrant::Dial, "svc1");
    world.judge.failing_checks.replace(vec!["check".to_owned()]);
    let message = EdgeMessage::Connect(connect(1));
    world.says(alice, message);
    let closed = world.closed();
    assert_eq!(closed.code, Some(ErrorCode::PostureCheckFailed));
    assert!(closed.structured_error.unwrap().contains(r#"["check"]"#));
    world.judge.failing_checks.replace(Vec::new());

    let mut wrong = connect(1);
    wrong.session_token = service_token(ServiceGrant::Bind, "svc1");
    let wrong = answer(&mut world, alice, EdgeMessage::Connect(wrong));
    assert_eq!(wrong.0, Some(4), "a session to bind");

    let mut wrong = bind(2, "listener");
    wrong.session_token = service_token(ServiceGrant::Dial, "svc1");
    let wrong = answer(&mut world, alice, EdgeMessage::Bind(wrong));
    assert_eq!(wrong.0, Some(4), "a session to dial");

    world.judge.deny("alice", ServiceGrant::Bind, "svc1");
    let denied = answer(&mut world, alice, EdgeMessage::Bind(bind(2, "listener")));
    assert_eq!(denied.0, Some(14), "no policy to bind");
}

#[test]
fn controller_that_is_missing_lost_or_slow() {
    for failure in [RequestFailure::NoController, RequestFailure::Lost] {
        let mut world = World::new();
        let alice = world.oidc("alice");
        world.says(alice, EdgeMessage::Connect(connect(1)));
        let (request, _) = world.request();
        world.channel(alice).controller_failed(request, failure);
        world.settle();
        let closed = world.closed();
        assert_eq!(closed.code, Some(ErrorCode::Internal));
        assert_eq!(hint(&closed), Some(1), "back off");
    }
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1)));
    world.wait(Duration::from_millis(29_999));
    world.nothing_sent();
    world.wait(Duration::from_millis(1));
    assert_eq!(world.closed().code, Some(ErrorCode::Internal));
}

#[test]
fn answer_to_another_question_is_an_internal_error() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1)));
    let (request, _) = world.request();
    world.controller_answers(alice, request, ControlMessage::QuiesceRouter);
    assert_eq!(world.closed().code, Some(ErrorCode::Internal));
}

/// Legacy sessions belong to the controller that has announced them.
#[test]
fn legacy_session_asks_its_own_controller_and_no_policies() {
    let mut world = World::new();
    let alice = world.open(session("alice", legacy()));
    let mut sdk = world.channels.remove(&alice).unwrap();
    let frame = super::world::frame_of(EdgeMessage::Connect(connect(1)).encode().unwrap(), 1);
    sdk.handle_frame(frame, &world.judge, world.now);
    let Some(Action::Request { to, .. }) = sdk.poll() else {
        panic!("a request");
    };
    let own = portcullis_router::edge::Recipient::Only(super::world::controller());
    assert_eq!(to, own);
}
