//! Traces of circuits, and inspections of SDKs.

use super::world::{ROUTER, World, bind, initiating, on_the_wire, terminating};
use portcullis_channel::{HeaderKey, Headers};
use portcullis_router::edge::{Action, EdgeLimits, FromSdk, InspectionId, ToSdk};
use portcullis_wire::edge::{
    Bind, ConnectionId, EdgeMessage, InspectResponse, TraceRoute, TraceRouteResponse,
};
use portcullis_wire::xgress::{Control, ControlKind};
use std::time::Duration;

fn trace(id: u32, hops: u32) -> EdgeMessage {
    EdgeMessage::TraceRoute(TraceRoute {
        connection: ConnectionId(id),
        hops,
        time_millis: 77,
        source_request: None,
    })
}

fn response(world: &mut World) -> (TraceRouteResponse, i32) {
    let (message, reply_to) = world.sent();
    let written = on_the_wire(&message, reply_to.as_ref());
    let EdgeMessage::TraceRouteResponse(response) = message else {
        panic!("{message:?}");
    };
    (response, written.headers.i32(HeaderKey(1)).unwrap())
}

fn put(world: &mut World) -> Control {
    match world.done.put.pop_front() {
        Some((_, FromSdk::Control(control))) => control,
        other => panic!("{other:?}"),
    }
}

#[test]
fn trace_that_ends_at_the_router_is_answered_by_it() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    for hops in [0, 1] {
        let sequence = world.says(alice, trace(1, hops));
        let (response, reply_for) = response(&mut world);
        assert_eq!(reply_for, sequence.0);
        assert_eq!(response.connection, ConnectionId(1));
        assert_eq!(response.hop_kind.as_deref(), Some("xgress/edge"));
        assert_eq!(response.hop_id.as_deref(), Some(ROUTER));
        assert_eq!(response.hops, Some(0));
        assert_eq!(response.time_millis, Some(77));
    }
    world.says(alice, trace(9, 5));
    assert!(response(&mut world).0.error.is_some(), "there is no 9");
}

#[test]
fn trace_travels_on_and_its_answer_finds_its_way_back() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    let sequence = world.says(alice, trace(1, 3));
    let control = put(&mut world);
    assert_eq!(control.kind, ControlKind::TraceRoute);
    assert_eq!(control.hops, Some(2));
    assert_eq!(control.user_value, Some(sequence.0.cast_unsigned()));
    let answer = Control {
        kind: ControlKind::TraceRouteAnswer,
        hop_kind: Some("forwarder".to_owned()),
        hop_id: Some("r2".to_owned()),
        ..control
    };
    world.delivers(alice, &initiating("c1"), ToSdk::Control(answer.clone()));
    let (response, reply_for) = response(&mut world);
    assert_eq!(reply_for, sequence.0);
    assert_eq!(response.hop_kind.as_deref(), Some("forwarder"));
    world.delivers(alice, &initiating("c1"), ToSdk::Control(answer));
    world.nothing_sent();
}

#[test]
fn sdk_that_is_the_end_of_a_circuit_traces_with_the_number_of_its_message() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", true);
    let control = Control {
        kind: ControlKind::TraceRoute,
        circuit_id: "c1".to_owned(),
        hops: Some(3),
        ..Control::default()
    };
    let sequence = world.says(alice, EdgeMessage::Control(control));
    let control = put(&mut world);
    assert_eq!(control.user_value, Some(sequence.0.cast_unsigned()));
    assert_eq!(control.hops, Some(3), "forwarders count");
    let answer = Control {
        kind: ControlKind::TraceRouteAnswer,
        ..control
    };
    world.delivers(alice, &initiating("c1"), ToSdk::Control(answer));
    let (message, reply_to) = world.sent();
    let written = on_the_wire(&message, reply_to.as_ref());
    assert_eq!(written.headers.i32(HeaderKey(1)), Some(sequence.0));
    assert!(matches!(message, EdgeMessage::Control(_)));
}

#[test]
fn trace_to_a_host_stops_here_or_comes_back_from_it() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    let id = world.served(bind, "c1");
    let control = |hops| Control {
        kind: ControlKind::TraceRoute,
        circuit_id: "c1".to_owned(),
        hops: Some(hops),
        user_value: Some(12),
        ..Control::default()
    };
    world.delivers(bob, &terminating("c1"), ToSdk::Control(control(1)));
    let answer = put(&mut world);
    assert_eq!(answer.kind, ControlKind::TraceRouteAnswer);
    assert_eq!(answer.hop_kind.as_deref(), Some("xgress/edge"));
    assert_eq!(answer.user_value, Some(12));

    world.delivers(bob, &terminating("c1"), ToSdk::Control(control(2)));
    let (message, _) = world.sent();
    assert!(matches!(message, EdgeMessage::TraceRoute(own) if own.source_request == Some(12)));
    let answer = TraceRouteResponse {
        connection: id,
        hops: Some(0),
        hop_kind: Some("sdk/golang".to_owned()),
        source_request: Some(12),
        ..TraceRouteResponse::default()
    };
    world.says(bob, EdgeMessage::TraceRouteResponse(answer));
    let answer = put(&mut world);
    assert_eq!(answer.kind, ControlKind::TraceRouteAnswer);
    assert_eq!(answer.user_value, Some(12));
    assert_eq!(answer.hop_kind.as_deref(), Some("sdk/golang"));
}

#[test]
fn trace_to_a_host_that_is_the_end_itself_goes_through() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let message = Bind {
        uses_xgress: true,
        ..bind(1, "listener")
    };
    let bind = world.bound(bob, message);
    world.served(bind, "c1");
    let control = Control {
        kind: ControlKind::TraceRoute,
        circuit_id: "c1".to_owned(),
        hops: Some(1),
        user_value: Some(12),
        ..Control::default()
    };
    // The dialing SDK calls the connection 1, the host something else, and nobody else anything.
    let others = |connection| Headers::builder().u32(HeaderKey(1000), connection).build();
    let from_dialer = Control {
        others: others(1),
        ..control.clone()
    };
    world.delivers(bob, &terminating("c1"), ToSdk::Control(from_dialer));
    let for_host = Control {
        others: others(0x8000_0000),
        ..control
    };
    assert_eq!(world.sent().0, EdgeMessage::Control(for_host.clone()));
    let answer = Control {
        kind: ControlKind::TraceRouteAnswer,
        ..for_host
    };
    world.says(bob, EdgeMessage::Control(answer.clone()));
    let nameless = Control {
        others: Headers::empty(),
        ..answer
    };
    assert_eq!(put(&mut world), nameless);
}

#[test]
fn traces_that_wait_are_bounded() {
    let mut world = World::with_limits(EdgeLimits {
        traces: 2,
        ..EdgeLimits::default()
    });
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    let controls: Vec<Control> = (0..3)
        .map(|_| {
            world.says(alice, trace(1, 3));
            put(&mut world)
        })
        .collect();
    let answered = controls.into_iter().filter(|control| {
        let answer = Control {
            kind: ControlKind::TraceRouteAnswer,
            ..control.clone()
        };
        world.delivers(alice, &initiating("c1"), ToSdk::Control(answer));
        world.done.sent.pop_front().is_some()
    });
    assert_eq!(answered.count(), 2, "the oldest is forgotten");
}

fn outcome(world: &mut World) -> Result<String, String> {
    match world.done.others.pop_front() {
        Some(Action::Inspected { result, .. }) => result.map(|json| json.expose().clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn inspection_is_answered_once_or_given_up() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let inspect = |world: &mut World| {
        let now = world.now;
        let names = vec!["context".to_owned()];
        world
            .channel(alice)
            .inspect(InspectionId(1), None, names, now);
        world.settle();
        world.done.asked.pop_front().map(|(_, ask, _)| ask)
    };
    let answer = EdgeMessage::InspectResponse(InspectResponse {
        json: portcullis_wire::Secret::new("{}".to_owned()),
        ..InspectResponse::default()
    });
    let ask = inspect(&mut world).unwrap();
    world.answers(alice, ask, answer.clone());
    assert_eq!(outcome(&mut world).as_deref(), Ok("{}"));
    world.answers(alice, ask, answer);
    assert!(world.done.others.is_empty());

    inspect(&mut world).unwrap();
    world.wait(Duration::from_secs(10));
    assert!(outcome(&mut world).is_err(), "C SDKs do not answer");

    for _ in 0..world.limits.inspections {
        inspect(&mut world).unwrap();
    }
    assert!(inspect(&mut world).is_none(), "that is enough");
    assert!(outcome(&mut world).is_err());
}
