//! Circuits over three routers.

use super::{link, link_report, router, session};
use crate::bench::load::Tally;
use crate::bench::report::{Figure, Report};
use crate::bench::scale::Scale;
use crate::bench::work::own_work;
use anyhow::{Context as _, ensure};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{IdentityId, ServiceId, TerminatorId};
use portcullis_fabric::{
    Action, Address, CircuitId, CircuitNames, Dial, DialId, Fabric, FabricOptions, Moment,
    PeerData, Right, RouteResult, RouterSession, RouterSpec, Service, Terminator,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Dials over three routers in a row, which confirm.
pub(super) fn measure(scale: Scale, report: &mut Report) -> anyhow::Result<()> {
    let options = FabricOptions {
        max_circuits_per_router: usize::MAX,
        ..FabricOptions::default()
    };
    let now = Moment::ZERO;
    let mut fabric = Fabric::new(options, now);
    let mut sessions = Vec::new();
    for number in 0..3 {
        fabric.set_router(router(number), RouterSpec::default(), now);
        let session = fabric.connect(&router(number), now);
        sessions.push(session.context("a router is not known")?);
    }
    for number in 0..2 {
        let id = link(number)?;
        let ends = [session(&sessions, number)?, session(&sessions, number + 1)?];
        let report = link_report(&id, number + 1);
        fabric.report_links(ends[0], vec![report], false, now);
        for end in ends {
            fabric.report_latency(end, &id, Duration::ZERO);
        }
    }
    fabric.set_service(service(), Service::default());
    fabric.set_terminator(terminator());
    let first = session(&sessions, 0)?;
    let made = own_work(|| {
        let start = Instant::now();
        for number in 0..scale.circuits {
            fabric.dial(dial(first, number)?, now);
            confirm(&mut fabric, now);
        }
        Ok(Tally {
            done: scale.circuits,
            elapsed: start.elapsed(),
        })
    })?;
    let open = u64::try_from(fabric.circuits().count())?;
    ensure!(open == scale.circuits, "only {open} circuits are open");
    report.add(Figure::rate(
        "circuits over three routers, decisions alone",
        &made,
    ));
    let ended = own_work(|| {
        let start = Instant::now();
        fabric.retain_circuits(|_, _| false);
        confirm(&mut fabric, now);
        Ok(Tally {
            done: open,
            elapsed: start.elapsed(),
        })
    })?;
    report.add(Figure::rate("  and their end", &ended));
    Ok(())
}

/// All routers do as they are told.
fn confirm(fabric: &mut Fabric, now: Moment) {
    while let Some(action) = fabric.poll_action() {
        if let Action::Route { to, id, route } = action {
            let result = RouteResult {
                route: Some(id),
                circuit: route.circuit.clone(),
                outcome: Ok(PeerData::new()),
            };
            fabric.handle_route_result(to, result, now);
        }
    }
    while fabric.poll_event().is_some() {}
}

fn service() -> ServiceId {
    ServiceId::from_wire("s")
}

fn terminator() -> Terminator {
    Terminator {
        id: TerminatorId::from_wire("t"),
        service: service(),
        router: router(2),
        binding: "tunnel".to_owned(),
        address: "to-t".to_owned(),
        instance: String::new(),
        cost: 0,
        precedence: Precedence::Default,
        host: "host".to_owned(),
        peer_data: Arc::default(),
    }
}

fn dial(from: RouterSession, number: u64) -> anyhow::Result<Dial> {
    Ok(Dial {
        id: DialId(number),
        from,
        names: CircuitNames {
            circuit: CircuitId::new(&format!("c{number}"))?,
            ingress: Address::new(&format!("c{number}-in"))?,
            egress: Address::new(&format!("c{number}-out"))?,
        },
        right: Right {
            client: IdentityId::from_wire("client"),
            service: service(),
            session: None,
            tokens: Vec::new(),
            until: None,
        },
        instance: String::new(),
        sticky: None,
        peer_data: Arc::default(),
        tags: Arc::default(),
        random: 0,
    })
}
