//! Inspections, traces, services and posture.

use crate::support::{Sdk, modern, old};
use portcullis_channel::{HeaderKey, Headers};
use portcullis_sdk_proto::{EdgeEvent, NotSupported, TraceAnswer, TraceError};
use portcullis_wire::edge::{
    ConnectionId, EdgeMessage, InspectRequest, Posture, PostureResponse, PostureStateChange,
    ServiceChangeSet, ServiceSubscription, TraceRoute, TraceRouteResponse,
};
use portcullis_wire::xgress::{Control, ControlKind};
use std::time::Duration;

fn inspected(sdk: &mut Sdk, connection: Option<ConnectionId>, names: &[&str]) -> serde_json::Value {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let request = InspectRequest { connection, names };
    sdk.hears(&EdgeMessage::InspectRequest(request));
    match sdk.says_one() {
        EdgeMessage::InspectResponse(response) => {
            serde_json::from_str(response.json.expose()).unwrap()
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_router_may_look_inside() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.connects(true);
    sdk.says();
    let all = inspected(&mut sdk, None, &["circuits", "context", "circuit:abc"]);
    assert_eq!(all["success"], true);
    let listed = &all["values"]["circuits"]["circuits"]["abc"];
    for (name, value) in [("originator", "Initiator"), ("circuitId", "abc")] {
        assert_eq!(listed[name], value);
    }
    assert_eq!(listed["isXgress"], true);
    assert_eq!(all["values"]["circuit:abc"]["connId"], connection.0);
    assert_eq!(
        all["values"]["context"]["virtualConns"][0]["circuitId"],
        "abc"
    );
    let one = inspected(&mut sdk, Some(connection), &["circuitAndStacks:abc"]);
    let windows = &one["values"]["circuitAndStacks:abc"]["sendBufferDetail"];
    assert!(windows["windowSize"].is_u64(), "{one}");
    let none = inspected(
        &mut sdk,
        Some(ConnectionId(9)),
        &["circuit:abc", "circuits"],
    );
    assert_eq!(none["success"], false);
    assert_eq!(none["errors"].as_array().unwrap().len(), 2);
}

#[test]
fn traces_of_others_end_here() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.connects(true);
    sdk.says();
    let others = Headers::builder()
        .u32(HeaderKey(1000), connection.0)
        .build();
    let trace = Control {
        kind: ControlKind::TraceRoute,
        circuit_id: "abc".to_owned(),
        hops: Some(5),
        time_millis: Some(77),
        user_value: Some(3),
        others: others.clone(),
        ..Control::default()
    };
    sdk.hears(&EdgeMessage::Control(trace.clone()));
    let answer = Control {
        kind: ControlKind::TraceRouteAnswer,
        hops: Some(4),
        hop_kind: Some("sdk/portcullis".to_owned()),
        ..trace
    };
    let EdgeMessage::Control(said) = sdk.says_one() else {
        panic!("not a Control");
    };
    assert_eq!(said.others.u32(HeaderKey(1000)), Some(connection.0));
    assert_eq!(
        (said.kind, said.hops, said.user_value),
        (answer.kind, answer.hops, Some(3))
    );
    assert_eq!(said.hop_kind, answer.hop_kind);

    let legacy = sdk.connects(false);
    sdk.hears(&EdgeMessage::TraceRoute(TraceRoute {
        connection: legacy,
        hops: 1,
        time_millis: 77,
        source_request: Some(12),
    }));
    let answer = TraceRouteResponse {
        connection: legacy,
        hops: Some(0),
        time_millis: Some(77),
        hop_kind: Some("sdk/portcullis".to_owned()),
        hop_id: None,
        source_request: Some(12),
        error: None,
    };
    assert_eq!(sdk.says_one(), EdgeMessage::TraceRouteResponse(answer));
}

#[test]
fn own_traces_are_answered() {
    for uses_xgress in [false, true] {
        let mut sdk = Sdk::new(modern());
        let connection = sdk.connects(uses_xgress);
        sdk.says();
        sdk.channel.trace(connection, 2, sdk.now).unwrap();
        let said = sdk.says_one();
        sdk.passes(Duration::from_millis(12));
        let (kind, id) = (Some("forwarder".to_owned()), Some("router-2".to_owned()));
        let answer = match said {
            EdgeMessage::Control(trace) if uses_xgress => EdgeMessage::Control(Control {
                kind: ControlKind::TraceRouteAnswer,
                hops: Some(0),
                hop_kind: kind,
                hop_id: id,
                ..trace
            }),
            EdgeMessage::TraceRoute(trace) if !uses_xgress => {
                EdgeMessage::TraceRouteResponse(TraceRouteResponse {
                    connection,
                    hops: Some(0),
                    time_millis: Some(trace.time_millis),
                    hop_kind: kind,
                    hop_id: id,
                    ..TraceRouteResponse::default()
                })
            },
            other => panic!("{other:?}"),
        };
        sdk.hears(&answer);
        sdk.hears(&answer);
        let traced = TraceAnswer {
            connection,
            hops_left: 0,
            hop_kind: "forwarder".to_owned(),
            hop_id: "router-2".to_owned(),
            round_trip: Duration::from_millis(12),
            error: None,
        };
        assert_eq!(sdk.event(), EdgeEvent::Traced(traced), "once");
    }
    let mut sdk = Sdk::new(modern());
    let trace = sdk.channel.trace(ConnectionId(5), 1, sdk.now);
    assert_eq!(trace, Err(TraceError));
}

fn changes(previous_index: i64, index: i64) -> ServiceChangeSet {
    ServiceChangeSet {
        index,
        previous_index,
        ..ServiceChangeSet::default()
    }
}

#[test]
fn services_are_told_in_order_or_asked_for_again() {
    let mut sdk = Sdk::new(modern());
    sdk.hears(&EdgeMessage::ServiceChangeSet(changes(-1, 3)));
    assert_eq!(sdk.events(), [], "nobody has asked");
    sdk.channel.subscribe().unwrap();
    let subscription = EdgeMessage::ServiceSubscription(ServiceSubscription { index: -1 });
    assert_eq!(sdk.says_one(), subscription);
    for (previous, index) in [(-1, 38), (38, 40)] {
        let changes = changes(previous, index);
        sdk.hears(&EdgeMessage::ServiceChangeSet(changes.clone()));
        assert_eq!(sdk.event(), EdgeEvent::Services(Box::new(changes)));
    }
    // Something is missing. What comes before the answer is not asked for once more.
    sdk.hears(&EdgeMessage::ServiceChangeSet(changes(41, 42)));
    sdk.hears(&EdgeMessage::ServiceChangeSet(changes(42, 43)));
    assert_eq!(sdk.events(), []);
    assert_eq!(sdk.says_one(), subscription);
    sdk.hears(&EdgeMessage::ServiceChangeSet(changes(-1, 43)));
    assert!(matches!(sdk.event(), EdgeEvent::Services(_)));
    sdk.channel.unsubscribe();
    assert_eq!(sdk.says_one(), EdgeMessage::ServiceUnsubscription);
    sdk.channel.unsubscribe();
    assert_eq!(sdk.says(), []);
}

#[test]
fn posture_is_told_to_routers_that_take_it() {
    let responses = vec![PostureResponse {
        posture: Some(Posture::Woken(Box::default())),
    }];
    let mut sdk = Sdk::new(modern());
    sdk.channel.report_posture(responses.clone()).unwrap();
    let EdgeMessage::PostureResponses(said) = sdk.says_one() else {
        panic!("not PostureResponses");
    };
    assert_eq!(said.responses, responses);
    assert_eq!(sdk.channel.resync_posture(), Err(NotSupported));
    sdk.channel.subscribe().unwrap();
    sdk.channel.resync_posture().unwrap();
    assert_eq!(sdk.says()[1], EdgeMessage::ResyncPostureState);
    let state = PostureStateChange::default();
    sdk.hears(&EdgeMessage::PostureStateChange(state.clone()));
    assert_eq!(sdk.event(), EdgeEvent::PostureState(Box::new(state)));

    let mut sdk = Sdk::new(old());
    assert_eq!(sdk.channel.report_posture(responses), Err(NotSupported));
    assert_eq!(sdk.channel.subscribe(), Err(NotSupported));
}
