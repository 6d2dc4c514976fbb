//! Logins with certificates while passwords are being hashed at the limit.

use super::fixture::Fixture;
use super::load::{Budget, drive};
use super::report::{Figure, Report, Target, Unit};
use crate::testbed::controller::{ADMIN, PASSWORD};
use crate::testbed::link::Link;
use crate::testbed::request;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Clients that log in with passwords: more than there are threads that hash.
const CROWD: usize = 16;
/// Clients that log in with certificates.
const OTHERS: usize = 4;
/// How long each of those waits before the next login: they are honest, not a load.
const PAUSE: Duration = Duration::from_millis(20);

/// Measures how long logins with certificates take beside a crowd with passwords.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let budget = fixture.scale.budget();
    let crowd = fixture.links(CROWD).await?;
    let mut others = Vec::new();
    for device in fixture.as_devices()?.iter().take(OTHERS) {
        others.push(device.connect().await?);
    }
    let times = Arc::new(Mutex::new(Vec::new()));
    let ((), ()) = tokio::try_join!(
        press(crowd, budget),
        go_by(others, budget, Arc::clone(&times)),
    )?;
    let mut times = std::mem::take(&mut *times.lock());
    times.sort_unstable();
    let at = |of_hundred: usize| {
        let rank = (times.len() * of_hundred).div_ceil(100).max(1);
        let time = times.get(rank - 1).copied().unwrap_or_default();
        time.as_secs_f64() * 1e3
    };
    let name = "certificate login beside hashing, median";
    report.add(Figure::new(name, at(50), Unit::Milliseconds));
    report.add(
        Figure::new(
            "certificate login beside hashing, p99",
            at(99),
            Unit::Milliseconds,
        )
        .target(Target::Below(100.0)),
    );
    Ok(())
}

/// Logs in with passwords, over and over. Being turned away is part of it.
async fn press(links: Vec<Link>, budget: Budget) -> anyhow::Result<()> {
    drive(links, budget, |mut link, pace| async move {
        let login = request::password_login(ADMIN, PASSWORD);
        while pace.next().is_some() {
            link.exchange(&login).await?;
        }
        Ok(link)
    })
    .await?;
    Ok(())
}

async fn go_by(
    links: Vec<Link>,
    budget: Budget,
    times: Arc<Mutex<Vec<Duration>>>,
) -> anyhow::Result<()> {
    drive(links, budget, |mut link, pace| {
        let times = Arc::clone(&times);
        async move {
            let login = request::certificate_login();
            while pace.next().is_some() {
                let start = Instant::now();
                link.expect(200, &login).await?;
                let time = start.elapsed();
                times.lock().push(time);
                sleep(PAUSE).await;
            }
            Ok(link)
        }
    })
    .await?;
    Ok(())
}
