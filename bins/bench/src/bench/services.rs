//! Services as clients list them, and policies about everybody, on stores of several sizes.
//!
//! The network is the same in all stores; what grows is the number of identities. Each client is one
//! of them, and has a session of its own.

mod changes;
mod index;
mod own;

use super::memory;
use super::plan::say;
use super::report::{Point, Report, Series, Unit};
use super::scale::Scale;
use super::seed::{Model, Seed};
use crate::testbed::calls::{log_in, wait_for_list};
use crate::testbed::controller::Program;
use crate::testbed::statistics::{mebibytes, milliseconds};
use anyhow::Context as _;
use changes::Changes;
use own::Own;
use std::time::Instant;

/// Clients that ask at the same time.
const CLIENTS: u64 = 16;

/// The network of the design's targets, and the identities up to which they hold.
const MODEL: Model = Model {
    services: 2_000,
    routers: 500,
    service_policies: 250,
    router_policies: 250,
    service_router_policies: 100,
};
const LARGEST: u64 = 100_000;

/// Milliseconds within which the first list is answered after a start.
const START: f64 = 1_000.0;
/// MiB that the index stays below.
const INDEX: f64 = 64.0;

/// What is measured on each store.
struct Figures {
    own: Own,
    changes: Changes,
    start: Series,
    index: Series,
    access: Series,
    resident: Series,
}

/// Measures all of it, size by size.
pub(super) async fn measure(
    program: &Program,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut figures = Figures::new();
    let controller = program.start().await?;
    let admin = log_in(&mut controller.endpoint(None)?.connect().await?).await?;
    controller.stop().await?;
    let seed = Seed::open(&program.home)?;
    seed.network(MODEL)?;
    let clients = seed.clients(CLIENTS)?;
    drop(seed);
    let mut there = CLIENTS;
    for &identities in scale.networks {
        say(&format!("services of {identities} identities"))?;
        let seed = Seed::open(&program.home)?;
        seed.members(there..identities)?;
        there = identities;
        figures.weigh(identities, &seed)?;
        drop(seed);
        figures
            .ask(program, scale, (&admin, &clients), identities)
            .await
            .with_context(|| format!("a network of {identities} identities"))?;
    }
    for series in figures.all() {
        report.add_series(series);
    }
    Ok(())
}

impl Figures {
    fn new() -> Self {
        let start = "start to first list of services";
        Self {
            own: Own::new(),
            changes: Changes::new(),
            start: Series::new(start, Unit::Milliseconds).below(START, LARGEST),
            index: Series::new("index of policies and what they select", Unit::Mebibytes)
                .below(INDEX, LARGEST),
            access: Series::new("  who may use what, of it", Unit::Kibibytes),
            resident: Series::new("resident memory, with the network", Unit::Mebibytes)
                .below(memory::MANY, LARGEST),
        }
    }

    /// Notes what the index of a store takes.
    fn weigh(&mut self, identities: u64, seed: &Seed) -> anyhow::Result<()> {
        let weight = index::weigh(seed.engine())?;
        let whole = mebibytes(weight.whole);
        self.index.add(Point::new(identities, whole));
        let access = mebibytes(weight.access) * 1024.0;
        self.access.add(Point::new(identities, access));
        Ok(())
    }

    /// Measures what a controller does with a store.
    async fn ask(
        &mut self,
        program: &Program,
        scale: Scale,
        (admin, clients): (&str, &[String]),
        identities: u64,
    ) -> anyhow::Result<()> {
        let client = clients.first().context("there is no client")?;
        let begin = Instant::now();
        let controller = program.start().await?;
        wait_for_list(&controller, &own::request("", client)).await?;
        let start = milliseconds(begin.elapsed());
        self.start.add(Point::new(identities, start));

        controller.process.calm().await?;
        let resident = mebibytes(controller.process.resident()?);
        self.resident.add(Point::new(identities, resident));
        let budget = scale.budget();
        self.own
            .measure(&controller, clients, budget, identities)
            .await?;
        let sessions = (admin, client.as_str());
        self.changes
            .measure(&controller, sessions, scale.changes, identities)
            .await?;
        controller.stop().await
    }

    fn all(self) -> impl Iterator<Item = Series> {
        let rest = [self.start, self.index, self.access, self.resident];
        self.own.all().chain(self.changes.all()).chain(rest)
    }
}
