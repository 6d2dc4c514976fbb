//! OpenID Connect: logins, refreshes, and requests with access tokens.

mod logins;
mod refreshes;
mod requests;

use super::fixture::Fixture;
use super::report::Report;
use crate::testbed::link::Link;
use std::path::Path;

/// Measures each beside what does the same without OpenID Connect.
pub(super) async fn measure(
    fixture: &Fixture,
    scratch: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    logins::measure(fixture, report).await?;
    refreshes::measure(fixture, scratch, report).await?;
    requests::measure(fixture, report).await
}

/// Connects as many clients as are wanted, each as one of the devices.
async fn links(fixture: &Fixture, count: usize) -> anyhow::Result<Vec<Link>> {
    let devices = fixture.as_devices()?;
    let mut links = Vec::with_capacity(count);
    for device in devices.iter().cycle().take(count) {
        links.push(device.connect().await?);
    }
    Ok(links)
}
