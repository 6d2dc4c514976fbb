//! Paths and circuits as the picture of the network decides them, without channels, rights or records.

mod circuits;
mod paths;

use crate::bench::report::Report;
use crate::bench::scale::Scale;
use anyhow::Context as _;
use portcullis_domain::ids::RouterId;
use portcullis_fabric::{LinkConnections, LinkId, LinkReport, RouterSession};

/// Measures both.
pub(in crate::bench) fn measure(scale: Scale, report: &mut Report) -> anyhow::Result<()> {
    paths::measure(report)?;
    circuits::measure(scale, report)
}

fn router(number: usize) -> RouterId {
    RouterId::from_wire(format!("r{number}"))
}

/// The session of a router.
fn session(sessions: &[RouterSession], number: usize) -> anyhow::Result<RouterSession> {
    let session = sessions.get(number).copied();
    session.with_context(|| format!("there is no router {number}"))
}

fn link(number: usize) -> anyhow::Result<LinkId> {
    Ok(LinkId::new(&format!("l{number}"))?)
}

fn link_report(id: &LinkId, to: usize) -> LinkReport {
    LinkReport {
        id: id.clone(),
        destination: router(to),
        protocol: "tls".to_owned(),
        dial_address: format!("tls:r{to}:1"),
        iteration: 1,
        connections: LinkConnections::default(),
    }
}
