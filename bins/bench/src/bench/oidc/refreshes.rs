//! Refreshes: a token is spent durably before the next one is issued.

use super::links;
use crate::bench::baseline::Rotations;
use crate::bench::fixture::Fixture;
use crate::bench::load::{Budget, Tally, drive};
use crate::bench::report::{Figure, Report};
use crate::bench::work::{Work, own_work, work};
use crate::testbed::link::Link;
use crate::testbed::oidc::OidcClient;
use std::fs;
use std::path::Path;

/// Clients, each with a session of its own.
const CLIENTS: usize = 64;

const ENGINE: &str = "engine, same rows, groups of 64";

/// Measures them beside commits of the same rows.
pub(super) async fn measure(
    fixture: &Fixture,
    scratch: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let client = OidcClient::new(&fixture.controller);
    let mut sessions = Vec::with_capacity(CLIENTS);
    for mut link in links(fixture, CLIENTS).await? {
        let token = client.log_in(&mut link).await?.refresh;
        sessions.push((link, token));
    }
    let alone = scratch.join("refreshes-alone");
    fs::create_dir(&alone)?;
    let mut rotations = Rotations::open(&alone, CLIENTS)?;

    let (mut engine, mut refreshes) = (Work::default(), Work::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        engine += own_work(|| rotations.measure(budget))?;
        let refreshing = refresh(&client, &mut sessions, budget);
        refreshes += work(fixture.controller.process, refreshing).await?;
    }
    report
        .add(Figure::rate("OIDC refreshes, 64 clients", &refreshes).beside(ENGINE, engine.rate()));
    report.add(Figure::rate(ENGINE, &engine));
    Ok(())
}

async fn refresh(
    client: &OidcClient,
    sessions: &mut Vec<(Link, String)>,
    budget: Budget,
) -> anyhow::Result<Tally> {
    let (tally, refreshed) = drive(
        std::mem::take(sessions),
        budget,
        |(mut link, mut token), pace| {
            let client = client.clone();
            async move {
                while pace.next().is_some() {
                    token = client.refresh(&mut link, &token).await?.refresh;
                }
                Ok((link, token))
            }
        },
    )
    .await?;
    *sessions = refreshed;
    Ok(tally)
}
