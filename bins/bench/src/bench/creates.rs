//! Creating identities with a one-time token, durably.

use super::baseline::{Commits, syncs};
use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::report::{Figure, Report, Target};
use super::work::{Work, own_work, work};
use crate::testbed::request;
use std::path::Path;
use std::time::Duration;

/// The longest that filling the store may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Creations that the engine is given at a time.
const GROUP: usize = 64;

const SINGLE: &str = "engine, same rows, one by one";
const GROUPS: &str = "engine, same rows, groups of 64";

/// Measures one client beside single commits, and many beside groups of them.
pub(super) async fn measure(
    fixture: &Fixture,
    scratch: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let commits = Commits::open(scratch)?;
    alone(fixture, scratch, &commits, report).await?;
    together(fixture, &commits, report).await
}

async fn alone(
    fixture: &Fixture,
    scratch: &Path,
    commits: &Commits,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut synced, mut single, mut one) = (Work::default(), Work::default(), Work::default());
    for turn in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        synced += own_work(|| syncs(scratch, budget.half()))?;
        single += own_work(|| commits.measure(1, budget.half()))?;
        let creating = create(fixture, format!("one-{turn}"), 1, budget);
        one += work(fixture.controller.process, creating).await?;
    }
    report.add(Figure::rate("identities created, 1 client", &one).beside(SINGLE, single.rate()));
    report.add(Figure::rate(SINGLE, &single).beside("fsync of one page", synced.rate()));
    Ok(())
}

async fn together(fixture: &Fixture, commits: &Commits, report: &mut Report) -> anyhow::Result<()> {
    let (mut engine, mut few, mut many) = (Work::default(), Work::default(), Work::default());
    for turn in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        engine += own_work(|| commits.measure(GROUP, budget))?;
        let creating = create(fixture, format!("few-{turn}"), 16, budget);
        few += work(fixture.controller.process, creating).await?;
        let creating = create(fixture, format!("many-{turn}"), 64, budget);
        many += work(fixture.controller.process, creating).await?;
    }
    report.add(Figure::rate("identities created, 16 clients", &few).beside(GROUPS, engine.rate()));
    report.add(
        Figure::rate("identities created, 64 clients", &many)
            .beside(GROUPS, engine.rate())
            .target(Target::AtLeast(8000.0)),
    );
    report.add(Figure::rate(GROUPS, &engine));
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
    create(fixture, "fill".to_owned(), 64, budget).await?;
    Ok(())
}

async fn create(
    fixture: &Fixture,
    prefix: String,
    clients: usize,
    budget: Budget,
) -> anyhow::Result<Tally> {
    let links = fixture.links(clients).await?;
    let (tally, _) = drive(links, budget, |mut link, pace| {
        let (prefix, admin) = (prefix.clone(), fixture.admin.clone());
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
