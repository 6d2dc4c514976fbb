//! Circuits.

use super::{all_timeless, fault};
use crate::circuits::{Network, confirm, next_route, refused};
use portcullis_channel::ReplyTo;
use portcullis_simulated_router::SimulatedRouter;
use portcullis_wire::Secret;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::{FaultSubject, RouterLink, RouterLinks};
use portcullis_wire::control::route::{Route, RouteFailure, RouteOutcome, RouteResult};
use portcullis_wire::control::tunnel::CreateTunnelCircuit;
use portcullis_wire::peer_data::PeerData;
use serde_json::json;

/// What a circuit over a link that was not measured costs.
const COST: u32 = 1_073_741_823 + 130_001 + 10;
/// What a failed dial adds.
const FAILURE: u32 = 20;

fn peer_data(texts: &[(u32, &str)]) -> PeerData {
    let all = texts.iter();
    all.map(|(number, text)| (*number, Secret::new(text.as_bytes().to_vec().into())))
        .collect()
}

/// The routers of the network, and what each circuit has in common with the others.
struct Names {
    first: String,
    second: String,
    service: String,
}

impl Names {
    fn of(network: &Network) -> Self {
        Self {
            first: network.first.id.clone(),
            second: network.second.id.clone(),
            service: network.service.clone(),
        }
    }

    /// A line, with what stands between the ids and the tags.
    fn line(&self, kind: &str, circuit: &str, terminator: &str, rest: &str) -> String {
        let Self {
            first,
            second,
            service,
        } = self;
        let host = if terminator.is_empty() {
            String::new()
        } else {
            format!(r#""hostId":"{second}","#)
        };
        format!(
            r#"{{"namespace":"circuit","event_src_id":"ctrl-1","timestamp":"T","version":2,"event_type":"{kind}","circuit_id":"{circuit}","client_id":"{first}","service_id":"{service}","terminator_id":"{terminator}","instance_id":"",{rest},"tags":{{"clientId":"{first}",{host}"serviceId":"{service}"}}}}"#
        )
    }

    /// The path over a link, with further members.
    fn path(&self, link: &str, (ingress, egress): (&str, &str), addresses: &str) -> String {
        let Self { first, second, .. } = self;
        format!(
            r#""path":{{"nodes":["{first}","{second}"],"links":["{link}"],"ingress_id":"{ingress}","egress_id":"{egress}"{addresses}}},"link_count":1"#
        )
    }
}

/// The ends of a circuit, as the route of its last router has them.
fn ends(route: &Route, link: &str) -> String {
    let egress = &route.egress.as_ref().unwrap().address;
    assert!(
        route
            .forwards
            .iter()
            .any(|forward| forward.destination == link)
    );
    egress.clone()
}

fn ingress(route: &Route, link: &str) -> String {
    let mut sources = route.forwards.iter().map(|forward| &forward.source);
    sources.find(|source| *source != link).unwrap().clone()
}

fn answer(router: &SimulatedRouter, request: &ReplyTo, route: &Route, outcome: RouteOutcome) {
    let result = ControlMessage::RouteResult(RouteResult {
        circuit_id: route.circuit_id.clone(),
        attempt: route.attempt,
        outcome,
    });
    router.reply(request, &result);
}

#[tokio::test]
async fn a_circuit_is_created_moved_and_deleted() {
    let mut network = Network::start().await;
    let names = Names::of(&network);
    network.stage.events.want("circuit", &json!({}));
    let dial = ControlMessage::CreateTunnelCircuit(CreateTunnelCircuit {
        service_name: "web".to_owned(),
        peer_data: peer_data(&[(1112, "127.0.0.1:1"), (1113, "127.0.0.1:2")]),
        ..CreateTunnelCircuit::default()
    });
    let created = network.first.request(&dial);
    let (request, route) = next_route(&mut network.second).await;
    let egress = ends(&route, "l1");
    let told = peer_data(&[(1110, "127.0.0.1:34086"), (1111, "127.0.0.1:28030")]);
    answer(
        &network.second,
        &request,
        &route,
        RouteOutcome::Routed(told),
    );
    let (request, route) = next_route(&mut network.first).await;
    let ingress = ingress(&route, "l1");
    confirm(&network.first, &request, &route);
    created.await;
    let circuit = route.circuit_id;

    let other = RouterLinks {
        links: vec![RouterLink {
            id: "l2".to_owned(),
            destination: names.second.clone(),
            protocol: "tls".to_owned(),
            iteration: 1,
            ..RouterLink::default()
        }],
        is_full: false,
    };
    network.first.send(&ControlMessage::RouterLinks(other));
    network.first.send(&fault(FaultSubject::Link, "l1"));
    for router in [&mut network.second, &mut network.first] {
        let (request, route) = next_route(router).await;
        confirm(router, &request, &route);
        router.settle().await;
    }
    network.first.send(&fault(FaultSubject::Ingress, &circuit));
    network.first.send(&fault(FaultSubject::Ingress, &circuit));
    network.first.settle().await;
    let told = all_timeless(&network.stage.events.next(3).await);

    let addresses = r#","initiator_local_addr":"127.0.0.1:1","initiator_remote_addr":"127.0.0.1:2","terminator_local_addr":"127.0.0.1:34086","terminator_remote_addr":"127.0.0.1:28030""#;
    let ends = (&*ingress, &*egress);
    let first_path = names.path("l1", ends, addresses);
    let other_path = names.path("l2", ends, addresses);
    let rest = format!(r#""creation_timespan":T,{first_path},"path_cost":{COST}"#);
    let moved = format!(r#"{other_path},"duration":T"#);
    let expected = [
        names.line("created", &circuit, "t1", &rest),
        names.line("pathUpdated", &circuit, "t1", &moved),
        names.line("deleted", &circuit, "t1", &moved),
    ];
    assert_eq!(told, expected);
    network.stage.stop().await;
}

#[tokio::test]
async fn each_attempt_that_fails_is_told_of() {
    let mut network = Network::start().await;
    let names = Names::of(&network);
    network.stage.events.want("circuit", &json!({}));
    let refusal = network.dial();
    let mut expected = Vec::new();
    for (failure, cause) in [
        (RouteFailure::DialTimedOut, "ROUTER_ERR_DIAL_TIMED_OUT"),
        (
            RouteFailure::InvalidTerminator,
            "ROUTER_ERR_INVALID_TERMINATOR",
        ),
    ] {
        let (_, route) = next_route(&mut network.first).await;
        let ingress = ingress(&route, "l1");
        let (request, route) = next_route(&mut network.second).await;
        let egress = ends(&route, "l1");
        let reason = "no".to_owned();
        let outcome = RouteOutcome::Failed { reason, failure };
        answer(&network.second, &request, &route, outcome);
        let path = names.path("l1", (&ingress, &egress), "");
        let cost = COST + FAILURE * u32::from(expected.len() == 1);
        let rest =
            format!(r#""creation_timespan":T,{path},"path_cost":{cost},"failure_cause":"{cause}""#);
        expected.push(names.line("failed", &route.circuit_id, "t1", &rest));
    }
    refused(refusal.await);
    // The terminator was invalid, and is gone.
    let refusal = refused(network.dial().await);
    let circuit = refusal.circuit_id.unwrap();
    let rest = r#""creation_timespan":T,"path":{"nodes":null,"links":null,"ingress_id":"","egress_id":""},"link_count":0,"failure_cause":"NO_TERMINATORS""#;
    expected.push(names.line("failed", &circuit, "", rest));
    let told = all_timeless(&network.stage.events.next(3).await);
    assert_eq!(told, expected);
    network.stage.stop().await;
}
