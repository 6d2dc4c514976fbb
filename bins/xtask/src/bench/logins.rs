//! Logins with certificates.

use super::fixture::Fixture;
use super::link::{Endpoint, Link};
use super::load::{Budget, Tally, drive};
use super::peer::Peer;
use super::process::Process;
use super::report::{Figure, Report, Target, Unit};
use super::request;
use std::time::Duration;

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
        Figure::new(
            "certificate logins, new connection each",
            logins.tally.rate(),
            Unit::PerSecond,
        )
        .beside("bare mutual handshakes", bare.tally.rate())
        .target(Target::RatioAtLeast(0.7)),
    );
    report.add(
        Figure::new(
            "certificate logins, new connection each",
            logins.tally.per(logins.processor_time),
            Unit::PerProcessorSecond,
        )
        .beside(
            "bare mutual handshakes",
            bare.tally.per(bare.processor_time),
        ),
    );
    Ok(())
}

async fn kept(fixture: &Fixture, devices: &[Endpoint], report: &mut Report) -> anyhow::Result<()> {
    let mut links = Vec::new();
    for device in devices {
        links.push(device.connect().await?);
    }
    let logging_in = login_again(links, fixture.scale.budget());
    let logins = work(fixture.controller.process, logging_in).await?;
    let name = "certificate logins, kept connections";
    report.add(Figure::new(name, logins.tally.rate(), Unit::PerSecond));
    report.add(
        Figure::new(
            name,
            logins.tally.per(logins.processor_time),
            Unit::PerProcessorSecond,
        )
        .target(Target::AtLeast(10_000.0)),
    );
    Ok(())
}

/// What was done, and the processor time that the server took for it.
#[derive(Debug, Clone, Copy, Default)]
struct Work {
    tally: Tally,
    processor_time: Duration,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.tally += other.tally;
        self.processor_time += other.processor_time;
    }
}

async fn work(
    server: Process,
    load: impl Future<Output = anyhow::Result<Tally>>,
) -> anyhow::Result<Work> {
    let before = server.processor_time()?;
    let tally = load.await?;
    Ok(Work {
        tally,
        processor_time: server.processor_time()?.saturating_sub(before),
    })
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

async fn login_anew(devices: Vec<Endpoint>, budget: Budget) -> anyhow::Result<Tally> {
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

async fn login_again(links: Vec<Link>, budget: Budget) -> anyhow::Result<Tally> {
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
