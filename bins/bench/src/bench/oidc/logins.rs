//! Logins with certificates by code flow, of four requests each.

use super::links;
use crate::bench::fixture::Fixture;
use crate::bench::load::{Budget, Tally, drive};
use crate::bench::logins::{login_again, login_anew};
use crate::bench::report::{Figure, Report};
use crate::bench::work::{Work, work};
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::oidc::OidcClient;

/// Clients that log in at the same time.
const CLIENTS: usize = 16;

/// Measures them beside logins of one request, over new connections and over kept ones.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let client = OidcClient::new(&fixture.controller);
    let process = fixture.controller.process;
    let devices: Vec<_> = fixture.as_devices()?.into_iter().take(CLIENTS).collect();

    let (mut legacy, mut flows) = (Work::default(), Work::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        legacy += work(process, login_anew(devices.clone(), budget)).await?;
        flows += work(process, flow_anew(&client, devices.clone(), budget)).await?;
    }
    report.add(
        Figure::rate("OIDC certificate logins, new connection each", &flows)
            .beside("legacy ones", legacy.rate()),
    );

    let (mut legacy, mut flows) = (Work::default(), Work::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        legacy += work(process, login_again(links(fixture, CLIENTS).await?, budget)).await?;
        let kept = links(fixture, CLIENTS).await?;
        flows += work(process, flow_again(&client, kept, budget)).await?;
    }
    report.add(
        Figure::rate("OIDC certificate logins, kept connections", &flows)
            .beside("legacy ones", legacy.rate()),
    );
    Ok(())
}

async fn flow_anew(
    client: &OidcClient,
    devices: Vec<Endpoint>,
    budget: Budget,
) -> anyhow::Result<Tally> {
    let (tally, _) = drive(devices, budget, |device, pace| {
        let client = client.clone();
        async move {
            while pace.next().is_some() {
                let mut link = device.connect().await?;
                client.log_in(&mut link).await?;
                link.close().await?;
            }
            Ok(device)
        }
    })
    .await?;
    Ok(tally)
}

async fn flow_again(
    client: &OidcClient,
    links: Vec<Link>,
    budget: Budget,
) -> anyhow::Result<Tally> {
    let (tally, _) = drive(links, budget, |mut link, pace| {
        let client = client.clone();
        async move {
            while pace.next().is_some() {
                client.log_in(&mut link).await?;
            }
            Ok(link)
        }
    })
    .await?;
    Ok(tally)
}
