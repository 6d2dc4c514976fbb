//! What the relay does from time to time.

use std::time::Duration;

use portcullis_forwarding::ForwardingOptions;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::FaultSubject;
use portcullis_wire::control::route::DestinationKind;
use portcullis_wire::xgress::Payload;
use tokio::time::Instant;

use crate::circuit_message::CircuitMessage;
use crate::testing::{CIRCUIT, Recorder, TestController, TestRouter, controller_id, fault};

fn payload(circuit: &str) -> CircuitMessage {
    CircuitMessage::Payload(Box::new(Payload {
        circuit_id: circuit.to_owned(),
        ..Payload::default()
    }))
}

const FIRST: (&str, DestinationKind) = ("first", DestinationKind::Link);
const SECOND: (&str, DestinationKind) = ("second", DestinationKind::Link);

/// Defect 26 of the original, which is kept: their sender is told nothing, and controllers are told together.
#[tokio::test(start_paused = true)]
async fn payloads_that_lead_nowhere_are_reported_together() {
    let router = TestRouter::new("router");
    let mut owner = TestController::connect(&controller_id(), &router.controllers).await;
    let mut other = TestController::connect(&"other".into(), &router.controllers).await;
    let (hop, _) = router.relay.attach(FIRST.0, Recorder::new().0);
    let (lost, second) = (Recorder::new().0, SECOND.0);
    let (lost_hop, _) = router.relay.attach(second, lost.clone());
    router.route(FIRST, SECOND);
    let lost: std::sync::Arc<dyn crate::relay::Destination> = lost;
    router.relay.detach(lost_hop, &lost);
    let begin = Instant::now();
    for circuit in [CIRCUIT, "unknown", CIRCUIT] {
        router.relay.forward_or_drop(hop, payload(circuit));
    }
    let unknown = fault(FaultSubject::ForwardUnknownOwner, "unknown");
    assert_eq!(other.next().await, unknown);
    assert_eq!(owner.next().await, unknown);
    assert_eq!(owner.next().await, fault(FaultSubject::Forward, CIRCUIT));
    assert_eq!(begin.elapsed().as_secs(), 15);
    let counts = router.relay.counts();
    assert_eq!((counts.not_attached, counts.unknown_circuit), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn owners_are_asked_about_idle_circuits() {
    let router = TestRouter::with(
        "router",
        ForwardingOptions {
            idle_timeout: Duration::from_secs(10),
            idle_interval: Some(Duration::from_secs(25)),
            ..ForwardingOptions::default()
        },
    );
    let mut owner = TestController::connect(&controller_id(), &router.controllers).await;
    for (address, _) in [FIRST, SECOND] {
        router.relay.attach(address, Recorder::new().0);
    }
    router.route(FIRST, SECOND);
    let begin = Instant::now();
    let ControlMessage::CircuitConfirmation(asked) = owner.next().await else {
        panic!("asked something else");
    };
    assert_eq!(asked.circuit_ids, [CIRCUIT]);
    assert_eq!(begin.elapsed().as_secs(), 25);
}
