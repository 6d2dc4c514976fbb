//! Logins with passwords.

use super::baseline::hashes;
use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::report::{Figure, Report, Target};
use super::work::{Work, own_work, work};
use crate::testbed::controller::{ADMIN, PASSWORD};
use crate::testbed::request;

/// More than there are threads that hash, so that none of them waits for a client.
const CLIENTS: usize = 8;

/// Measures logins beside bare hashes.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let (mut bare, mut logins) = (Work::default(), Work::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        bare += own_work(|| hashes(budget))?;
        logins += work(fixture.controller.process, login(fixture, budget)).await?;
    }
    report.add(
        Figure::rate("password logins", &logins)
            .beside("bare argon2id hashes", bare.rate())
            .target(Target::RatioAtLeast(0.93)),
    );
    report.add(Figure::rate("bare argon2id hashes", &bare));
    Ok(())
}

async fn login(fixture: &Fixture, budget: Budget) -> anyhow::Result<Tally> {
    let links = fixture.links(CLIENTS).await?;
    let (tally, _) = drive(links, budget, |mut link, pace| async move {
        let login = request::password_login(ADMIN, PASSWORD);
        while pace.next().is_some() {
            link.expect(200, &login).await?;
        }
        Ok(link)
    })
    .await?;
    Ok(tally)
}
