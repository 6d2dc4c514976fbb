//! The cheapest request that needs a session.

use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::peer::Peer;
use super::report::{Figure, Report};
use super::work::{Work, work};
use crate::testbed::calls::token;
use crate::testbed::link::Link;
use crate::testbed::request::{self, CLIENT};
use anyhow::Context as _;

const CLIENTS: usize = 16;

/// Measures it over kept connections, beside a server that answers as many bytes.
pub(super) async fn measure(
    fixture: &Fixture,
    peer: &Peer,
    report: &mut Report,
) -> anyhow::Result<()> {
    let devices = fixture.as_devices()?;
    let device = devices.first().context("there is no device")?;
    let mut link = device.connect().await?;
    let session = token(link.expect(200, &request::certificate_login()).await?)?;
    let ask = request::get(&format!("{CLIENT}/current-identity"), Some(&session));
    let length = link.expect(200, &ask).await?.len();
    let echo = request::get(&format!("/{length}"), Some(&session));

    let (mut bare, mut answers) = (Work::default(), Work::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        let links = peer.echo.connect_many(CLIENTS).await?;
        bare += work(peer.process, repeat(links, budget, &echo)).await?;
        let links = fixture.links(CLIENTS).await?;
        let asking = repeat(links, budget, &ask);
        answers += work(fixture.controller.process, asking).await?;
    }
    report.add(
        Figure::rate("current identity, 16 clients", &answers)
            .beside("bare echo of the same size", bare.rate()),
    );
    report.add(Figure::rate("bare echo of the same size", &bare));
    Ok(())
}

async fn repeat(links: Vec<Link>, budget: Budget, request: &[u8]) -> anyhow::Result<Tally> {
    let (tally, _) = drive(links, budget, |mut link, pace| {
        let request = request.to_owned();
        async move {
            while pace.next().is_some() {
                link.expect(200, &request).await?;
            }
            Ok(link)
        }
    })
    .await?;
    Ok(tally)
}
