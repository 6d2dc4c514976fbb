//! Events, as the bytes of a program choose them.

use super::event;
use super::world::{ROUTERS, World, address, circuit, link, right, router, service};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::TerminatorId;
use portcullis_domain::service::TerminatorStrategy;
use portcullis_fabric::{
    CarriedCircuit, CarriedCircuits, CircuitFault, CircuitNames, Claim, Dial, DialId, FaultKind,
    Forward, ForwardFault, ForwardKind, LinkConnections, LinkFault, LinkReport, LinkState,
    PeerData, RouteErrorCode, RouteFailure, RouteResult, RouterSession, RouterSpec, Service,
    Terminator,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const LINKS: u8 = 8;
const CIRCUITS: u8 = 8;
const CLIENTS: u8 = 4;
const SERVICES: u8 = 2;
const TERMINATORS: u8 = 4;
/// The key of a host.
const PUBLIC_KEY: u32 = 1003;

/// The next event; false at the end of the program.
pub(super) fn happen(world: &mut World<'_>) -> Result<bool, String> {
    if world.bytes.is_empty() {
        return Ok(false);
    }
    match world.bytes.below(20) {
        event::ROUTER => set_router(world),
        event::CONNECT => connect(world),
        event::LINKS => with_session(world, report_links),
        event::SERVICE => set_service(world),
        event::TERMINATOR => set_terminator(world),
        event::DIAL => with_session(world, dial),
        event::RESULT => answer_route(world),
        event::CARRIED => with_session(world, tell_what_is_carried),
        event::TIME => {
            let seconds = u64::from(world.bytes.next());
            world.pass(Duration::from_secs(seconds))?;
        },
        2 => with_session(world, |world, from| {
            world.fabric.disconnect(from, world.now);
        }),
        4 => with_session(world, report_link_fault),
        5 => with_session(world, report_link_state),
        6 => change_link(world),
        11 => with_session(world, report_circuit_fault),
        12 => with_session(world, report_forward_fault),
        13 => with_session(world, report_idle),
        16 => {
            let client = world.bytes.below(CLIENTS);
            world.revoked.insert(client);
            let revoked = world.revoked.clone();
            world.fabric.retain_circuits(|right, _| {
                let client = right.client.as_str().parse().unwrap();
                !revoked.contains(&client)
            });
        },
        17 => {
            let id = circuit(world.bytes.below(CIRCUITS));
            let is_immediate = world.bytes.flag();
            world.fabric.remove_circuit(&id, is_immediate);
        },
        18 => {
            let id = router(world.bytes.below(ROUTERS));
            world.fabric.remove_router(&id, world.now);
        },
        _ => remove_records(world),
    }
    world.settle()?;
    Ok(true)
}

fn with_session(world: &mut World<'_>, event: impl FnOnce(&mut World<'_>, RouterSession)) {
    if let Some(session) = world.session() {
        event(world, session);
    }
}

fn set_router(world: &mut World<'_>) {
    let id = router(world.bytes.below(ROUTERS));
    let spec = RouterSpec {
        no_traversal: world.bytes.below(16) == 15,
        ..RouterSpec::default()
    };
    world.fabric.set_router(id, spec, world.now);
}

fn connect(world: &mut World<'_>) {
    let id = router(world.bytes.below(ROUTERS));
    let session = world.fabric.connect(&id, world.now);
    world.sessions.extend(session);
}

fn report_links(world: &mut World<'_>, from: RouterSession) {
    let mut links = Vec::new();
    for _ in 0..world.bytes.below(4) {
        links.push(LinkReport {
            id: link(world.bytes.below(LINKS)),
            destination: router(world.bytes.below(ROUTERS)),
            protocol: "tls".to_owned(),
            dial_address: String::new(),
            iteration: world.bytes.below(4).into(),
            connections: LinkConnections::default(),
        });
    }
    let is_full = world.bytes.flag();
    world.fabric.report_links(from, links, is_full, world.now);
}

fn report_link_fault(world: &mut World<'_>, from: RouterSession) {
    let fault = LinkFault {
        id: link(world.bytes.below(LINKS)),
        iteration: world.bytes.below(4).into(),
        kind: world
            .bytes
            .choose(&[FaultKind::Fault, FaultKind::Duplicate]),
    };
    world.fabric.report_link_fault(from, fault, world.now);
}

fn report_link_state(world: &mut World<'_>, from: RouterSession) {
    let id = link(world.bytes.below(LINKS));
    let latency = Duration::from_millis(world.bytes.next().into());
    world.fabric.report_latency(from, &id, latency);
    let state = LinkState {
        id,
        link_iteration: world.bytes.below(4).into(),
        connections: LinkConnections {
            iteration: world.bytes.below(4).into(),
            list: Vec::new(),
        },
    };
    world.fabric.report_link_state(from, state, world.now);
}

fn change_link(world: &mut World<'_>) {
    let id = link(world.bytes.below(LINKS));
    match world.bytes.below(4) {
        0 => world.fabric.remove_link(&id, world.now),
        1 => {
            world.fabric.set_link_cost(&id, u32::MAX);
        },
        choice => {
            world.fabric.set_link_down(&id, choice == 2, world.now);
        },
    }
}

fn set_service(world: &mut World<'_>) {
    let id = service(world.bytes.below(SERVICES));
    let strategy = TerminatorStrategy::ALL[usize::from(world.bytes.below(4))];
    let max_idle = world.bytes.flag().then_some(Duration::from_secs(30));
    let record = Service {
        strategy,
        encryption_required: world.bytes.below(8) == 7,
        max_idle,
    };
    world.fabric.set_service(id, record);
}

fn set_terminator(world: &mut World<'_>) {
    let id = format!("t{}", world.bytes.below(TERMINATORS));
    let precedences = [
        Precedence::Default,
        Precedence::Required,
        Precedence::Failed,
    ];
    let terminator = Terminator {
        id: TerminatorId::from_wire(id.clone()),
        router: router(world.bytes.below(ROUTERS)),
        service: service(world.bytes.below(SERVICES)),
        binding: world.bytes.choose(&["edge", "transport"]).to_owned(),
        address: id,
        instance: String::new(),
        cost: world.bytes.next().into(),
        precedence: world.bytes.choose(&precedences),
        host: String::new(),
        peer_data: Arc::default(),
    };
    world.fabric.set_terminator(terminator);
}

fn dial(world: &mut World<'_>, from: RouterSession) {
    let number = world.bytes.below(CIRCUITS);
    let right = right(world.bytes.below(CLIENTS), world.bytes.below(SERVICES));
    let random = world.bytes.next().into();
    if !world.has_right(&right) {
        return;
    }
    let id = DialId(world.dials);
    world.dials += 1;
    let names = CircuitNames {
        circuit: circuit(number),
        ingress: address(100 + number),
        egress: address(200 + number),
    };
    world.await_answer(id, from);
    let dial = Dial {
        id,
        from,
        names,
        right,
        instance: String::new(),
        sticky: None,
        peer_data: Arc::default(),
        tags: Arc::default(),
        random,
    };
    world.fabric.dial(dial, world.now);
}

/// The answer to one of the last routes, mostly from the router that got it.
fn answer_route(world: &mut World<'_>) {
    let (back, choice) = (usize::from(world.bytes.next()), world.bytes.next());
    let Some((to, id, of)) = world.routes.iter().nth_back(back % 8).cloned() else {
        return;
    };
    let is_right = choice < 224;
    let from = if is_right { Some(to) } else { world.session() };
    let outcome = match choice % 4 {
        1 => Err(RouteFailure {
            code: RouteErrorCode::from_wire(world.bytes.below(10)),
            text: String::new(),
        }),
        2 => Ok(PeerData::new()),
        _ => Ok(BTreeMap::from([(PUBLIC_KEY, vec![7; 32])])),
    };
    let Some(from) = from else {
        return;
    };
    if outcome.is_err() {
        world.carried.remove(&(from, of.clone()));
    }
    let result = RouteResult {
        route: is_right.then_some(id),
        circuit: of,
        outcome,
    };
    world.fabric.handle_route_result(from, result, world.now);
}

fn report_circuit_fault(world: &mut World<'_>, from: RouterSession) {
    let id = circuit(world.bytes.below(CIRCUITS));
    let ends = [CircuitFault::Ingress, CircuitFault::Egress];
    let fault = world.bytes.choose(&ends);
    world
        .fabric
        .handle_circuit_fault(from, &id, fault, world.now);
}

fn report_forward_fault(world: &mut World<'_>, from: RouterSession) {
    let id = circuit(world.bytes.below(CIRCUITS));
    let kinds = [ForwardFault::Own, ForwardFault::UnknownOwner];
    let fault = world.bytes.choose(&kinds);
    world
        .fabric
        .handle_forward_fault(from, vec![id], fault, world.now);
}

fn report_idle(world: &mut World<'_>, from: RouterSession) {
    let id = circuit(world.bytes.below(CIRCUITS));
    let idle = Duration::from_secs(world.bytes.next().into());
    world.fabric.handle_idle(from, vec![(id, idle)]);
}

fn tell_what_is_carried(world: &mut World<'_>, from: RouterSession) {
    let mut circuits = Vec::new();
    for _ in 0..world.bytes.below(3) {
        let id = circuit(world.bytes.below(CIRCUITS));
        let right = right(world.bytes.below(CLIENTS), world.bytes.below(SERVICES));
        let (one, other) = (
            address(world.bytes.below(LINKS)),
            address(100 + world.bytes.below(CIRCUITS)),
        );
        let claim = match world.bytes.below(3) {
            0 if world.has_right(&right) => Claim::Granted {
                ingress: other.clone(),
                right,
                tags: Arc::default(),
            },
            1 => Claim::Refused,
            _ => Claim::Unknown,
        };
        let forwards = vec![
            forward(&one, &other, ForwardKind::End),
            forward(&other, &one, ForwardKind::Link),
        ];
        circuits.push(CarriedCircuit {
            id,
            forwards,
            claim,
        });
    }
    let told: Vec<_> = circuits.iter().map(|carried| carried.id.clone()).collect();
    world
        .carried
        .retain(|(to, id)| *to != from || told.contains(id));
    let carried = CarriedCircuits {
        asked: world.now,
        circuits,
        is_complete: true,
    };
    world.fabric.handle_carried(from, carried, world.now);
}

fn forward(
    from: &portcullis_fabric::Address,
    to: &portcullis_fabric::Address,
    kind: ForwardKind,
) -> Forward {
    Forward {
        from: from.clone(),
        to: to.clone(),
        kind,
    }
}

fn remove_records(world: &mut World<'_>) {
    let number = world.bytes.next();
    if number < 64 {
        world.fabric.remove_service(&service(number % SERVICES));
    } else {
        let id = TerminatorId::from_wire(format!("t{}", number % TERMINATORS));
        world.fabric.remove_terminator(&id);
    }
}
