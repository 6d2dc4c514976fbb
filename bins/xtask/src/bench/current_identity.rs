//! The cheapest request that needs a session.

use super::fixture::{Fixture, token};
use super::link::Link;
use super::load::{Budget, Tally, drive};
use super::peer::Peer;
use super::report::{Figure, Report, Unit};
use super::request::{self, CLIENT};
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

    let mut asking = fixture.links(CLIENTS).await?;
    let mut echoing = peer.echo.connect_many(CLIENTS).await?;
    let (mut bare, mut answers) = (Tally::default(), Tally::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        let tally;
        (tally, echoing) = repeat(echoing, budget, &echo).await?;
        bare += tally;
        let tally;
        (tally, asking) = repeat(asking, budget, &ask).await?;
        answers += tally;
    }
    report.add(
        Figure::new(
            "current identity, 16 clients",
            answers.rate(),
            Unit::PerSecond,
        )
        .beside("bare echo of the same size", bare.rate()),
    );
    Ok(())
}

async fn repeat(
    links: Vec<Link>,
    budget: Budget,
    request: &[u8],
) -> anyhow::Result<(Tally, Vec<Link>)> {
    drive(links, budget, |mut link, pace| {
        let request = request.to_owned();
        async move {
            while pace.next().is_some() {
                link.expect(200, &request).await?;
            }
            Ok(link)
        }
    })
    .await
}
