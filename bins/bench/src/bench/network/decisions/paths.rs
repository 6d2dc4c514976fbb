//! Searches for cheapest paths.

use super::{link, link_report, router, session};
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::testbed::statistics::{median, milliseconds};
use anyhow::{Context as _, ensure};
use portcullis_fabric::{Network, NetworkOptions, RouterSpec};
use portcullis_seeded_random::Random;
use std::time::{Duration, Instant};

/// The network that is searched.
const ROUTERS: usize = 500;
const LINKS: usize = 5_000;

/// Milliseconds that a search stays below.
const LIMIT: f64 = 1.0;

/// Searches for paths from every router.
pub(super) fn measure(report: &mut Report) -> anyhow::Result<()> {
    let mut random = Random::from_seed(1);
    let mut network = Network::new(NetworkOptions::default());
    let slots: Vec<_> = (0..ROUTERS)
        .map(|number| network.set_router(router(number), RouterSpec::default()))
        .collect();
    let sessions: Option<Vec<_>> = (0..ROUTERS)
        .map(|it| network.connect(&router(it)))
        .collect();
    let sessions = sessions.context("a router is not known")?;
    for number in 0..LINKS {
        // A chain makes all of them reachable.
        let (from, to) = if number < ROUTERS - 1 {
            (number, number + 1)
        } else {
            let from = random.index(ROUTERS);
            (from, (from + 1 + random.index(ROUTERS - 1)) % ROUTERS)
        };
        let id = link(number)?;
        let ends = [session(&sessions, from)?, session(&sessions, to)?];
        network.report_links(ends[0], vec![link_report(&id, to)], false);
        for end in ends {
            network.report_latency(end, &id, Duration::ZERO);
        }
        let cost = 1 + u32::try_from(random.below(100))?;
        network.set_link_cost(&id, cost);
    }
    let changed = link(7)?;
    for (name, changes) in [
        ("path among 500 routers and 5000 links", false),
        ("  after a change", true),
    ] {
        let mut times = Vec::with_capacity(ROUTERS);
        for (cost, (from, to)) in (1..).zip(slots.iter().zip(slots.iter().rev())) {
            if changes {
                network.set_link_cost(&changed, cost);
            }
            let start = Instant::now();
            let paths = network.paths_from(*from);
            let path = paths.and_then(|paths| paths.path_to(*to));
            times.push(milliseconds(start.elapsed()));
            ensure!(path.is_some(), "there is no path");
        }
        let figure = Figure::new(name, median(&times), Unit::Milliseconds);
        report.add(figure.target(Target::Below(LIMIT)));
    }
    Ok(())
}
