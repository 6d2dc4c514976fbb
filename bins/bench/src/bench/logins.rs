//! Logins with certificates.

use super::fixture::Fixture;
use super::load::{Budget, Tally, drive};
use super::peer::Peer;
use super::report::{Figure, Report, Target};
use super::work::{Work, work};
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::request;

/// Clients that connect at the same time.
const CLIENTS: usize = 16;

/// Measures logins over new connections beside bare handshakes, and over kept connections.
pub(super) async fn measure(
    fixture: &Fixture,
    peer: &Peer,
    report: &mut Report,
) -> anyhow::Result<()> {
    let devices = fixture.as_devices()?;
    anew(fixture, &devices, peer, report).await?;
    kept(fixture, &devices, report).await
}

async fn anew(
    fixture: &Fixture,
    devices: &[Endpoint],
    peer: &Peer,
    report: &mut Report,
) -> anyhow::Result<()> {
    let clients: Vec<_> = devices.iter().take(CLIENTS).cloned().collect();
    let (mut bare, mut logins) = (Work::default(), Work::default());
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        let greeters = vec![peer.greeter.clone(); clients.len()];
        bare += work(peer.process, handshakes(greeters, budget)).await?;
        let logging_in = login_anew(clients.clone(), budget);
        logins += work(fixture.controller.process, logging_in).await?;
    }
    report.add(
        Figure::rate("certificate logins, new connection each", &logins)
            .beside("bare mutual handshakes", bare.rate())
            .target(Target::RatioAtLeast(0.7)),
    );
    report.add(Figure::rate("bare mutual handshakes", &bare));
    Ok(())
}

async fn kept(fixture: &Fixture, devices: &[Endpoint], report: &mut Report) -> anyhow::Result<()> {
    let mut links = Vec::new();
    for device in devices {
        links.push(device.connect().await?);
    }
    let logging_in = login_again(links, fixture.scale.budget());
    let logins = work(fixture.controller.process, logging_in).await?;
    report.add(
        Figure::rate("certificate logins, kept connections", &logins)
            .target(Target::PerProcessorSecond(10_000.0)),
    );
    Ok(())
}

async fn handshakes(greeters: Vec<Endpoint>, budget: Budget) -> anyhow::Result<Tally> {
    let (tally, _) = drive(greeters, budget, |greeter, pace| async move {
        while pace.next().is_some() {
            let mut link = greeter.connect().await?;
            link.listen().await?;
            link.close().await?;
        }
        Ok(greeter)
    })
    .await?;
    Ok(tally)
}

/// Logs in over a new connection each time.
pub(super) async fn login_anew(devices: Vec<Endpoint>, budget: Budget) -> anyhow::Result<Tally> {
    let (tally, _) = drive(devices, budget, |device, pace| async move {
        let login = request::certificate_login();
        while pace.next().is_some() {
            let mut link = device.connect().await?;
            link.expect(200, &login).await?;
            link.close().await?;
        }
        Ok(device)
    })
    .await?;
    Ok(tally)
}

/// Logs in over kept connections.
pub(super) async fn login_again(links: Vec<Link>, budget: Budget) -> anyhow::Result<Tally> {
    let (tally, _) = drive(links, budget, |mut link, pace| async move {
        let login = request::certificate_login();
        while pace.next().is_some() {
            link.expect(200, &login).await?;
        }
        Ok(link)
    })
    .await?;
    Ok(tally)
}
