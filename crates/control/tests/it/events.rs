//! What is told of the network to those who subscribe.

mod circuit;
mod connect;
mod link;
mod reports;
mod router;

use crate::circuits::{Network, host};
use crate::recorder::timeless;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::alert::{Alert, Alerts};
use portcullis_wire::control::connect_event::{ConnectEvent, ConnectEvents, ConnectTime};
use portcullis_wire::control::link::{Fault, FaultSubject};
use portcullis_wire::control::metrics::{Meter, Metrics};
use portcullis_wire::control::terminator::CreateTerminatorResult;
use std::collections::BTreeMap;

/// Lines without what the clock decides.
fn all_timeless(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| timeless(line)).collect()
}

fn fault(subject: FaultSubject, id: &str) -> ControlMessage {
    ControlMessage::Fault(Fault {
        subject,
        id: id.to_owned(),
        iteration: 0,
    })
}

/// Somebody has connected to a router at a time, or is gone.
pub(crate) fn connection(identity: &str, is_connected: bool, time_millis: i64) -> ConnectEvent {
    let time = ConnectTime {
        time_millis,
        source_address: "127.0.0.1:52368".to_owned(),
        destination_address: "127.0.0.1:28012".to_owned(),
    };
    ConnectEvent {
        identity_id: identity.to_owned(),
        is_connected,
        connections: Vec::from_iter(is_connected.then_some(time)),
    }
}

pub(crate) fn report_connections(
    router: &SimulatedRouter,
    events: Vec<ConnectEvent>,
    is_full_state: bool,
) {
    router.send(&ControlMessage::ConnectEvents(ConnectEvents {
        events,
        is_full_state,
    }));
}

fn some_metrics() -> Metrics {
    let dropped = "link.dropped_msgs:l1".to_owned();
    Metrics {
        event_id: "e1".to_owned(),
        meters: BTreeMap::from([(dropped, Meter::default())]),
        ..Metrics::default()
    }
}

#[tokio::test]
async fn nothing_is_made_of_what_nobody_wants() {
    let mut network = Network::start().await;
    let circuit = network.open().await;
    network.second.send(&fault(FaultSubject::Egress, &circuit));
    let first = &network.first;
    first.send(&ControlMessage::Metrics(some_metrics()));
    report_connections(first, vec![connection("i1", true, 1)], true);
    first.send(&ControlMessage::Alerts(Alerts {
        alerts: vec![Alert::default()],
    }));
    first.send(&fault(FaultSubject::Link, "l1"));
    first.settle().await;
    network.second.settle().await;
    // It was all handled: what is wanted from now on is told, and comes after it.
    let stage = &network.stage;
    stage.events.want("terminator", &serde_json::json!({}));
    let service = network.service.clone();
    let hosted = host(first, &service, "t2").await;
    assert_eq!(hosted, CreateTerminatorResult::Success);
    network.first.channel.close();
    stage.events.next(1).await;
    assert_eq!(stage.events.published(), 1);
    network.stage.stop().await;
}
