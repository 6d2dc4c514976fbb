//! A router that speaks for others.

use crate::circuits::{Network, refused};
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::{CircuitConfirmation, CreateCircuitV2};
use portcullis_wire::control::link::{Fault, FaultSubject, RouterLink, RouterLinks};
use portcullis_wire::control::terminator::{
    CreateTerminatorResult, RemoveTerminators, TerminatorState, ValidatedTerminators,
};
use portcullis_wire::control::tunnel::{CreateTunnelTerminator, UpdateTunnelTerminator};
use serde_json::json;
use std::collections::BTreeMap;

fn fault(subject: FaultSubject, id: &str) -> ControlMessage {
    ControlMessage::Fault(Fault {
        subject,
        id: id.to_owned(),
        iteration: 9,
    })
}

/// Says whatever would end or change what others have.
fn speak_for_others(liar: &SimulatedRouter, network: &Network, circuit: &str) {
    let state = TerminatorState {
        is_valid: false,
        marker: 1,
        ..TerminatorState::default()
    };
    let stolen = RouterLink {
        id: "l1".to_owned(),
        destination: network.first.id.clone(),
        protocol: "tls".to_owned(),
        iteration: 9,
        ..RouterLink::default()
    };
    for message in [
        fault(FaultSubject::Ingress, circuit),
        fault(FaultSubject::Egress, circuit),
        fault(FaultSubject::Forward, circuit),
        fault(FaultSubject::Link, "l1"),
        fault(FaultSubject::LinkDuplicate, "l1"),
        ControlMessage::CircuitConfirmation(CircuitConfirmation {
            circuit_ids: vec![circuit.to_owned()],
            idle_nanos: BTreeMap::from([(circuit.to_owned(), i64::MAX)]),
        }),
        ControlMessage::RouterLinks(RouterLinks {
            links: vec![stolen],
            is_full: true,
        }),
        ControlMessage::ValidatedTerminators(ValidatedTerminators {
            states: BTreeMap::from([("t1".to_owned(), state)]),
        }),
    ] {
        liar.send(&message);
    }
}

#[tokio::test]
async fn router_that_speaks_for_others_changes_nothing_of_theirs() {
    let mut network = Network::start().await;
    let circuit = network.open().await;
    let liar = network.stage.connect("liar").await;
    let shown = async |network: &Network| {
        let stage = &network.stage;
        let [links, circuits] = ["links", "circuits"].map(|kind| stage.fabric_list(kind));
        let mut circuits = circuits.await;
        // The clocks of this test do not go at the same pace.
        for time in ["createdAt", "updatedAt"] {
            circuits[0][time].take();
        }
        json!([stage.get("terminators").await, links.await, circuits])
    };
    let before = shown(&network).await;
    speak_for_others(&liar, &network, &circuit);
    liar.settle().await;

    let remove = ControlMessage::RemoveTerminators(RemoveTerminators {
        terminator_ids: vec!["t1".to_owned()],
    });
    liar.request_result(&remove).await;
    let update = ControlMessage::UpdateTunnelTerminator(UpdateTunnelTerminator {
        terminator_id: "t1".to_owned(),
        cost: 60_000,
        updates_cost: true,
        ..UpdateTunnelTerminator::default()
    });
    refused(liar.request(&update).await);
    let create = ControlMessage::CreateTunnelTerminator(CreateTunnelTerminator {
        service_id: network.service.clone(),
        address: "t1".to_owned(),
        ..CreateTunnelTerminator::default()
    });
    match liar.request(&create).await {
        ControlMessage::CreateTunnelTerminatorAnswer(answer) => {
            assert_ne!(answer.result, CreateTerminatorResult::Success);
        },
        other => panic!("{other:?}"),
    }
    assert_eq!(shown(&network).await, before);
    network.stage.stop().await;
}

#[tokio::test]
async fn session_counts_for_nobody_but_its_owner() {
    let network = Network::start().await;
    let stage = &network.stage;
    let own = stage.log_in(&stage.user().await).await;
    let other = stage.service_session(&stage.admin, &network.service).await;
    for (api_session, session) in [(&*own, &*other), ("unknown", &*other), (&*own, "unknown")] {
        let dial = ControlMessage::CreateCircuitV2(CreateCircuitV2 {
            session_token: session.to_owned().into(),
            api_session_token: api_session.to_owned().into(),
            fingerprints: Vec::new(),
            instance_id: String::new(),
            peer_data: BTreeMap::new(),
        });
        refused(network.first.request(&dial).await);
    }
    assert_eq!(stage.fabric_list("circuits").await, json!([]));
    network.stage.stop().await;
}
