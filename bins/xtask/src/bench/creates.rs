//! Creating identities with a one-time token, durably.

use super::baseline::{Commits, syncs};
use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::process::{Work, work};
use super::report::{Figure, Report, Target, Unit};
use super::request;
use std::path::Path;
use std::time::Duration;

/// The longest that filling the store may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Creations that the engine is given at a time.
const GROUP: usize = 64;

/// Measures one client beside single commits, and many beside groups of them.
pub(super) async fn measure(
    fixture: &Fixture,
    scratch: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let controller = fixture.controller.process;
    let commits = Commits::open(scratch)?;
    let (mut synced, mut single, mut one) = (Tally::default(), Tally::default(), Work::default());
    for turn in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        synced += syncs(scratch, budget.half())?;
        single += commits.measure(1, budget.half())?;
        let name = format!("one-{turn}");
        one += work(controller, create(fixture, &name, 1, budget)).await?;
    }
    let (mut engine, mut few, mut many) = (Tally::default(), Work::default(), Work::default());
    for turn in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        engine += commits.measure(GROUP, budget)?;
        let name = format!("few-{turn}");
        few += work(controller, create(fixture, &name, 16, budget)).await?;
        let name = format!("many-{turn}");
        many += work(controller, create(fixture, &name, 64, budget)).await?;
    }
    report.add(Figure::new(
        "fsync of one page",
        synced.rate(),
        Unit::PerSecond,
    ));
    report.add(
        Figure::rate("identities created, 1 client", &one)
            .beside("engine, same rows, one by one", single.rate()),
    );
    let beside = "engine, same rows, groups of 64";
    report.add(Figure::rate("identities created, 16 clients", &few).beside(beside, engine.rate()));
    report.add(
        Figure::rate("identities created, 64 clients", &many)
            .beside(beside, engine.rate())
            .target(Target::AtLeast(8000.0)),
    );
    Ok(())
}

/// Creates until there are as many as the scale wants.
pub(super) async fn fill(fixture: &Fixture) -> anyhow::Result<()> {
    let missing = fixture
        .scale
        .identities
        .saturating_sub(fixture.identities().await?);
    let budget = Budget {
        time: PATIENCE,
        count: missing,
    };
    create(fixture, "fill", 64, budget).await?;
    Ok(())
}

async fn create(
    fixture: &Fixture,
    prefix: &str,
    clients: usize,
    budget: Budget,
) -> anyhow::Result<Tally> {
    let links = fixture.links(clients).await?;
    let (tally, _) = drive(links, budget, |mut link, pace| {
        let (prefix, admin) = (prefix.to_owned(), fixture.admin.clone());
        async move {
            while let Some(turn) = pace.next() {
                let request = request::create(&format!("{prefix}-{turn}"), &admin);
                link.expect(201, &request).await?;
            }
            Ok(link)
        }
    })
    .await?;
    Ok(tally)
}
