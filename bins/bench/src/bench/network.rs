//! What the controller does for routers, which are simulated: each has a connection of its own, over
//! TLS.
//!
//! One connection each, so that 500 of them fit into the descriptors that processes usually may have.
//! They share the processors with the controller: whatever it tells all of them, they decrypt.

mod answering;
mod circuits;
mod decisions;
mod export_start;
mod fan_out;
mod fleet;
mod observed;
mod restart;
mod revocations;
mod site;

pub(super) use decisions::measure as decisions;
pub(super) use observed::measure as observed;

use super::plan::say;
use super::report::{Figure, Report, Unit};
use super::scale::Scale;
use crate::testbed::controller::Program;
use crate::testbed::statistics::{float, milliseconds, percentile};
use fleet::Fleet;
use site::Site;
use std::time::Duration;

/// Routers of a large network.
const ROUTERS: usize = 500;
const ROUTER_COUNT: f64 = 500.0;

/// Measures all of it.
pub(super) async fn measure(
    program: Program,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let program = program.with_lasting_port()?;
    say("routers that enroll")?;
    let mut site = Site::start(&program).await?;
    let mut fleet = Fleet::enroll(&mut site, ROUTERS).await?;
    circuits::measure(&mut site, &mut fleet, scale, report).await?;
    fleet.leave().await;
    // Anew: what circuits once took is not given back.
    site.stop().await?;

    let mut site = Site::start(&program).await?;
    join(&site, &mut fleet, report).await?;
    say("changes of the data model")?;
    fan_out::measure(&mut site, &mut fleet, scale, report).await?;
    fleet.leave().await;

    say("revocations")?;
    let sessions = revocations::open_sessions(&mut site).await?;
    fleet.connect(&site, ROUTERS).await?;
    revocations::measure(&mut site, &mut fleet, sessions, scale, report).await?;
    say("routers after a restart")?;
    let site = restart::measure(&program, site, &mut fleet, report).await?;
    fleet.leave().await;
    site.stop().await
}

/// Has all routers connect, and looks at what that takes.
async fn join(site: &Site, fleet: &mut Fleet, report: &mut Report) -> anyhow::Result<()> {
    let before = site.resident().await?;
    fleet.connect(site, ROUTERS).await?;
    let after = site.resident().await?;
    let each = float(after.saturating_sub(before)) / 1024.0 / ROUTER_COUNT;
    report.add(Figure::new(
        "memory, each of 500 connected routers",
        each,
        Unit::Kibibytes,
    ));
    Ok(())
}

/// Times as figures: their median, and what 99 of 100 do not exceed.
fn figures([median, p99]: [&'static str; 2], mut times: Vec<Duration>) -> [Figure; 2] {
    times.sort_unstable();
    let figure = |name, of_hundred| {
        let time = milliseconds(percentile(&times, of_hundred));
        Figure::new(name, time, Unit::Milliseconds)
    };
    [figure(median, 50), figure(p99, 99)]
}
