//! A router that says anything, with ids of its own and of others.

use crate::circuits::stage::{Stage, address, circuit, forward, right, service, terminator};
use crate::support::{at, link, report};
use portcullis_domain::ids::TerminatorId;
use portcullis_fabric::{
    Action, CarriedCircuit, CarriedCircuits, CircuitFault, CircuitId, Claim, FabricOptions,
    FaultKind, ForwardFault, ForwardKind, LinkConnections, LinkFault, LinkId, LinkState, PeerData,
    RouteErrorCode, RouteFailure, RouteResult, Service,
};
use portcullis_seeded_random::Random;
use std::sync::Arc;
use std::time::Duration;

const LINKS: [&str; 6] = ["ac", "ad", "dc", "ca", "zz", "da"];
const CIRCUITS: [&str; 4] = ["x", "y", "z", "w"];

struct Liar {
    stage: Stage,
    random: Random,
}

impl Liar {
    /// Routers a, c and d, a circuit x from a to c, another y from a to c that is being dialed, and a
    /// circuit z of the liar d itself.
    fn new(seed: u64) -> Self {
        let options = FabricOptions {
            smart_rerouting: None,
            ..FabricOptions::default()
        };
        let mut stage = Stage::new(&["a", "c", "d"], &["ac", "ad", "dc"], options);
        let limited = Service {
            max_idle: Some(Duration::from_secs(1)),
            ..Service::default()
        };
        stage.fabric.set_service(service(), limited);
        stage.fabric.set_terminator(terminator("t", "c"));
        stage.open("a", "x");
        stage.open("d", "z");
        stage.dial("a", "y");
        stage.actions();
        Self {
            stage,
            random: Random::new(seed, "lies"),
        }
    }

    fn link(&mut self) -> LinkId {
        link(LINKS[self.random.index(LINKS.len())])
    }

    fn circuit(&mut self) -> CircuitId {
        circuit(CIRCUITS[self.random.index(CIRCUITS.len())])
    }

    fn tell_of_links(&mut self) {
        let (d, now) = (self.stage.sessions["d"], at(self.stage.now));
        let id = self.link();
        let number = u32::try_from(self.random.below(5)).unwrap();
        let fabric = &mut self.stage.fabric;
        match self.random.below(4) {
            0 => {
                let destination = ["a", "c", "d", "q"][self.random.index(4)];
                let links = vec![report(id.as_str(), destination, number)];
                fabric.report_links(d, links, self.random.one_in(3), now);
            },
            1 => {
                let state = LinkState {
                    id,
                    link_iteration: number,
                    connections: LinkConnections {
                        iteration: number,
                        list: Vec::new(),
                    },
                };
                fabric.report_link_state(d, state, now);
            },
            2 => {
                let fault = LinkFault {
                    id,
                    iteration: number,
                    kind: FaultKind::Duplicate,
                };
                fabric.report_link_fault(d, fault, now);
            },
            _ => fabric.report_latency(d, &id, Duration::from_secs(number.into())),
        }
    }

    fn tell_of_circuits(&mut self) {
        let (d, now) = (self.stage.sessions["d"], at(self.stage.now));
        let id = self.circuit();
        let is_even = self.random.one_in(2);
        let fabric = &mut self.stage.fabric;
        match self.random.below(5) {
            0 => {
                let failure = RouteFailure {
                    code: RouteErrorCode::InvalidTerminator,
                    text: String::new(),
                };
                let outcome = if is_even {
                    Err(failure)
                } else {
                    Ok(PeerData::new())
                };
                let result = RouteResult {
                    route: None,
                    circuit: id,
                    outcome,
                };
                fabric.handle_route_result(d, result, now);
            },
            1 => {
                let fault = if is_even {
                    CircuitFault::Ingress
                } else {
                    CircuitFault::Egress
                };
                fabric.handle_circuit_fault(d, &id, fault, now);
            },
            2 => {
                let fault = if is_even {
                    ForwardFault::Own
                } else {
                    ForwardFault::UnknownOwner
                };
                fabric.handle_forward_fault(d, vec![id], fault, now);
            },
            3 => fabric.handle_idle(d, vec![(id, Duration::from_secs(99))]),
            _ => self.tell_what_it_carries(),
        }
    }

    fn tell_what_it_carries(&mut self) {
        let (d, now) = (self.stage.sessions["d"], at(self.stage.now));
        let count = self.random.index(3);
        let circuits = (0..count).map(|_| {
            let (from, to) = (self.link(), self.link());
            let claim = match self.random.below(3) {
                0 => Claim::Unknown,
                1 => Claim::Refused,
                _ => Claim::Granted {
                    ingress: address(from.as_str()),
                    right: right(),
                    tags: Arc::default(),
                },
            };
            CarriedCircuit {
                id: self.circuit(),
                forwards: vec![
                    forward(from.as_str(), to.as_str(), ForwardKind::Link),
                    forward(to.as_str(), "end", ForwardKind::End),
                ],
                claim,
            }
        });
        let carried = CarriedCircuits {
            asked: now,
            circuits: circuits.collect(),
            is_complete: true,
        };
        self.stage.fabric.handle_carried(d, carried, now);
    }

    /// What others have, and what they are told.
    fn check(&mut self) {
        let network = self.stage.fabric.network();
        let ac = network.link(&link("ac")).unwrap();
        assert_eq!((ac.iteration, ac.cost()), (1, 1));
        let d = self.stage.sessions["d"];
        let own = |name: &LinkId| name.as_str() != "ac";
        for action in self.stage.actions() {
            let is_harmless = match &action {
                Action::Route { to, .. } | Action::Unroute { to, .. } => *to == d,
                Action::CloseLink { to, link, .. } => *to == d || own(link),
                Action::AskForCircuits { .. } => true,
                Action::Answer { .. }
                | Action::DeleteTerminator { .. }
                | Action::DegradeTerminator { .. } => false,
            };
            let is_about_own = match &action {
                Action::Route { route, .. } => route.circuit == circuit("z"),
                Action::Unroute { circuit, .. } => circuit.as_str() == "z",
                _ => false,
            };
            assert!(is_harmless || is_about_own, "{action:?}");
        }
        for id in ["x", "y"] {
            assert_eq!(self.stage.path(id).unwrap(), ["a", "c"]);
        }
        let fabric = &self.stage.fabric;
        assert!(fabric.circuit(&circuit("x")).unwrap().is_open);
        assert!(!fabric.circuit(&circuit("y")).unwrap().is_open);
        let terminator = TerminatorId::from_wire("t");
        assert!(fabric.terminators().get(&terminator).is_some());
    }
}

#[test]
fn what_a_router_says_of_others_changes_nothing() {
    for seed in 0..50 {
        let mut liar = Liar::new(seed);
        for _ in 0..100 {
            if liar.random.one_in(2) {
                liar.tell_of_links();
            } else {
                liar.tell_of_circuits();
            }
            liar.check();
        }
    }
}
