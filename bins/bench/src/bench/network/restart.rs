//! All routers after the controller was killed and started again.

use super::fleet::{Arrival, Fleet};
use super::site::Site;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::testbed::controller::Program;
use crate::testbed::statistics::milliseconds;
use anyhow::Context as _;
use std::time::Instant;

/// Milliseconds within which all routers are connected again.
const LIMIT: f64 = 5_000.0;

/// Kills and starts the controller; hands over the new one.
pub(super) async fn measure(
    program: &Program,
    site: Site,
    fleet: &mut Fleet,
    report: &mut Report,
) -> anyhow::Result<Site> {
    fleet.forget();
    let start = Instant::now();
    site.controller.kill().await?;
    let site = Site::start(program).await?;
    let arrivals = fleet.arrivals(0).await?;
    let last = |time: fn(&Arrival) -> Option<Instant>| {
        let last = arrivals.iter().filter_map(time).max();
        let last = last.context("there are no routers")?;
        anyhow::Ok(milliseconds(last.duration_since(start)))
    };
    report.add(
        Figure::new(
            "500 routers connected, after kill -9 and start",
            last(|arrival| arrival.online)?,
            Unit::Milliseconds,
        )
        .target(Target::Below(LIMIT)),
    );
    report.add(Figure::new(
        "  and told of all, with 10 000 sessions",
        last(Arrival::complete)?,
        Unit::Milliseconds,
    ));
    Ok(site)
}
