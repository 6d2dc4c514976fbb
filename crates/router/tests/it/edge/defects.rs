//! Defects of OpenZiti's router that this one does not have, by the numbers of their table.
//!
//! | Defects | Where |
//! |---|---|
//! | 1, 5, 6, 13, 16, 27, 28 | here |
//! | 2 | `admission.rs`, and `edge/tests/logins.rs` of `router-io` over sockets |
//! | 3, 18 to 21, 29 | `links/tests` of `router-io` |
//! | 4 | `edge/tests/logins.rs` of `router-io` |
//! | 7 | `ends.rs` |
//! | 8 | `access/posture.rs` |
//! | 9 to 11 | `host/tests.rs` and `app_data.rs` of `tunnel-config` |
//! | 14, 15 | `connections.rs`; what is far ahead, `circuits/memory.rs` of `xgress` |
//! | 17, 24 | `ends/tests` of `router-io` |
//! | 22, 23 | `round_trip.rs` and `window.rs` of `xgress` |
//! | 25, 26 | `routes/tests.rs` and `relay/tests.rs` of `router-io` |
//!
//! 12 is one of routers that intercept, which this one does not do.

use super::judge::{legacy, service_token};
use super::world::{World, bind, connect, connect_v2, terminating};
use portcullis_channel::{ContentType, Headers, Message};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{Action, ChannelId, Flow};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CreateCircuitAnswer;
use portcullis_wire::edge::{
    Bind, ConnectionId, EdgeMessage, HealthEvent, ServiceIdentifier, StateConnected,
};
use portcullis_wire::{ErrorCode, Secret, Token, peer_data};

fn code(world: &mut World, channel: ChannelId, message: EdgeMessage) -> Option<ErrorCode> {
    world.says(channel, message);
    world.closed().code
}

/// 1: a dial whose token was none could stop the router. Nothing but a JWT is looked at.
#[test]
fn dial_by_something_else_than_a_jwt_is_refused_unseen() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    for token in [
        "",
        "svc1",
        "e",
        "9f3c1d0e-7a55-4a0e-8a53-0d7cf7f1c5aa",
        "\0",
    ] {
        let mut message = connect(1);
        message.session_token = Token::new(token.to_owned());
        let code = code(&mut world, alice, EdgeMessage::Connect(message));
        assert_eq!(code, Some(ErrorCode::InvalidService));
    }
    assert!(world.done.requests.is_empty());
}

/// 1: whatever a message lacks, its channel goes on, and so do the others.
#[test]
fn malformed_messages_of_every_kind_leave_the_channel_as_it_was() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    let kinds = (1..=6).chain(1100..=1103).chain(10_800..=10_904);
    for kind in kinds.chain(60_783..=60_807).chain(108_001..=108_002) {
        // UpdateToken ends its channel by design.
        if kind == 60_803 {
            continue;
        }
        for body in [
            &b""[..],
            b"\xff",
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            let message = Message::new(ContentType(kind)).with_body(body.to_vec());
            world.says_raw(alice, message.clone());
            let headers = Headers::builder().u32(portcullis_channel::HeaderKey(1000), 77);
            world.says_raw(alice, message.with_headers(headers.build()));
        }
    }
    assert!(!world.channel(alice).is_finished());
    assert_eq!(world.channel(alice).connections(), 1);
}

/// 5: one identity that lost its access ended the terminators of others too.
#[test]
fn lost_access_ends_terminators_of_that_identity_only() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let carol = world.oidc("carol");
    world.bound(bob, bind(1, "listener"));
    let hers = world.bound(carol, bind(1, "listener"));
    world.judge.deny("bob", ServiceGrant::Bind, "svc1");
    world.review();
    let left: Vec<_> = world.hosting.terminators().map(|one| one.bind).collect();
    assert_eq!(left, [hers]);
}

/// 6: circuits whose end is the hosting SDK did not know their service, and survived.
#[test]
fn circuits_of_hosts_that_are_their_end_know_their_service() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let message = Bind {
        uses_xgress: true,
        ..bind(1, "listener")
    };
    let bind = world.bound(bob, message);
    world.offers(bind, "c1");
    let opened = world.done.others.pop_front();
    let Some(Action::Open(end)) = opened else {
        panic!("{opened:?}");
    };
    assert_eq!((end.id, end.flow), (terminating("c1"), Flow::Sdk));
    assert_eq!(end.service.as_str(), "svc1");
    world.judge.deny("bob", ServiceGrant::Bind, "svc1");
    world.review();
    let closed = super::world::closings(&mut world);
    assert_eq!(closed.len(), 1);
}

/// 13: the router did not look whether a session was made for dialing.
#[test]
fn session_to_bind_does_not_dial() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let mut message = connect(1);
    message.session_token = service_token(ServiceGrant::Bind, "svc1");
    let code = code(&mut world, alice, EdgeMessage::Connect(message));
    assert_eq!(code, Some(ErrorCode::WrongSessionType));
}

/// 16: health never reached a controller.
#[test]
fn health_of_a_host_reaches_the_controller() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    let id = world.hosting.terminators().next().unwrap().id.to_string();
    for has_passed in [false, true] {
        let event = HealthEvent {
            session_token: service_token(ServiceGrant::Bind, "svc1"),
            connection: ConnectionId(1),
            has_passed,
            sequence: None,
        };
        world.says(bob, EdgeMessage::HealthEvent(event));
        let Some(ControlMessage::HealthEvent(event)) = world.done.told.pop_front() else {
            panic!("a health event");
        };
        assert_eq!(event.terminator_id, id);
        assert_eq!(event.has_passed, has_passed);
        world.wait(std::time::Duration::from_secs(1));
    }
    let other = HealthEvent {
        session_token: service_token(ServiceGrant::Bind, "svc2"),
        connection: ConnectionId(1),
        ..HealthEvent::default()
    };
    world.says(bob, EdgeMessage::HealthEvent(other));
    assert!(world.done.told.is_empty(), "of another session");
    world.nothing_sent();
}

/// 27: what controllers told each other of a circuit leaked to the SDK that had dialed it.
#[test]
fn sdk_gets_key_and_stickiness_of_the_peer_data_only() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1)));
    let (request, _) = world.request();
    let all = [
        1,
        1000,
        1101,
        1027,
        peer_data::PUBLIC_KEY,
        peer_data::LOCAL_ADDRESS,
        peer_data::REMOTE_ADDRESS,
        1116,
    ];
    let answer = CreateCircuitAnswer {
        circuit_id: "c1".to_owned(),
        address: "ingress".to_owned(),
        peer_data: all
            .into_iter()
            .map(|key| (key, Secret::new(key.to_le_bytes().to_vec().into())))
            .collect(),
        ..CreateCircuitAnswer::default()
    };
    let answer = ControlMessage::CreateCircuitAnswerV2(answer);
    world.controller_answers(alice, request, answer);
    let (message, _) = world.sent();
    let bytes = |key: u32| Some(key.to_le_bytes().to_vec().into());
    assert_eq!(
        message,
        EdgeMessage::StateConnected(StateConnected {
            connection: ConnectionId(1),
            circuit_id: Some("c1".to_owned()),
            public_key: bytes(peer_data::PUBLIC_KEY),
            stickiness_token: bytes(1027),
            ..StateConnected::default()
        })
    );
}

/// 28: unknown services by id and by name have different codes, which SDKs know.
#[test]
fn unknown_services_have_the_codes_that_sdks_know() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let by_id = connect_v2(1, "nope");
    let mut by_name = connect_v2(1, "nope");
    by_name.service_identifier = Some(ServiceIdentifier::Name);
    let code_of_id = code(&mut world, alice, EdgeMessage::ConnectV2(by_id));
    assert_eq!(code_of_id, Some(ErrorCode::AccessDenied));
    let code_of_name = code(&mut world, alice, EdgeMessage::ConnectV2(by_name));
    assert_eq!(code_of_name, Some(ErrorCode::InvalidService));
}

/// SDKs write the method of encryption in different ways; it goes no further.
#[test]
fn method_of_encryption_is_not_passed_on() {
    let mut world = World::new();
    let alice = world.connect("alice", legacy());
    for method in [&b"\0"[..], b"libsodium"] {
        let mut message = connect(1);
        message.crypto_method = Some(method.to_vec().into());
        message.public_key = Some(vec![1; 32].into());
        world.says(alice, EdgeMessage::Connect(message));
        let (request, message) = world.request();
        let ControlMessage::CreateCircuitV2(asked) = message else {
            panic!("{message:?}");
        };
        let keys: Vec<u32> = asked.peer_data.into_keys().collect();
        assert_eq!(keys, [1003, 1115, 1116]);
        world.controller_answers(alice, request, ControlMessage::QuiesceRouter);
        world.done.sent.clear();
    }
}

/// An SDK that has given up a dial says nothing: a circuit that comes late lives until its data finds no
/// connection, or the SDK goes.
#[test]
fn late_circuit_of_a_silent_sdk_ends_with_its_channel() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", true);
    world.channel(alice).lost();
    world.settle();
    assert_eq!(super::world::closings(&mut world).len(), 1);
}
