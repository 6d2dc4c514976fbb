//! The controller: the fabric, and what the rest of a controller does around it.

use super::Trace;
use super::message::{Carried, ToController, ToRouter};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId, TerminatorId};
use portcullis_domain::service::TerminatorStrategy;
use portcullis_fabric::{
    Action, Address, CarriedCircuit, CarriedCircuits, CircuitEvent, CircuitId, CircuitNames, Claim,
    Dial, DialId, Fabric, FabricEvent, FabricOptions, FaultKind, ForwardFault, LinkConnections,
    LinkFault, LinkReport, Moment, PeerData, Right, RouterSession, RouterSpec, Service, Terminator,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the store has.
#[derive(Debug, Default)]
pub(crate) struct Records {
    pub(crate) routers: usize,
    /// Terminators, and the router of each.
    pub(crate) terminators: BTreeMap<String, usize>,
    /// Clients that may dial.
    pub(crate) allowed: BTreeSet<usize>,
}

#[derive(Debug)]
pub(crate) struct Controller {
    pub(crate) fabric: Fabric,
    /// Dials that wait for an answer.
    pub(crate) waiting: BTreeMap<u64, RouterSession>,
}

pub(crate) fn router_id(router: usize) -> RouterId {
    RouterId::from_wire(format!("r{router}"))
}

fn service() -> ServiceId {
    ServiceId::from_wire("service")
}

fn right(client: usize) -> Right {
    Right {
        client: IdentityId::from_wire(format!("{client}")),
        service: service(),
        session: None,
        tokens: Vec::new(),
        until: None,
    }
}

fn client(right: &Right) -> usize {
    right.client.as_str().parse().unwrap()
}

pub(crate) fn terminator(name: &str, router: usize) -> Terminator {
    Terminator {
        id: TerminatorId::from_wire(name),
        service: service(),
        router: router_id(router),
        binding: "edge".to_owned(),
        address: name.to_owned(),
        instance: String::new(),
        cost: 0,
        precedence: Precedence::Default,
        host: String::new(),
        peer_data: Arc::default(),
    }
}

impl Controller {
    pub(crate) fn start(records: &Records, strategy: TerminatorStrategy, now: Moment) -> Self {
        let mut fabric = Fabric::new(FabricOptions::default(), now);
        for router in 0..records.routers {
            fabric.set_router(router_id(router), RouterSpec::default(), now);
        }
        let service_record = Service {
            strategy,
            ..Service::default()
        };
        fabric.set_service(service(), service_record);
        for (name, router) in &records.terminators {
            fabric.set_terminator(terminator(name, *router));
        }
        Self {
            fabric,
            waiting: BTreeMap::new(),
        }
    }

    pub(crate) fn handle(
        &mut self,
        from: RouterSession,
        message: ToController,
        records: &Records,
        random: u64,
        now: Moment,
    ) {
        let fabric = &mut self.fabric;
        match message {
            ToController::Links { links, is_full } => {
                let links = links.into_iter().map(|link| LinkReport {
                    id: link.id,
                    destination: router_id(link.destination),
                    protocol: "tls".to_owned(),
                    dial_address: String::new(),
                    iteration: link.iteration,
                    connections: LinkConnections::default(),
                });
                fabric.report_links(from, links.collect(), is_full, now);
            },
            ToController::LinkFault { link, iteration } => {
                let fault = LinkFault {
                    id: link,
                    iteration,
                    kind: FaultKind::Fault,
                };
                fabric.report_link_fault(from, fault, now);
            },
            ToController::Dial { dial, client } => {
                self.dial(from, dial, (client, records), random, now);
            },
            ToController::Result(result) => fabric.handle_route_result(from, result, now),
            ToController::CircuitFault { circuit, fault } => {
                fabric.handle_circuit_fault(from, &circuit, fault, now);
            },
            ToController::ForwardFault(circuit) => {
                fabric.handle_forward_fault(from, vec![circuit], ForwardFault::Own, now);
            },
            ToController::Idle(circuits) => fabric.handle_idle(from, circuits),
            ToController::Carried { asked, circuits } => {
                let judge = |carried: Carried| CarriedCircuit {
                    id: carried.id,
                    forwards: carried.forwards,
                    claim: match carried.origin {
                        None => Claim::Unknown,
                        Some((ingress, client)) if records.allowed.contains(&client) => {
                            Claim::Granted {
                                ingress,
                                right: right(client),
                                tags: Arc::default(),
                            }
                        },
                        Some(_) => Claim::Refused,
                    },
                };
                let carried = CarriedCircuits {
                    asked,
                    circuits: circuits.into_iter().map(judge).collect(),
                    is_complete: true,
                };
                fabric.handle_carried(from, carried, now);
            },
        }
    }

    fn dial(
        &mut self,
        from: RouterSession,
        dial: u64,
        (client, records): (usize, &Records),
        random: u64,
        now: Moment,
    ) {
        if !records.allowed.contains(&client) || !self.fabric.network().is_current(from) {
            return;
        }
        let name = |end: &str| format!("c{dial}{end}");
        self.waiting.insert(dial, from);
        let dial = Dial {
            id: DialId(dial),
            from,
            names: CircuitNames {
                circuit: CircuitId::new(&name("")).unwrap(),
                ingress: Address::new(&name("i")).unwrap(),
                egress: Address::new(&name("e")).unwrap(),
            },
            right: right(client),
            instance: String::new(),
            sticky: None,
            peer_data: Arc::new(PeerData::new()),
            tags: Arc::default(),
            random,
        };
        self.fabric.dial(dial, now);
    }

    /// Takes rights away.
    pub(crate) fn judge(&mut self, records: &Records) {
        let allowed = &records.allowed;
        self.fabric
            .retain_circuits(|right, _| allowed.contains(&client(right)));
    }

    /// Messages that are to be sent.
    pub(crate) fn drain(
        &mut self,
        records: &mut Records,
        trace: &mut Trace,
        now: Moment,
    ) -> Vec<(RouterSession, ToRouter)> {
        let mut messages = Vec::new();
        while let Some(action) = self.fabric.poll_action() {
            trace.add(format!("{now:?} {action:?}"));
            messages.extend(match action {
                Action::Route { to, id, route } => Some((to, ToRouter::Route(id, route))),
                Action::Unroute { to, circuit, now } => {
                    Some((to, ToRouter::Unroute { circuit, now }))
                },
                Action::CloseLink {
                    to,
                    link,
                    iteration,
                } => Some((to, ToRouter::CloseLink { link, iteration })),
                Action::Answer {
                    to,
                    dial,
                    circuit,
                    result,
                } => {
                    let session = self.waiting.remove(&dial.0);
                    assert_eq!(session, Some(to), "each dial is answered once");
                    if let Err(failure) = &result {
                        trace.reach(format!("refused {}", failure.cause.name()));
                    }
                    let ingress = result.ok().map(|established| established.ingress);
                    let dial = dial.0;
                    Some((
                        to,
                        ToRouter::Answer {
                            dial,
                            circuit,
                            ingress,
                        },
                    ))
                },
                Action::AskForCircuits { to } => Some((to, ToRouter::Ask { asked: now })),
                Action::DeleteTerminator { terminator } => {
                    records.terminators.remove(terminator.as_str());
                    None
                },
                Action::DegradeTerminator { .. } => panic!("all are of the binding edge"),
            });
        }
        while let Some(event) = self.fabric.poll_event() {
            trace.add(format!("{now:?} {event:?}"));
            if let FabricEvent::Circuit(event) = event {
                trace.reach(match event {
                    CircuitEvent::Created(_) => "created".to_owned(),
                    CircuitEvent::Adopted(_) => "adopted".to_owned(),
                    CircuitEvent::PathChanged(_) => "path changed".to_owned(),
                    CircuitEvent::Failed { cause, .. } => format!("failed {}", cause.name()),
                    CircuitEvent::Ended { reason, .. } => format!("ended {reason:?}"),
                });
            }
        }
        messages
    }

    /// What is true at any time.
    pub(crate) fn check(&self, records: &Records, now: Moment) {
        let fabric = &self.fabric;
        let deadline = fabric.poll_timeout();
        assert!(
            deadline.is_none_or(|at| at > now),
            "{deadline:?} at {now:?}"
        );
        let mut open: BTreeMap<_, u32> = BTreeMap::new();
        for view in fabric.circuits() {
            let client = client(view.right);
            assert!(
                records.allowed.contains(&client),
                "no circuit without a right"
            );
            if view.is_open
                && let Some(target) = view.target
            {
                *open.entry(target.terminator.clone()).or_default() += 1;
            }
            if !view.is_open {
                let dial = view.names.circuit.as_str()[1..].parse().unwrap();
                assert!(self.waiting.contains_key(&dial), "somebody waits for it");
            }
        }
        for name in records.terminators.keys() {
            let id = TerminatorId::from_wire(name.clone());
            let cost = fabric.terminators().cost(&id, now).unwrap();
            let expected = open.get(&id).copied().unwrap_or_default();
            assert_eq!(cost.circuits, expected, "open circuits of {name}");
        }
        for (dial, session) in &self.waiting {
            let circuit = CircuitId::new(&format!("c{dial}")).unwrap();
            let is_dialing = fabric.circuit(&circuit).is_some_and(|view| !view.is_open);
            let is_over = !fabric.network().is_current(*session);
            assert!(is_dialing || is_over, "{dial} will not be answered");
        }
    }
}
