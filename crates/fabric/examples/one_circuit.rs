//! Three routers, the links between them, and a circuit that loses its path and takes another.
//!
//! `cargo run -p portcullis-fabric --example one_circuit`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId, TerminatorId};
use portcullis_fabric::{
    Action, Address, CircuitId, CircuitNames, Dial, DialId, Fabric, FabricEvent, FabricOptions,
    FaultKind, LinkConnections, LinkFault, LinkId, LinkReport, Moment, PeerData, Right,
    RouteResult, RouterSession, RouterSpec, Service, Terminator,
};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let now = Moment::ZERO;
    let mut fabric = Fabric::new(FabricOptions::default(), now);
    let [london, paris, oslo] =
        ["london", "paris", "oslo"].map(|name| connect(&mut fabric, name, now));
    let (london, paris, oslo) = (london?, paris?, oslo?);
    link(&mut fabric, (london, paris), "paris", 4)?;
    link(&mut fabric, (paris, oslo), "oslo", 9)?;
    link(&mut fabric, (london, oslo), "oslo", 12)?;

    let service = ServiceId::from_wire("wiki");
    fabric.set_service(service.clone(), Service::default());
    fabric.set_terminator(Terminator {
        id: TerminatorId::from_wire("wiki-at-oslo"),
        service: service.clone(),
        router: RouterId::from_wire("oslo"),
        binding: "transport".to_owned(),
        address: "tcp:10.0.0.1:80".to_owned(),
        instance: String::new(),
        cost: 0,
        precedence: Precedence::Default,
        host: String::new(),
        peer_data: Arc::default(),
    });
    run(&mut fabric, now);

    println!("\nA client at london dials:");
    fabric.dial(
        Dial {
            id: DialId(1),
            from: london,
            names: CircuitNames {
                circuit: CircuitId::new("circuit-1")?,
                ingress: Address::new("client-end")?,
                egress: Address::new("host-end")?,
            },
            right: Right {
                client: IdentityId::from_wire("alice"),
                service,
                session: None,
                tokens: Vec::new(),
                until: None,
            },
            instance: String::new(),
            sticky: None,
            peer_data: Arc::default(),
            tags: Arc::new(BTreeMap::new()),
            random: 0,
        },
        now,
    );
    run(&mut fabric, now);

    println!("\nThe link from london to oslo breaks:");
    let fault = LinkFault {
        id: LinkId::new("london-oslo")?,
        iteration: 1,
        kind: FaultKind::Fault,
    };
    fabric.report_link_fault(london, fault, now);
    run(&mut fabric, now);

    println!("\nThe client may not dial any more:");
    fabric.retain_circuits(|right, _| right.client.as_str() != "alice");
    run(&mut fabric, now);
    Ok(())
}

fn connect(fabric: &mut Fabric, name: &str, now: Moment) -> Result<RouterSession, String> {
    let id = RouterId::from_wire(name);
    fabric.set_router(id.clone(), RouterSpec::default(), now);
    fabric
        .connect(&id, now)
        .ok_or_else(|| format!("{name} is unknown"))
}

/// The first router has dialed a link to the second, and both have measured it.
fn link(
    fabric: &mut Fabric,
    (from, to): (RouterSession, RouterSession),
    destination: &str,
    milliseconds: u64,
) -> Result<(), Box<dyn Error>> {
    let source = name(fabric, from);
    let id = LinkId::new(&format!("{source}-{destination}"))?;
    let report = LinkReport {
        id: id.clone(),
        destination: RouterId::from_wire(destination),
        protocol: "tls".to_owned(),
        dial_address: format!("tls:{destination}.example:443"),
        iteration: 1,
        connections: LinkConnections::default(),
    };
    fabric.report_links(from, vec![report], false, Moment::ZERO);
    for end in [from, to] {
        fabric.report_latency(end, &id, Duration::from_millis(milliseconds));
    }
    Ok(())
}

fn name(fabric: &Fabric, session: RouterSession) -> String {
    let id = fabric.network().router_id(session.router());
    id.map_or_else(|| "?".to_owned(), ToString::to_string)
}

/// Does what is to be done; the routers confirm everything.
fn run(fabric: &mut Fabric, now: Moment) {
    while let Some(action) = fabric.poll_action() {
        match action {
            Action::Route { to, id, route } => {
                let forwards = route.forwards.iter();
                let text: Vec<_> = forwards
                    .map(|forward| format!("{} -> {}", forward.from.as_str(), forward.to.as_str()))
                    .collect();
                println!("  route for {}: {}", name(fabric, to), text.join(", "));
                let result = RouteResult {
                    route: Some(id),
                    circuit: route.circuit,
                    outcome: Ok(PeerData::new()),
                };
                fabric.handle_route_result(to, result, now);
            },
            Action::Unroute { to, circuit, .. } => {
                println!("  {} forgets {}", name(fabric, to), circuit.as_str());
            },
            Action::Answer { result, .. } => println!("  the client gets {result:?}"),
            other => println!("  {other:?}"),
        }
    }
    while let Some(event) = fabric.poll_event() {
        if let FabricEvent::Circuit(event) = event {
            println!("  {event:?}");
        }
    }
}
