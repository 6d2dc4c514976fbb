//! Recorded frames: what SDKs send is understood, what the router sends is the same.

use super::judge::service_token;
use super::world::{
    World, bind, closings, connect, created, frame, initiating, on_the_wire, parts, success,
    terminating,
};
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::{
    Channel, ChannelKind, ChannelOptions, ChannelSide, Message, Now, ResultMessage, ResultStatus,
    Transmit,
};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{
    Action, CircuitData, CircuitEnded, Closing, FromSdk, InspectionId, ToSdk,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CreateCircuitV3;
use portcullis_wire::edge::{
    ConnectionId, DataFlags, EdgeMessage, PostureStateChange, ServiceChangeSet,
};
use portcullis_wire::xgress::{Control, ControlKind, payload_header};
use portcullis_wire::{Precedence, Token, peer_data};

/// What was sent last, as a message.
fn sent(world: &mut World) -> Message {
    let (message, reply_to) = world.sent();
    on_the_wire(&message, reply_to.as_ref())
}

fn asked(world: &mut World) -> Message {
    world.asked().1.encode().unwrap()
}

#[track_caller]
fn assert_same(ours: &Message, hex: &str) {
    assert_eq!(parts(ours), parts(&frame(hex).into_message()));
}

#[test]
fn bind_is_answered_inspected_and_confirmed() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let mut message = EdgeMessage::Bind(bind(1, "listener")).encode().unwrap();
    message = message.with_body(service_token(ServiceGrant::Bind, "svc1").into_inner());
    world.says_frame(bob, super::world::frame_of(message, 1));

    assert_same(
        &sent(&mut world),
        "0306090c70ed0000010000002100000000000000010000000400000001000000e80300000400000001000000f40300000100000001",
    );
    assert_same(
        &asked(&mut world),
        "0306090c7eed0000020000000c00000000000000e80300000400000001000000",
    );
    let create = world.created();
    assert_eq!(create.address.len(), 22);
    world.nothing_sent();
    world.terminator_answered(success(&create.address));
    assert_same(
        &sent(&mut world),
        "0306090c80ed0000030000000c00000000000000e80300000400000001000000",
    );
}

#[test]
fn connect_v2_asks_for_a_circuit() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says_frame(
        alice,
        frame(
            "0306090c86ed0000050000003300000000000000e803000004000000070000000c04000004000000737663310d0400000100000000040400000100000001f00300000100000061",
        ),
    );
    let (request, message) = world.request();
    let ControlMessage::CreateCircuitV3(asked) = message else {
        panic!("{message:?}");
    };
    let text =
        |text: &str| portcullis_wire::Secret::new(bytes::Bytes::copy_from_slice(text.as_bytes()));
    assert_eq!(
        asked,
        CreateCircuitV3 {
            api_session_token: Token::new("ey-alice".to_owned()),
            identity_id: "alice".to_owned(),
            service_id: "svc1".to_owned(),
            circuit_id: String::new(),
            fingerprints: vec!["alice".to_owned()],
            instance_id: String::new(),
            peer_data: [
                (peer_data::CALLER_ID, text("a")),
                (peer_data::DIALER_IDENTITY_ID, text("alice")),
                (peer_data::DIALER_IDENTITY_NAME, text("alice")),
            ]
            .into(),
        }
    );
    world.controller_answers(alice, request, created("c1"));
    let (message, _) = world.sent();
    let EdgeMessage::StateConnected(connected) = message else {
        panic!("{message:?}");
    };
    assert_eq!(connected.connection, ConnectionId(7));
    assert!(connected.uses_xgress);
    assert_eq!(connected.controller_id.as_deref(), Some("instance-1"));
    assert_eq!(connected.xgress_address.as_deref(), Some("ingress-of-c1"));
}

#[test]
fn dial_success_completes_the_route() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.offers(bind, "c1");
    let (ask, _) = world.asked();
    let answer = frame(
        "0306090c74ed0000030000001800000004000000e8030000040000000100000001000000040000000400000000000080",
    );
    world.channel(bob).answered(ask, answer);
    world.settle();
    let routed = world.routed();
    let empty = portcullis_wire::control::route::RouteOutcome::Routed([].into());
    assert_eq!(routed, empty);
    let opened = world.done.others.iter().any(|action| {
        matches!(action, Action::Open(end)
            if end.connection == ConnectionId(0x8000_0000) && end.id == terminating("c1"))
    });
    assert!(opened);

    // Data of the connection, in the frames that follow.
    world.says_frame(
        bob,
        frame("0306090c72ed0000070000001800000002000000e80300000400000000000080f203000004000000040000006869"),
    );
    let (end, content) = world.done.put.pop_front().unwrap();
    let FromSdk::Data(data) = content else {
        panic!("{content:?}");
    };
    assert_eq!(end, terminating("c1"));
    assert_eq!(&data.data.expose()[..], b"hi");
    assert_eq!(
        data.headers.get(&payload_header::DATA_FLAGS).unwrap()[..],
        DataFlags::MULTIPART.bits().to_le_bytes()
    );

    world.says_frame(
        bob,
        frame("0306090c71ed00000a0000001800000000000000e80300000400000000000080e90300000400000001000000"),
    );
    assert_eq!(
        closings(&mut world),
        [("c1".to_owned(), Closing::Gracefully)]
    );
    world.nothing_sent();
}

#[test]
fn fin_is_opaque_and_travels_as_a_header() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    world.says_frame(
        alice,
        frame("0306090c72ed0000080000001800000000000000e80300000400000001000000f20300000400000001000000"),
    );
    let (_, content) = world.done.put.pop_front().unwrap();
    let FromSdk::Data(data) = content else {
        panic!("{content:?}");
    };
    assert!(data.data.expose().is_empty());
    assert_eq!(
        data.headers.get(&payload_header::DATA_FLAGS).unwrap()[..],
        [1, 0, 0, 0]
    );
    // The same headers come out at the other end as the same message.
    world.delivers(alice, &initiating("c1"), ToSdk::Data(data));
    let back = sent(&mut world);
    assert_same(
        &back,
        "0306090c72ed0000080000001800000000000000e80300000400000001000000f20300000400000001000000",
    );
}

#[test]
fn unrouted_circuit_ends_its_connection() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", true);
    world.delivers(
        alice,
        &initiating("c1"),
        ToSdk::Ended(CircuitEnded::Unrouted),
    );
    assert_same(
        &sent(&mut world),
        "0306090c71ed0000160000000c0000000f000000e8030000040000000100000078677265737320756e726f75746564",
    );
}

#[test]
fn denial_replies_with_code_and_json() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says_frame(
        alice,
        super::world::frame_of(EdgeMessage::Connect(connect(5)).encode().unwrap(), 11),
    );
    let (request, _) = world.request();
    let refusal = portcullis_wire::control::refusal::Refusal {
        reason: "no".to_owned(),
        code: Some(portcullis_wire::ErrorCode::AccessDenied),
        retry_hint: None,
        circuit_id: None,
    };
    world.controller_answers(alice, request, ControlMessage::Refusal(refusal));
    let ours = sent(&mut world);
    assert_same(
        &ours,
        "0306090c71ed0000090000005400000002000000e8030000040000000500000009040000280000007b226d657373616765223a226e6f222c22636f6465223a31342c22726574727948696e74223a307df6030000040000000e00000001000000040000000b0000006e6f",
    );
}

#[test]
fn unbind_and_update_with_a_foreign_token_are_refused_by_text() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    for hex in [
        "0306090c77ed00000a0000000c00000003000000e80300000400000003000000746f6b",
        "0306090c7aed00000b0000001f00000003000000e80300000400000002000000ec030000020000000700ed0300000100000001746f6b",
    ] {
        let message = frame(hex);
        world.says_frame(bob, message);
        let closed = world.closed();
        assert_eq!(closed.code, None);
        assert_eq!(closed.structured_error, None);
    }
}

#[test]
fn update_of_a_bind_reaches_the_controller() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(2, "listener"));
    let token = service_token(ServiceGrant::Bind, "svc1").into_inner();
    let update = frame(
        "0306090c7aed00000b0000001f00000003000000e80300000400000002000000ec030000020000000700ed0300000100000001746f6b",
    );
    world.says_raw(bob, update.into_message().with_body(token));
    let create = world.created();
    assert_eq!(world.hosting.find(&create.address), Some(bind));
    assert_eq!((create.cost, create.precedence), (7, Precedence::Required));
    world.nothing_sent();
}

#[test]
fn inspection_asks_for_names() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let names = ["circuits", "context"].map(str::to_owned).to_vec();
    let now = world.now;
    world
        .channel(alice)
        .inspect(InspectionId(1), None, names, now);
    world.settle();
    assert_same(
        &asked(&mut world),
        "0306090c84ed00000c0000002300000000000000070400001b0000000200000008000000636972637569747307000000636f6e74657874",
    );
}

#[test]
fn closed_xgress_ends_its_circuit() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "another", true);
    let message = frame(
        "0306090c4f040000150000000000000016000000315a5a4a524a735448366458626e4c41494a4f43646f",
    );
    // The SDK does not have the circuit: nothing happens.
    world.says_frame(alice, message.clone());
    assert_eq!(closings(&mut world), []);
    world.dialed(alice, 2, "1ZZJRJsTH6dXbnLAIJOCdo", true);
    world.says_frame(alice, message);
    let closed = ("1ZZJRJsTH6dXbnLAIJOCdo".to_owned(), Closing::AtOnce);
    assert_eq!(closings(&mut world), [closed]);
    let told = world.closed();
    assert_eq!(told.connection, Some(ConnectionId(2)));
    assert_eq!(told.reason, "close called");
}

/// Answered by the channel itself: a router that does not answer loses its clients.
#[test]
fn latency_probe_is_reflected() {
    let options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Listener);
    let grant = ChannelGrant::ungrouped(GroupId::new("AdBM").unwrap());
    let (mut channel, underlay) = Channel::open(grant, options, Now::default());
    let probe = frame("0306090c030000001000000010000000000000008000000008000000b232f8def910ea18");
    assert_eq!(channel.handle_frame(underlay, probe, Now::default()), None);
    let Some(Transmit::Frame(answer)) = channel.poll_transmit(underlay, Now::default()) else {
        panic!("an answer");
    };
    let result = ResultMessage::from_frame(&answer).unwrap();
    assert_eq!(result.status, ResultStatus::Success);
    assert_eq!(answer.reply_for().unwrap().0, 16);
    let reflected = answer.headers().get(portcullis_channel::HeaderKey(128));
    assert_eq!(
        reflected.unwrap(),
        [0xb2, 0x32, 0xf8, 0xde, 0xf9, 0x10, 0xea, 0x18]
    );
}

#[test]
fn subscription_is_answered_with_services_and_posture() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says_frame(
        alice,
        frame("0306090c942a000001000000000000000b00000008ffffffffffffffffff01"),
    );
    assert_eq!(world.done.others.pop_front(), Some(Action::SendServices));
    let snapshot = ServiceChangeSet {
        index: 38,
        ..ServiceChangeSet::default()
    };
    world.channel(alice).send_snapshot(snapshot);
    world.settle();
    let (message, _) = world.sent();
    let EdgeMessage::ServiceChangeSet(set) = message else {
        panic!("{message:?}");
    };
    assert_eq!((set.index, set.previous_index), (38, -1));
    assert_eq!(world.done.others.pop_front(), Some(Action::SendPosture));

    let recorded = "0306090c982a000002000000000000002c00000008011026220b08b6ad86d806109eec891a32190a154c4d354b6f4464646e793474746535486b6d425a711001";
    let EdgeMessage::PostureStateChange(posture) =
        EdgeMessage::decode(&frame(recorded).into_message()).unwrap()
    else {
        panic!("a state of posture");
    };
    let unnumbered = PostureStateChange {
        sequence: 0,
        ..posture
    };
    world.channel(alice).send_posture(unnumbered);
    world.settle();
    assert_same(&sent(&mut world), recorded);
}

#[test]
fn token_update_succeeds() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let renewed = super::judge::session("alice", portcullis_router::edge::SessionKind::Oidc);
    world.judge.know(renewed);
    let update = EdgeMessage::UpdateToken(portcullis_wire::edge::UpdateToken {
        access_token: Token::new("ey-alice".to_owned()),
    });
    world.says_frame(alice, super::world::frame_of(update.encode().unwrap(), 40));
    assert_same(
        &sent(&mut world),
        "0306090c81ed0000270000000c00000000000000010000000400000028000000",
    );
}

#[test]
fn trace_goes_on_to_the_host() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.served(bind, "c1");
    let trace = Control {
        kind: ControlKind::TraceRoute,
        circuit_id: "c1".to_owned(),
        hops: Some(2),
        time_millis: Some(u64::from_le_bytes([
            0xe0, 0xf2, 0x31, 0xfe, 0xa1, 0x01, 0x00, 0x00,
        ])),
        user_value: Some(12),
        ..Control::default()
    };
    world.delivers(bob, &terminating("c1"), ToSdk::Control(trace));
    assert_same(
        &sent(&mut world),
        "0306090c7ced0000070000003400000000000000e80300000400000000000080f80300000400000001000000f703000008000000e0f231fea1010000fb030000040000000c000000",
    );
}

/// An acknowledgement without a connection, and the payload headers of an SDK whose router is the end.
#[test]
fn xgress_frames_are_those_of_the_circuit() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let recorded = "0306090c4d040000040000003400000004000000d40800000200000020dcd008000016000000315a5a4a524a735448366458626e4c41494a4f43646fd3080000040000001800000000000001";
    world.dialed(alice, 1, "1ZZJRJsTH6dXbnLAIJOCdo", true);
    world.done.put.clear();
    world.says_frame(alice, frame(recorded));
    let Some((end, FromSdk::Acknowledgement(acknowledgement))) = world.done.put.pop_front() else {
        panic!("an acknowledgement");
    };
    assert_eq!(end, initiating("1ZZJRJsTH6dXbnLAIJOCdo"));
    let again = EdgeMessage::Acknowledgement(acknowledgement);
    assert_same(&again.encode().unwrap(), recorded);

    let fin = frame(
        "0306090c4c040000050000003100000000000000d4080000020000005dade00700000400000001000000d008000003000000616263d1080000080000000600000000000000",
    );
    let Ok(EdgeMessage::Payload(fin)) = EdgeMessage::decode(&fin.into_message()) else {
        panic!("a payload");
    };
    world.dialed(alice, 2, "abc", false);
    let data = CircuitData {
        headers: fin.headers,
        data: fin.data,
    };
    world.delivers(alice, &initiating("abc"), ToSdk::Data(data));
    let (message, _) = world.sent();
    assert!(matches!(message, EdgeMessage::Data(data) if data.flags == DataFlags::FIN));
}
