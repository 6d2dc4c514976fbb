//! One change of the data model, and when all routers know of it.

use super::answering::News;
use super::figures;
use super::fleet::Fleet;
use super::site::Site;
use crate::bench::report::{Report, Target};
use crate::bench::scale::Scale;
use crate::testbed::request::{self, MANAGEMENT};
use serde_json::json;
use std::time::Instant;

/// Milliseconds within which 99 of 100 routers know of a change, from the request on.
const LIMIT: f64 = 100.0;

/// Renames a service again and again.
pub(super) async fn measure(
    site: &mut Site,
    fleet: &mut Fleet,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    site.connect().await?;
    let id = site
        .create(
            "services",
            &json!({ "name": "renamed", "encryptionRequired": false }),
        )
        .await?;
    let path = format!("{MANAGEMENT}/services/{id}");
    let mut times = Vec::new();
    for round in 0..scale.changes {
        let name = format!("renamed-{round}");
        let body = json!({ "name": name }).to_string();
        let rename = request::patch(&path, Some(&site.admin), &body);
        fleet.forget();
        let start = Instant::now();
        site.link.expect(200, &rename).await?;
        let heard = fleet.heard(&News::Service(name)).await?;
        times.extend(heard.into_iter().map(|at| at.duration_since(start)));
    }
    let [median, p99] = figures(
        [
            "change of the data model to 500 routers, median",
            "change of the data model to 500 routers, p99",
        ],
        times,
    );
    report.add(median);
    report.add(p99.target(Target::Below(LIMIT)));
    Ok(())
}
