//! An SDK that dials what it hosts itself, so that both ends of a circuit are at its channel.

use super::world::{World, bind, connect, initiating, terminating};
use bytes::Bytes;
use portcullis_channel::{HeaderKey, Headers};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{
    Action, ChannelId, CircuitEnded, Closing, EdgeLimits, EndId, FromSdk, ToSdk,
};
use portcullis_wire::Secret;
use portcullis_wire::edge::{Bind, CircuitClosed, ConnectionId, Data, EdgeMessage, StateClosed};
use portcullis_wire::xgress::{Acknowledgement, Control, ControlKind, Payload, PayloadFlags};

const CIRCUIT: &str = "c1";
const DIALED: ConnectionId = ConnectionId(2);

/// A channel with both ends of [`CIRCUIT`], each in the SDK or in the router: the connection that is dialed
/// is [`DIALED`], the other is returned.
fn joined(world: &mut World, [client_is_end, host_is_end]: [bool; 2]) -> (ChannelId, ConnectionId) {
    let alice = world.oidc("alice");
    let message = Bind {
        uses_xgress: host_is_end,
        ..bind(1, "listener")
    };
    let bind = world.bound(alice, message);
    let mut connect = connect(DIALED.0);
    connect.uses_xgress = client_is_end;
    world.says(alice, EdgeMessage::Connect(connect));
    let (request, _) = world.request();
    let served = world.served(bind, CIRCUIT);
    world.controller_answers(alice, request, super::world::created(CIRCUIT));
    let sent = world.sent().0;
    assert!(matches!(sent, EdgeMessage::StateConnected(_)), "{sent:?}");
    world.done.others.clear();
    world.done.put.clear();
    (alice, served)
}

fn data(connection: ConnectionId, bytes: usize) -> EdgeMessage {
    EdgeMessage::Data(Data {
        connection,
        data: Secret::new(Bytes::from(vec![b'x'; bytes])),
        ..Data::default()
    })
}

fn payload(flags: PayloadFlags) -> Payload {
    Payload {
        circuit_id: CIRCUIT.to_owned(),
        flags,
        ..Payload::default()
    }
}

/// The ends that something was put into.
fn put(world: &mut World) -> Vec<EndId> {
    world.done.put.drain(..).map(|(end, _)| end).collect()
}

/// The ends that were closed.
fn closed(world: &mut World) -> Vec<(EndId, Closing)> {
    let others = std::mem::take(&mut world.done.others).into_iter();
    let closed = others.filter_map(|action| match action {
        Action::Close { end, closing } => Some((end, closing)),
        _ => None,
    });
    closed.collect()
}

/// The connections that the SDK is told have ended, in their order.
fn told(world: &mut World) -> Vec<(ConnectionId, String)> {
    let sent = world.done.sent.drain(..);
    let mut told: Vec<_> = sent
        .map(|(_, outgoing)| match outgoing.message {
            EdgeMessage::StateClosed(closed) => (closed.connection.unwrap(), closed.reason),
            other => panic!("{other:?}"),
        })
        .collect();
    told.sort();
    told
}

#[test]
fn data_of_one_connection_comes_out_at_the_other() {
    let mut world = World::new();
    let (alice, served) = joined(&mut world, [false, false]);
    world.says(alice, data(DIALED, 1));
    assert_eq!(put(&mut world), [initiating(CIRCUIT)]);
    world.says(alice, data(served, 1));
    assert_eq!(put(&mut world), [terminating(CIRCUIT)]);
    for (end, connection) in [
        (initiating(CIRCUIT), DIALED),
        (terminating(CIRCUIT), served),
    ] {
        world.delivers(alice, &end, ToSdk::EndOfData);
        let sent = world.sent().0;
        assert!(matches!(sent, EdgeMessage::Data(data) if data.connection == connection));
    }
}

#[test]
fn each_end_holds_back_what_it_has_not_taken() {
    let mut world = World::with_limits(EdgeLimits {
        connection_backlog_bytes: 5_000,
        ..EdgeLimits::default()
    });
    let (alice, served) = joined(&mut world, [false, false]);
    world.says(alice, data(DIALED, 4_000));
    world.says(alice, data(served, 6_000));
    world.channel(alice).taken_by(&initiating(CIRCUIT), 4_000);
    assert!(!world.channel(alice).wants_input());
    world.channel(alice).taken_by(&terminating(CIRCUIT), 6_000);
    assert!(world.channel(alice).wants_input());
}

/// Else nothing would go on: what it acknowledges is behind what the router does not read.
#[test]
fn end_in_the_sdk_does_not_hold_back_its_own_acknowledgements() {
    let mut world = World::with_limits(EdgeLimits {
        connection_backlog_bytes: 5_000,
        backlog_bytes: 20_000,
        ..EdgeLimits::default()
    });
    let (alice, served) = joined(&mut world, [true, false]);
    world.says(alice, data(served, 19_000));
    assert!(world.channel(alice).wants_input());
    world.says(alice, data(served, 1));
    assert!(!world.channel(alice).wants_input(), "all has an end");
    world.channel(alice).taken_by(&terminating(CIRCUIT), 6_000);
    assert!(world.channel(alice).wants_input());
    let closed = StateClosed {
        connection: Some(DIALED),
        ..StateClosed::default()
    };
    world.says(alice, EdgeMessage::StateClosed(closed));
    world.says(alice, data(served, 1));
    assert!(!world.channel(alice).wants_input());
    let ended = ToSdk::Ended(CircuitEnded::Unrouted);
    world.delivers(alice, &terminating(CIRCUIT), ended);
    assert!(world.channel(alice).wants_input());
}

#[test]
fn payloads_and_acknowledgements_tell_by_their_flags_which_end_they_are_from() {
    let mut world = World::new();
    let (alice, served) = joined(&mut world, [true, true]);
    let ends = [
        (initiating(CIRCUIT), DIALED, PayloadFlags::CIRCUIT_START),
        (terminating(CIRCUIT), served, PayloadFlags::FROM_TERMINATOR),
    ];
    for (end, connection, flags) in ends {
        world.says(alice, EdgeMessage::Payload(payload(flags)));
        let acknowledgement = Acknowledgement {
            circuit_id: CIRCUIT.to_owned(),
            flags,
            ..Acknowledgement::default()
        };
        world.says(alice, EdgeMessage::Acknowledgement(acknowledgement.clone()));
        assert_eq!(put(&mut world), [end.clone(), end.clone()]);

        world.delivers(alice, &end, ToSdk::Payload(payload(flags)));
        let sent = world.sent().0;
        assert!(matches!(sent, EdgeMessage::Payload(own) if own.connection == Some(connection)));
        world.delivers(alice, &end, ToSdk::Acknowledgement(acknowledgement));
        let sent = world.sent().0;
        assert!(
            matches!(sent, EdgeMessage::Acknowledgement(own) if own.connection == Some(connection))
        );
    }
}

/// As Go SDKs do that are not told otherwise: they are the end of what they dial, not of what they host.
#[test]
fn one_end_may_be_in_the_sdk_and_the_other_in_the_router() {
    let mut world = World::new();
    let (alice, served) = joined(&mut world, [true, false]);
    world.says(
        alice,
        EdgeMessage::Payload(payload(PayloadFlags::default())),
    );
    assert_eq!(put(&mut world), [initiating(CIRCUIT)]);
    world.says(alice, data(served, 1));
    assert_eq!(put(&mut world), [terminating(CIRCUIT)]);
    // Nobody else speaks for the end in the router.
    let forged = payload(PayloadFlags::FROM_TERMINATOR);
    world.says(alice, EdgeMessage::Payload(forged));
    world.says(alice, data(DIALED, 1));
    assert_eq!(put(&mut world), []);

    let message = EdgeMessage::CircuitClosed(CircuitClosed {
        circuit_id: CIRCUIT.to_owned(),
    });
    world.says(alice, message);
    assert_eq!(closed(&mut world), [(initiating(CIRCUIT), Closing::AtOnce)]);
    assert_eq!(told(&mut world), [(DIALED, "close called".to_owned())]);
    let ended = ToSdk::Ended(CircuitEnded::Unrouted);
    world.delivers(alice, &terminating(CIRCUIT), ended);
    assert_eq!(told(&mut world), [(served, "xgress unrouted".to_owned())]);
}

#[test]
fn circuit_that_is_closed_by_its_id_is_over_for_both_ends() {
    let mut world = World::new();
    let (alice, served) = joined(&mut world, [true, true]);
    let message = EdgeMessage::CircuitClosed(CircuitClosed {
        circuit_id: CIRCUIT.to_owned(),
    });
    world.says(alice, &message);
    let ends = [initiating(CIRCUIT), terminating(CIRCUIT)];
    assert_eq!(closed(&mut world), ends.map(|end| (end, Closing::AtOnce)));
    let ended = [DIALED, served].map(|id| (id, "close called".to_owned()));
    assert_eq!(told(&mut world), ended);
    world.says(alice, message);
    assert_eq!(closed(&mut world), []);
    assert_eq!(world.channel(alice).connections(), 1, "the bind");
}

#[test]
fn closed_connection_leaves_the_other_end_to_its_circuit() {
    let mut world = World::new();
    let (alice, served) = joined(&mut world, [false, false]);
    let message = EdgeMessage::StateClosed(StateClosed {
        connection: Some(DIALED),
        ..StateClosed::default()
    });
    world.says(alice, message);
    assert_eq!(
        closed(&mut world),
        [(initiating(CIRCUIT), Closing::Gracefully)]
    );
    world.says(alice, data(served, 1));
    assert_eq!(put(&mut world), [terminating(CIRCUIT)]);
    let ended = ToSdk::Ended(CircuitEnded::Closed);
    world.delivers(alice, &terminating(CIRCUIT), ended);
    assert_eq!(told(&mut world), [(served, "close called".to_owned())]);
}

#[test]
fn right_that_is_lost_ends_one_end() {
    for (grant, end) in [
        (ServiceGrant::Dial, initiating(CIRCUIT)),
        (ServiceGrant::Bind, terminating(CIRCUIT)),
    ] {
        let mut world = World::new();
        joined(&mut world, [true, true]);
        world.judge.deny("alice", grant, "svc1");
        world.review();
        assert_eq!(closed(&mut world), [(end, Closing::AtOnce)]);
    }
}

/// Traces have no flag; they name the connection.
#[test]
fn traces_come_from_the_end_whose_connection_they_name() {
    let mut world = World::new();
    let (alice, served) = joined(&mut world, [true, true]);
    let named = |kind, ConnectionId(id)| Control {
        kind,
        circuit_id: CIRCUIT.to_owned(),
        hops: Some(9),
        others: Headers::builder().u32(HeaderKey(1000), id).build(),
        ..Control::default()
    };
    let request = named(ControlKind::TraceRoute, DIALED);
    let sequence = world.says(alice, EdgeMessage::Control(request));
    let Some((end, FromSdk::Control(request))) = world.done.put.pop_front() else {
        panic!("a trace");
    };
    assert_eq!(end, initiating(CIRCUIT));

    world.delivers(alice, &terminating(CIRCUIT), ToSdk::Control(request));
    let EdgeMessage::Control(request) = world.sent().0 else {
        panic!("a trace");
    };
    let answer = Control {
        kind: ControlKind::TraceRouteAnswer,
        ..request
    };
    world.says(alice, EdgeMessage::Control(answer));
    let Some((end, FromSdk::Control(answer))) = world.done.put.pop_front() else {
        panic!("its answer");
    };
    assert_eq!(end, terminating(CIRCUIT));

    world.delivers(alice, &initiating(CIRCUIT), ToSdk::Control(answer));
    let (message, reply_to) = world.sent();
    let written = super::world::on_the_wire(&message, reply_to.as_ref());
    assert_eq!(written.headers.i32(HeaderKey(1)), Some(sequence.0));
    assert_eq!(written.headers.u32(HeaderKey(1000)), Some(DIALED.0));

    let stray = named(ControlKind::TraceRoute, ConnectionId(served.0 + 1));
    world.says(alice, EdgeMessage::Control(stray));
    assert_eq!(put(&mut world), [initiating(CIRCUIT)]);
}

#[test]
fn circuit_has_each_end_once() {
    let mut world = World::new();
    let (alice, _) = joined(&mut world, [false, false]);
    world.says(alice, EdgeMessage::Connect(connect(3)));
    let (request, _) = world.request();
    world.controller_answers(alice, request, super::world::created(CIRCUIT));
    let (_, reason) = told(&mut world).remove(0);
    assert!(reason.contains("cannot be new"), "{reason}");
}
