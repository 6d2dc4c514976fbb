//! What small requests take of the allocator, and how long they are on the wire.
//!
//! The controller is the usual one around an allocator that counts, and one client asks, request
//! after request: so what is counted is the request's, but for a few things that the controller does
//! by itself now and then. The wire is what TLS carries: heads and bodies.

use super::fixture::Fixture;
use super::report::{Figure, Report, Unit};
use super::scale::Scale;
use crate::testbed::calls::token;
use crate::testbed::controller::{Controller, Program};
use crate::testbed::link::Link;
use crate::testbed::request::{self, CLIENT, MANAGEMENT};
use crate::testbed::statistics::float;
use anyhow::{Context as _, ensure};

/// What the counting program says first.
const SAYS: &str = "allocated ";

/// Requests before anything is counted: they fill what is kept.
const BEFORE: u64 = 500;
/// Requests that are counted.
const COUNTED: u64 = 5_000;

/// The names of the figures of one request.
struct Names {
    count: &'static str,
    bytes: &'static str,
}

const VERSION: Names = Names {
    count: "version, which needs no session",
    bytes: "  memory that it asks for",
};
const OWN: Names = Names {
    count: "current identity",
    bytes: "  memory that it asks for",
};
const PAGE: Names = Names {
    count: "page of 10 identities",
    bytes: "  memory that it asks for",
};

/// Figures of one request.
#[derive(Debug, Clone, Copy)]
struct Cost {
    allocations: f64,
    bytes: f64,
    sent: u64,
    received: u64,
}

/// Counts for each request, beside one that does next to nothing.
pub(super) async fn measure(
    program: &Program,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut fixture = Fixture::prepare(program.start().await?, scale).await?;
    let session = own_session(&fixture).await?;
    let page = format!("{MANAGEMENT}/identities?limit=10");
    let asked = [
        (VERSION, request::get(&format!("{CLIENT}/version"), None)),
        (
            OWN,
            request::get(&format!("{CLIENT}/current-identity"), Some(&session)),
        ),
        (PAGE, request::get(&page, Some(&fixture.admin))),
    ];
    let mut link = fixture.controller.endpoint(None)?.connect().await?;
    let mut least = None;
    for (names, request) in asked {
        let cost = cost(&mut fixture.controller, &mut link, &request)
            .await
            .with_context(|| format!("{} cannot be counted", names.count))?;
        cost.report(&names, *least.get_or_insert(cost), report);
    }
    fixture.controller.stop().await
}

/// The token of a device's session.
async fn own_session(fixture: &Fixture) -> anyhow::Result<String> {
    let devices = fixture.as_devices()?;
    let device = devices.first().context("there is no device")?;
    let mut link = device.connect().await?;
    token(link.expect(200, &request::certificate_login()).await?)
}

/// What one request costs on average.
async fn cost(
    controller: &mut Controller,
    link: &mut Link,
    request: &[u8],
) -> anyhow::Result<Cost> {
    for _ in 0..BEFORE {
        link.expect(200, request).await?;
    }
    let before = counts(controller).await?;
    let mut received = 0;
    for _ in 0..COUNTED {
        let answer = link.exchange(request).await?;
        ensure!(answer.status == 200, "the controller refused");
        received += answer.head + answer.body.len();
    }
    let after = counts(controller).await?;
    Ok(Cost {
        allocations: float(after.0.saturating_sub(before.0)) / float(COUNTED),
        bytes: float(after.1.saturating_sub(before.1)) / float(COUNTED),
        sent: u64::try_from(request.len())?,
        received: u64::try_from(received)? / COUNTED,
    })
}

/// Allocations so far, and their bytes.
async fn counts(controller: &mut Controller) -> anyhow::Result<(u64, u64)> {
    let said = controller.ask(SAYS).await?;
    read(&said).with_context(|| format!("`{said}` is no pair of counts"))
}

fn read(said: &str) -> Option<(u64, u64)> {
    let (count, bytes) = said.split_once(' ')?;
    Some((count.parse().ok()?, bytes.parse().ok()?))
}

impl Cost {
    fn report(self, names: &Names, least: Self, report: &mut Report) {
        let beside = VERSION.count;
        report.add(
            Figure::new(names.count, self.allocations, Unit::Allocations)
                .beside(beside, least.allocations),
        );
        report.add(Figure::new(names.bytes, self.bytes, Unit::Bytes).beside(beside, least.bytes));
        report.add(Figure::new(
            "  the request on the wire",
            float(self.sent),
            Unit::Bytes,
        ));
        let received = float(self.received);
        report.add(Figure::new(
            "  the answer on the wire",
            received,
            Unit::Bytes,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        assert_eq!(read("12 3456"), Some((12, 3456)));
        assert_eq!(read("12"), None);
        assert_eq!(read("12 many"), None);
    }
}
