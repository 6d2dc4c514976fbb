//! Ids of connections, and what hostile SDKs do with them.

use super::judge::legacy;
use super::world::{SERVICE, World, bind, closings, connect, connect_v2, created, initiating};
use bytes::Bytes;
use portcullis_memory_budget::{Account, MemoryBudget};
use portcullis_router::edge::{
    Action, Closing, DialMessage, Dialed, EdgeLimits, FromSdk, SessionKind, ToSdk,
};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::FaultSubject;
use portcullis_wire::edge::{Connect, ConnectionId, Data, EdgeMessage, StateClosed};
use portcullis_wire::{ErrorCode, Secret};
use std::sync::Arc;
use std::time::Duration;

fn close(id: u32) -> EdgeMessage {
    EdgeMessage::StateClosed(StateClosed {
        connection: Some(ConnectionId(id)),
        ..StateClosed::default()
    })
}

fn data(id: u32, bytes: usize) -> EdgeMessage {
    EdgeMessage::Data(Data {
        connection: ConnectionId(id),
        data: Secret::new(Bytes::from(vec![b'x'; bytes])),
        ..Data::default()
    })
}

/// C SDKs count from 0.
#[test]
fn id_0_is_one_like_others() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(0)));
    let (request, _) = world.request();
    world.controller_answers(alice, request, created("c1"));
    let (message, _) = world.sent();
    let EdgeMessage::StateConnected(connected) = message else {
        panic!("{message:?}");
    };
    assert_eq!(connected.connection, ConnectionId(0));
    assert!(!connected.uses_xgress);
    assert_eq!(connected.controller_id, None);
    assert_eq!(connected.xgress_address, None);
}

#[test]
fn circuit_exists_before_the_sdk_knows_and_starts_after() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1)));
    let (request, _) = world.request();
    let sdk = world.channels.get_mut(&alice).unwrap();
    let from = super::world::controller();
    let took = Duration::from_millis(30);
    let now = world.now + took;
    sdk.controller_answered(request, from, created("c1"), &world.judge, now);
    assert!(matches!(sdk.poll(), Some(Action::Open(end)) if end.address == "ingress-of-c1"));
    assert!(matches!(sdk.poll(), Some(Action::Send(_))));
    let dialed = Dialed {
        end: initiating("c1"),
        connection: ConnectionId(1),
        message: DialMessage::Connect,
        took,
    };
    assert_eq!(sdk.poll(), Some(Action::Start(dialed)));
    assert_eq!(sdk.poll(), None);
}

#[test]
fn id_in_use_is_refused_and_the_first_connection_stays() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    for uses_xgress in [false, true] {
        let id = u32::from(uses_xgress);
        world.dialed(
            alice,
            id,
            if uses_xgress { "c1" } else { "c0" },
            uses_xgress,
        );
        world.says(alice, EdgeMessage::Connect(connect(id)));
        let closed = world.closed();
        assert!(
            closed.reason.contains("already in use"),
            "{}",
            closed.reason
        );
        world.says(alice, EdgeMessage::Bind(bind(id, "listener")));
        assert!(world.closed().reason.contains("already in use"));
    }
    assert!(world.done.requests.is_empty());
    assert_eq!(world.channel(alice).connections(), 2);
}

#[test]
fn dial_of_an_encrypted_service_needs_a_key() {
    for kind in [SessionKind::Oidc, legacy()] {
        let mut world = World::new();
        let alice = world.connect("alice", kind.clone());
        let encrypted = world.judge.encrypted.get_mut();
        encrypted.insert(SERVICE.to_owned());
        let mut dials = vec![EdgeMessage::Connect(connect(1))];
        if kind == SessionKind::Oidc {
            dials.push(EdgeMessage::ConnectV2(connect_v2(1, SERVICE)));
        }
        for dial in dials {
            world.says(alice, dial);
            let closed = world.closed();
            assert_eq!(closed.code, Some(ErrorCode::EncryptionDataMissing));
            let json = closed.structured_error.unwrap();
            assert!(json.contains(r#""code":11,"retryHint":2"#), "{json}");
        }
        assert!(world.done.requests.is_empty(), "no controller is asked");
        let dial = Connect {
            public_key: Some(Bytes::from_static(&[7; 32])),
            ..connect(1)
        };
        world.says(alice, EdgeMessage::Connect(dial));
        world.request();
    }
}

#[test]
fn ids_of_the_router_cannot_be_chosen() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1 << 31)));
    assert!(world.closed().reason.contains("router"));
    world.says(alice, EdgeMessage::Bind(bind(u32::MAX, "listener")));
    assert!(world.closed().reason.contains("router"));
    assert_eq!(world.channel(alice).connections(), 0);
}

#[test]
fn data_before_and_after_a_connection_is_dropped() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1)));
    world.says(alice, data(1, 10));
    assert!(world.done.put.is_empty());
    let (request, _) = world.request();
    world.controller_answers(alice, request, created("c1"));
    world.says(alice, data(1, 10));
    assert_eq!(world.done.put.len(), 1);
    world.says(alice, close(1));
    world.says(alice, close(1));
    world.says(alice, data(1, 10));
    assert_eq!(world.done.put.len(), 1);
    assert_eq!(
        closings(&mut world),
        [("c1".to_owned(), Closing::Gracefully)],
        "once"
    );
}

#[test]
fn closed_dial_is_answered_and_its_late_circuit_given_back() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1)));
    world.says(alice, close(1));
    assert_eq!(world.closed().reason, "closed by the client");
    let (request, _) = world.request();
    world.controller_answers(alice, request, created("c1"));
    world.nothing_sent();
    let Some(ControlMessage::Fault(fault)) = world.done.told.pop_front() else {
        panic!("a fault");
    };
    assert_eq!(fault.subject, FaultSubject::Ingress);
    assert_eq!(fault.id, "c1");
}

#[test]
fn dials_that_were_given_up_count_until_a_controller_answers() {
    let mut world = World::with_limits(EdgeLimits {
        pending_dials: 2,
        ..EdgeLimits::default()
    });
    let alice = world.oidc("alice");
    for _ in 0..2 {
        world.says(alice, EdgeMessage::Connect(connect(1)));
        world.says(alice, close(1));
    }
    world.done.sent.clear();
    world.says(alice, EdgeMessage::Connect(connect(1)));
    assert_eq!(
        world.closed().reason,
        "too many connections are being dialed"
    );
    world.channel(alice).lost();
    world.settle();
    let requests = std::mem::take(&mut world.done.requests);
    for (_, request, _) in requests {
        assert!(!world.channel(alice).is_finished(), "a circuit may come");
        world.controller_answers(alice, request, ControlMessage::QuiesceRouter);
    }
    assert!(world.channel(alice).is_finished());
}

#[test]
fn circuit_that_the_channel_has_already_is_refused() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", true);
    for circuit in ["c1", ""] {
        world.says(alice, EdgeMessage::Connect(connect(2)));
        let (request, _) = world.request();
        world.controller_answers(alice, request, created(circuit));
        assert_eq!(world.closed().code, Some(ErrorCode::Internal));
    }
    assert!(world.done.told.is_empty(), "the first one lives");
}

/// Defect 15 of the original: there could be any number of them.
#[test]
fn connections_dials_and_binds_are_bounded() {
    let mut world = World::with_limits(EdgeLimits {
        connections: 4,
        pending_dials: 2,
        binds: 1,
        ..EdgeLimits::default()
    });
    let alice = world.oidc("alice");
    for id in 0..2 {
        world.says(alice, EdgeMessage::Connect(connect(id)));
    }
    world.says(alice, EdgeMessage::Connect(connect(2)));
    let closed = world.closed();
    assert_eq!(closed.reason, "too many connections are being dialed");
    assert!(
        closed
            .structured_error
            .unwrap()
            .contains(r#""retryHint":1"#)
    );

    world.says(alice, EdgeMessage::Bind(bind(2, "l1")));
    world.done.sent.clear();
    world.says(alice, EdgeMessage::Bind(bind(3, "l2")));
    assert_eq!(world.closed().reason, "too many binds");
    let requests = std::mem::take(&mut world.done.requests);
    for (circuit, (_, request, _)) in (0..).zip(requests) {
        world.controller_answers(alice, request, created(&format!("c{circuit}")));
    }
    world.done.sent.clear();
    world.dialed(alice, 3, "c9", false);
    world.says(alice, EdgeMessage::Connect(connect(4)));
    assert_eq!(world.closed().reason, "too many connections");
}

#[test]
fn channel_keeps_to_the_memory_that_there_is() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    let memory = Arc::new(MemoryBudget::new(16 << 20));
    let mut others = Account::new(&memory);
    others.set(memory.limit());
    world.channel(alice).heed_memory(&memory);
    assert!(world.channel(alice).wants_input());
    world.says(alice, data(1, 65 << 10));
    assert!(world.channel(alice).backlog() > 65 << 10);
    assert!(!world.channel(alice).wants_input());
    world.says(alice, EdgeMessage::Connect(connect(2)));
    assert_eq!(world.closed().reason, "the router is short of memory");

    drop(others);
    world.channel(alice).heed_memory(&memory);
    assert!(world.channel(alice).wants_input());
    world.says(alice, EdgeMessage::Connect(connect(2)));
    world.request();
}

#[test]
fn what_a_bind_leaves_in_memory_is_bounded() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let long = world.limits.name_bytes + 1;
    let mut cases = vec![bind(1, &"l".repeat(long))];
    let mut other = bind(1, "l");
    other.instance_id = Some("i".repeat(long));
    cases.push(other);
    let mut other = bind(1, "l");
    other.public_key = Some(vec![0; long].into());
    cases.push(other);
    let mut other = bind(1, "l");
    other.instance_secret = Some(Secret::new(vec![0; long].into()));
    cases.push(other);
    let mut other = bind(1, "l");
    other.session_token = Secret::new("ey".repeat(world.limits.token_bytes));
    cases.push(other);
    for case in cases {
        world.says(bob, EdgeMessage::Bind(case));
        assert!(world.closed().reason.contains("long"));
    }
}

#[test]
fn app_data_that_controllers_would_not_read_is_refused() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let mut message = connect(1);
    message.app_data = Some(Secret::new(vec![0; 8193].into()));
    world.says(alice, EdgeMessage::Connect(message));
    assert!(world.closed().reason.contains("1011"));
}

/// Defect 14 of the original: a circuit that took nothing stalled all others of its SDK at once.
#[test]
fn slow_circuit_stalls_its_sdk_only_when_its_backlog_is_full() {
    let mut world = World::with_limits(EdgeLimits {
        connection_backlog_bytes: 10_000,
        backlog_bytes: 15_000,
        ..EdgeLimits::default()
    });
    let alice = world.oidc("alice");
    let bob = world.connect("bob", legacy());
    world.dialed(alice, 1, "slow", false);
    world.dialed(alice, 2, "fast", false);
    world.says(alice, data(1, 9_000));
    assert!(world.channel(alice).wants_input(), "others go on");
    world.says(alice, data(2, 5_000));
    world
        .channel(alice)
        .taken_by(&initiating("fast"), usize::MAX);
    world.says(alice, data(1, 3_000));
    assert!(!world.channel(alice).wants_input());
    assert!(world.channel(bob).wants_input(), "it is alone with that");
    world.channel(alice).taken_by(&initiating("slow"), 4_000);
    assert!(world.channel(alice).wants_input());

    // Two circuits within their own bounds can fill the channel's.
    world.says(alice, data(2, 9_000));
    assert!(!world.channel(alice).wants_input());
    world.says(alice, close(1));
    assert!(
        world.channel(alice).wants_input(),
        "what is closed does not count"
    );
    world
        .channel(alice)
        .taken_by(&initiating("fast"), usize::MAX);
    world
        .channel(alice)
        .taken_by(&initiating("slow"), usize::MAX);
    world.says(alice, data(2, 10_001));
    assert!(!world.channel(alice).wants_input());
    world.says(alice, close(2));
    assert!(world.channel(alice).wants_input());
}

#[test]
fn messages_without_data_fill_the_backlog_too() {
    let mut world = World::with_limits(EdgeLimits {
        connection_backlog_bytes: 100_000,
        ..EdgeLimits::default()
    });
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    let mut count = 0;
    while world.channel(alice).wants_input() && count < 10_000 {
        world.says(alice, data(1, 0));
        count += 1;
    }
    assert!(count < 1_000, "{count} messages");
    let put = world.done.put.drain(..);
    let weight = put.map(|(_, content)| match content {
        FromSdk::Data(data) => data.weight(),
        other => panic!("{other:?}"),
    });
    let weight: usize = weight.sum();
    world.channel(alice).taken_by(&initiating("c1"), weight);
    assert!(world.channel(alice).wants_input());
}

#[test]
fn uuids_count_and_long_ones_are_dropped() {
    use portcullis_wire::edge::Data;
    use portcullis_wire::xgress::payload_header::UUID;
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    for length in [0, 16, 65] {
        let uuid = (length > 0).then(|| vec![1; length].into());
        let message = Data {
            uuid,
            ..Data::default()
        };
        let connection = ConnectionId(1);
        world.says(
            alice,
            EdgeMessage::Data(Data {
                connection,
                ..message
            }),
        );
    }
    let put: Vec<_> = world.done.put.drain(..).collect();
    let put: Vec<_> = put
        .iter()
        .map(|(_, content)| match content {
            FromSdk::Data(data) => (data.headers.get(&UUID).map(Bytes::len), data.weight()),
            other => panic!("{other:?}"),
        })
        .collect();
    let [(None, empty), (Some(16), named), (None, cut)] = put[..] else {
        panic!("{put:?}");
    };
    assert!(named >= empty + 16);
    assert_eq!(cut, empty);
}

#[test]
fn payloads_go_by_their_circuit_and_come_with_the_connection() {
    use portcullis_wire::xgress::{Acknowledgement, Payload};
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", true);
    world.dialed(alice, 2, "c2", false);
    let payload = |circuit: &str| Payload {
        circuit_id: circuit.to_owned(),
        ..Payload::default()
    };
    let acknowledgement = Acknowledgement {
        circuit_id: "c1".to_owned(),
        ..Acknowledgement::default()
    };
    let numbered = Payload {
        connection: Some(ConnectionId(1)),
        ..payload("c1")
    };
    world.says(alice, EdgeMessage::Payload(numbered));
    world.says(alice, EdgeMessage::Acknowledgement(acknowledgement.clone()));
    // Those of a circuit that ends in the router are not the SDK's to send.
    world.says(alice, EdgeMessage::Payload(payload("c2")));
    world.says(alice, data(1, 5));
    let put: Vec<_> = world.done.put.drain(..).collect();
    assert_eq!(
        put,
        [
            (initiating("c1"), FromSdk::Payload(payload("c1"))),
            (
                initiating("c1"),
                FromSdk::Acknowledgement(acknowledgement.clone())
            ),
        ]
    );

    world.delivers(alice, &initiating("c1"), ToSdk::Payload(payload("c1")));
    let (message, _) = world.sent();
    let with_connection = Payload {
        connection: Some(ConnectionId(1)),
        ..payload("c1")
    };
    assert_eq!(message, EdgeMessage::Payload(with_connection));
    world.delivers(
        alice,
        &initiating("c1"),
        ToSdk::Acknowledgement(acknowledgement),
    );
    assert!(matches!(
        world.sent().0,
        EdgeMessage::Acknowledgement(own) if own.connection == Some(ConnectionId(1))
    ));
    world.delivers(alice, &initiating("c2"), ToSdk::Payload(payload("c2")));
    world.delivers(
        alice,
        &initiating("unknown"),
        ToSdk::Payload(payload("unknown")),
    );
    world.nothing_sent();
}

#[test]
fn end_of_data_is_one_fin() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    world.delivers(alice, &initiating("c1"), ToSdk::EndOfData);
    let (message, _) = world.sent();
    let EdgeMessage::Data(fin) = message else {
        panic!("{message:?}");
    };
    assert!(fin.flags.contains(portcullis_wire::edge::DataFlags::FIN));
    assert!(fin.data.expose().is_empty());
    world.delivers(alice, &initiating("c1"), ToSdk::EndOfData);
    world.nothing_sent();
}

/// What a stalled SDK does not take is dropped if somebody repeats it; else its channel has to end.
#[test]
fn only_what_is_repeated_may_be_dropped() {
    use portcullis_router::edge::Outgoing;
    use portcullis_wire::edge::{BindSuccess, TraceRoute};
    use portcullis_wire::xgress::{Acknowledgement, Control, Payload};
    let may_be_dropped = |message| {
        let outgoing = Outgoing {
            message,
            reply_to: None,
        };
        outgoing.may_be_dropped()
    };
    for message in [
        EdgeMessage::Payload(Payload::default()),
        EdgeMessage::Acknowledgement(Acknowledgement::default()),
        EdgeMessage::Control(Control::default()),
        EdgeMessage::TraceRoute(TraceRoute::default()),
    ] {
        assert!(may_be_dropped(message));
    }
    for message in [
        EdgeMessage::Data(Data::default()),
        EdgeMessage::StateClosed(StateClosed::default()),
        EdgeMessage::BindSuccess(BindSuccess::default()),
        EdgeMessage::UpdateTokenSuccess,
    ] {
        assert!(!may_be_dropped(message));
    }
}
