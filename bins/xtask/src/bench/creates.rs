//! Creating identities with a one-time token, durably.

use super::baseline::{Commits, syncs};
use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::report::{Figure, Report, Target, Unit};
use super::request;
use std::path::Path;
use std::time::Duration;

/// The longest that filling the store may take.
const PATIENCE: Duration = Duration::from_mins(1);

const ENGINE: &str = "engine, same rows, groups of 64";

/// Measures one client beside the disk, and many beside the engine.
pub(super) async fn measure(
    fixture: &Fixture,
    scratch: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let budget = fixture.scale.budget();
    let bare = Budget {
        time: budget.time / 3,
        ..budget
    };
    let synced = syncs(scratch, bare)?;
    let alone = create(fixture, "one", 1, budget).await?;
    report.add(
        Figure::new(
            "identities created, 1 client",
            alone.rate(),
            Unit::PerSecond,
        )
        .beside("fsync of one page", synced.rate()),
    );
    let commits = Commits::open(scratch)?;
    let (mut engine, mut few, mut many) = (Tally::default(), Tally::default(), Tally::default());
    for turn in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        engine += commits.measure(budget)?.0;
        few += create(fixture, &format!("few-{turn}"), 16, budget).await?;
        many += create(fixture, &format!("many-{turn}"), 64, budget).await?;
    }
    report.add(
        Figure::new(
            "identities created, 16 clients",
            few.rate(),
            Unit::PerSecond,
        )
        .beside(ENGINE, engine.rate()),
    );
    report.add(
        Figure::new(
            "identities created, 64 clients",
            many.rate(),
            Unit::PerSecond,
        )
        .beside(ENGINE, engine.rate())
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
