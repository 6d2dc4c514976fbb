//! Sessions that end, and what is revoked: when all routers know of it.

use super::answering::News;
use super::figures;
use super::fleet::Fleet;
use super::site::Site;
use crate::bench::report::{Report, Target};
use crate::bench::scale::Scale;
use crate::testbed::calls::{enroll, text_of};
use crate::testbed::request::{self, MANAGEMENT};
use anyhow::Context as _;
use portcullis_domain::entropy;
use portcullis_system::SystemEntropy;
use serde_json::json;
use std::time::{Duration, Instant};

/// Sessions that there are.
const SESSIONS: usize = 10_000;
/// Identities that have them.
const CLIENTS: usize = 100;

/// Milliseconds within which 99 of 100 routers know of an end, from the request on.
const LIMIT: f64 = 1_000.0;

/// Ids of sessions, and of the identities that have them.
pub(super) struct Sessions {
    sessions: Vec<String>,
    identities: Vec<String>,
}

/// Has clients log in.
pub(super) async fn open_sessions(site: &mut Site) -> anyhow::Result<Sessions> {
    let (mut sessions, mut identities) = (Vec::with_capacity(SESSIONS), Vec::new());
    for number in 0..CLIENTS {
        let name = format!("client-{number}");
        let client = enroll(&mut site.link, &site.admin, &name).await?;
        let mut link = site.controller.endpoint(Some(&client))?.connect().await?;
        let login = request::certificate_login();
        for _ in 0..SESSIONS / CLIENTS {
            let answer = link.expect(200, &login).await?;
            sessions.push(text_of(answer, "/data/id")?);
            identities.push(text_of(answer, "/data/identityId")?);
        }
    }
    identities.dedup();
    Ok(Sessions {
        sessions,
        identities,
    })
}

/// Ends some of the sessions, and revokes what tokens of OpenID Connect stand for.
pub(super) async fn measure(
    site: &mut Site,
    fleet: &mut Fleet,
    Sessions {
        sessions,
        identities,
    }: Sessions,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let rounds = usize::try_from(scale.changes)?;
    site.connect().await?;
    let mut times = Vec::new();
    for id in sessions.into_iter().take(rounds) {
        let path = format!("{MANAGEMENT}/api-sessions/{id}");
        let end = request::delete(&path, Some(&site.admin));
        times.extend(told(site, fleet, (200, &end), &News::Ended(id)).await?);
    }
    add(
        [
            "end of a session to 500 routers, median",
            "end of a session to 500 routers, p99",
        ],
        times,
        report,
    );

    let mut identities = identities.into_iter();
    let mut times = Vec::new();
    for kind in ["JTI", "API_SESSION", "IDENTITY"]
        .into_iter()
        .cycle()
        .take(rounds)
    {
        // Tokens and sessions need not be known.
        let id = match kind {
            "IDENTITY" => identities.next().context("there are too few identities")?,
            _ => entropy::uuid(&SystemEntropy)?,
        };
        let body = json!({ "id": id, "type": kind }).to_string();
        let path = format!("{MANAGEMENT}/revocations");
        let revoke = request::post(&path, Some(&site.admin), &body);
        times.extend(told(site, fleet, (201, &revoke), &News::Revoked(id)).await?);
    }
    add(
        [
            "revocation to 500 routers, median",
            "revocation to 500 routers, p99",
        ],
        times,
        report,
    );
    Ok(())
}

/// Sends a request; answers how long it took until each router was told.
async fn told(
    site: &mut Site,
    fleet: &mut Fleet,
    (status, request): (u16, &[u8]),
    news: &News,
) -> anyhow::Result<Vec<Duration>> {
    fleet.forget();
    let start = Instant::now();
    site.link.expect(status, request).await?;
    let heard = fleet.heard(news).await?;
    Ok(heard
        .into_iter()
        .map(|at| at.duration_since(start))
        .collect())
}

fn add(names: [&'static str; 2], times: Vec<Duration>, report: &mut Report) {
    let [median, p99] = figures(names, times);
    report.add(median);
    report.add(p99.target(Target::Below(LIMIT)));
}
