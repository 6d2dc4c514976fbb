//! Terminators and circuits between routers, for their tunnelers.

use crate::stage::{Stage, StageOptions};
use portcullis_channel::ReplyTo;
use portcullis_fabric::FabricOptions;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::{CircuitConfirmation, CircuitRequest};
use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
use portcullis_wire::control::link::{Fault, FaultSubject, RouterLink, RouterLinks};
use portcullis_wire::control::refusal::Refusal;
use portcullis_wire::control::route::{Route, RouteFailure, RouteOutcome, RouteResult, Unroute};
use portcullis_wire::control::terminator::CreateTerminatorResult;
use portcullis_wire::control::tunnel::{CreateTunnelCircuit, CreateTunnelTerminator};
use portcullis_wire::{ErrorCode, RetryHint, Secret};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Instant;

/// Two linked routers; the second one hosts a service.
pub(crate) struct Network {
    pub(crate) stage: Stage,
    pub(crate) first: SimulatedRouter,
    pub(crate) second: SimulatedRouter,
    pub(crate) service: String,
}

impl Network {
    pub(crate) async fn start() -> Self {
        Self::start_with(StageOptions::default()).await
    }

    pub(crate) async fn start_with(options: StageOptions) -> Self {
        let stage = Stage::start_with(options).await;
        stage.open_routers().await;
        let service = stage.service("web").await;
        let first = stage.connect("r1").await;
        let second = stage.connect("r2").await;
        let links = RouterLinks {
            links: vec![RouterLink {
                id: "l1".to_owned(),
                destination: second.id.clone(),
                protocol: "tls".to_owned(),
                iteration: 1,
                ..RouterLink::default()
            }],
            is_full: true,
        };
        first.send(&ControlMessage::RouterLinks(links));
        let network = Self {
            stage,
            first,
            second,
            service,
        };
        assert_eq!(network.host("t1").await, CreateTerminatorResult::Success);
        network
    }

    async fn host(&self, address: &str) -> CreateTerminatorResult {
        host(&self.second, &self.service, address).await
    }

    pub(crate) fn dial(&self) -> impl Future<Output = ControlMessage> + use<> {
        let request = ControlMessage::CreateTunnelCircuit(CreateTunnelCircuit {
            service_name: "web".to_owned(),
            ..CreateTunnelCircuit::default()
        });
        self.first.request(&request)
    }

    /// Asks as a listener does whose clients speak no SDK.
    fn ask_without_sdk(
        &self,
        client: &str,
        service: &str,
    ) -> impl Future<Output = ControlMessage> + use<> {
        let request = ControlMessage::CircuitRequest(CircuitRequest {
            client: client.to_owned(),
            service: service.to_owned(),
            peer_data: BTreeMap::new(),
        });
        self.first.request(&request)
    }

    /// Dials; both routers confirm. The id of the circuit.
    pub(crate) async fn open(&mut self) -> String {
        let answer = self.dial();
        let (request, route) = next_route(&mut self.second).await;
        confirm(&self.second, &request, &route);
        let (request, route) = next_route(&mut self.first).await;
        confirm(&self.first, &request, &route);
        match answer.await {
            ControlMessage::CreateTunnelCircuitAnswer(answer) => {
                assert_eq!(answer.circuit_id, route.circuit_id);
                assert_eq!(answer.peer_data[&1003].expose().len(), 32);
                assert_eq!(answer.tags["serviceId"], self.service);
                answer.circuit_id
            },
            other => panic!("{other:?}"),
        }
    }
}

/// Lets a router host a service.
pub(crate) async fn host(
    router: &SimulatedRouter,
    service: &str,
    address: &str,
) -> CreateTerminatorResult {
    let request = CreateTunnelTerminator {
        service_id: service.to_owned(),
        address: address.to_owned(),
        peer_data: BTreeMap::from([(1003, Secret::new(vec![7; 32].into()))]),
        start_millis: 42,
        ..CreateTunnelTerminator::default()
    };
    let request = ControlMessage::CreateTunnelTerminator(request);
    match router.request(&request).await {
        ControlMessage::CreateTunnelTerminatorAnswer(answer) => {
            assert_eq!(answer.terminator_id, address);
            assert_eq!(answer.start_millis, 42);
            answer.result
        },
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn next_route(router: &mut SimulatedRouter) -> (ReplyTo, Route) {
    router
        .expect(|message| match message {
            ControlMessage::Route(route) => Some(route),
            _ => None,
        })
        .await
}

pub(crate) async fn next_unroute(router: &mut SimulatedRouter) -> Unroute {
    let unroute = router.expect(|message| match message {
        ControlMessage::Unroute(unroute) => Some(unroute),
        _ => None,
    });
    unroute.await.1
}

pub(crate) fn confirm(router: &SimulatedRouter, request: &ReplyTo, route: &Route) {
    let result = RouteResult {
        circuit_id: route.circuit_id.clone(),
        attempt: route.attempt,
        outcome: RouteOutcome::Routed(BTreeMap::new()),
    };
    router.reply(request, &ControlMessage::RouteResult(result));
}

pub(crate) fn refused(answer: ControlMessage) -> Refusal {
    match answer {
        ControlMessage::Refusal(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn router_that_is_short_of_something_makes_clients_come_again_later() {
    let options = StageOptions {
        fabric: FabricOptions {
            attempts: 1,
            ..FabricOptions::default()
        },
        ..StageOptions::default()
    };
    let mut network = Network::start_with(options).await;
    for (failure, hint) in [
        (RouteFailure::ResourcesNotAvailable, RetryHint::Busy),
        (RouteFailure::ConnectionRefused, RetryHint::Default),
    ] {
        let answer = network.dial();
        let (request, route) = next_route(&mut network.second).await;
        let result = RouteResult {
            circuit_id: route.circuit_id.clone(),
            attempt: route.attempt,
            outcome: RouteOutcome::Failed {
                reason: "no".to_owned(),
                failure,
            },
        };
        let result = ControlMessage::RouteResult(result);
        network.second.reply(&request, &result);
        let refusal = refused(answer.await);
        assert_eq!(refusal.code, Some(ErrorCode::Internal));
        assert_eq!(refusal.retry_hint, Some(hint), "{refusal:?}");
    }
    network.stage.stop().await;
}

#[tokio::test]
async fn circuit_leads_over_the_link_and_ends_with_its_end() {
    let mut network = Network::start().await;
    let circuit = network.open().await;
    let fault = Fault {
        subject: FaultSubject::Egress,
        id: circuit.clone(),
        iteration: 0,
    };
    network.second.send(&ControlMessage::Fault(fault));
    for router in [&mut network.first, &mut network.second] {
        let unroute = next_unroute(router).await;
        assert_eq!(unroute.circuit_id, circuit);
        assert!(!unroute.is_immediate);
    }
    network.stage.stop().await;
}

/// For a proxy, say, which has no name for its clients; the controller chooses where the circuit begins.
#[tokio::test]
async fn circuit_is_created_for_a_listener_without_sdk() {
    let mut network = Network::start().await;
    for client in ["", "me", "me"] {
        let answer = network.ask_without_sdk(client, "web");
        let (request, route) = next_route(&mut network.second).await;
        confirm(&network.second, &request, &route);
        let (request, route) = next_route(&mut network.first).await;
        confirm(&network.first, &request, &route);
        let created = match answer.await {
            ControlMessage::CircuitCreated(created) => created,
            other => panic!("{other:?}"),
        };
        assert_eq!(created.circuit_id, route.circuit_id);
        let sources = route.forwards.iter().map(|forward| &*forward.source);
        let sources: Vec<&str> = sources.collect();
        assert!(sources.contains(&&*created.address), "{sources:?}");
        assert_ne!(created.address, client);
        assert_eq!(created.peer_data[&1003].expose().len(), 32);
    }
    for service in ["unknown", "", "unknown@web"] {
        match network.ask_without_sdk("me", service).await {
            ControlMessage::CircuitFailed(failed) => assert!(!failed.reason.is_empty()),
            other => panic!("{service}: {other:?}"),
        }
    }
    network.stage.stop().await;
}

#[tokio::test]
async fn terminator_is_created_once_however_often_it_is_asked_for() {
    let network = Network::start().await;
    assert_eq!(network.host("t1").await, CreateTerminatorResult::Success);
    let all = network.stage.get("terminators").await;
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(all[0]["binding"], json!("tunnel"));
    network.stage.stop().await;
}

#[tokio::test]
async fn right_that_ends_takes_terminator_and_circuit_along() {
    let mut network = Network::start().await;
    let circuit = network.open().await;
    let policies = network
        .stage
        .get("service-policies?filter=true%20limit%20none")
        .await;
    let started = Instant::now();
    for policy in policies.as_array().unwrap() {
        let id = policy["id"].as_str().unwrap();
        if policy["name"].as_str().unwrap().starts_with("web ") {
            network
                .stage
                .delete(&format!("service-policies/{id}"))
                .await;
        }
    }
    for router in [&mut network.first, &mut network.second] {
        let unroute = next_unroute(router).await;
        assert_eq!(unroute.circuit_id, circuit);
        assert!(unroute.is_immediate);
    }
    assert!(started.elapsed().as_secs() < 5);
    while !network
        .stage
        .get("terminators")
        .await
        .as_array()
        .unwrap()
        .is_empty()
    {
        tokio::task::yield_now().await;
    }
    refused(network.dial().await);
    network.stage.stop().await;
}

#[tokio::test]
async fn circuit_that_nobody_knows_is_forgotten() {
    let mut network = Network::start().await;
    // As long as it has not said what it carries, the circuit may be of an earlier run of the controller.
    let asked = network.first.expect(|message| match message {
        ControlMessage::InspectRequest(_) => Some(()),
        _ => None,
    });
    let (question, ()) = asked.await;
    let nothing = InspectResponse {
        is_success: true,
        errors: Vec::new(),
        values: vec![InspectedValue {
            name: "router-circuits".to_owned(),
            value: r#"{"circuits":{}}"#.to_owned().into(),
        }],
    };
    network
        .first
        .reply(&question, &ControlMessage::InspectResponse(nothing));
    let idle = CircuitConfirmation {
        circuit_ids: vec!["none".to_owned()],
        idle_nanos: BTreeMap::new(),
    };
    network
        .first
        .send(&ControlMessage::CircuitConfirmation(idle));
    let unroute = next_unroute(&mut network.first).await;
    assert_eq!((&*unroute.circuit_id, unroute.is_immediate), ("none", true));
    network.stage.stop().await;
}
