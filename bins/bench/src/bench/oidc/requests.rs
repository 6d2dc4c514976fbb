//! The cheapest request that needs a session, with access tokens and with session tokens.

use super::links;
use crate::bench::fixture::Fixture;
use crate::bench::load::{Budget, Tally, drive};
use crate::bench::report::{Figure, Report, Target};
use crate::bench::work::{Work, work};
use crate::testbed::calls::token;
use crate::testbed::link::Link;
use crate::testbed::oidc::OidcClient;
use crate::testbed::request::{self, CLIENT};

const CLIENTS: usize = 16;

const WITH_SESSION_TOKENS: &str = "current identity, session tokens";

/// A connection, and the request that is sent over it.
type Asking = (Link, Vec<u8>);

/// Measures both in turns, over connections with the certificates that the sessions are bound to.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let client = OidcClient::new(&fixture.controller);
    let path = format!("{CLIENT}/current-identity");
    let (mut with_sessions, mut with_access_tokens) = (Vec::new(), Vec::new());
    for mut link in links(fixture, CLIENTS).await? {
        let session = token(link.expect(200, &request::certificate_login()).await?)?;
        with_sessions.push((link, request::get(&path, Some(&session))));
    }
    for mut link in links(fixture, CLIENTS).await? {
        let access = client.log_in(&mut link).await?.access;
        with_access_tokens.push((link, request::get_with_bearer(&path, &access)));
    }

    let (mut legacy, mut answers) = (Work::default(), Work::default());
    let process = fixture.controller.process;
    for _ in 0..fixture.scale.turns {
        let budget = fixture.scale.turn();
        legacy += work(process, repeat(&mut with_sessions, budget)).await?;
        answers += work(process, repeat(&mut with_access_tokens, budget)).await?;
    }
    report.add(
        Figure::rate("current identity, OIDC access tokens", &answers)
            .beside(WITH_SESSION_TOKENS, legacy.rate())
            .target(Target::RatioAtLeast(0.8)),
    );
    report.add(Figure::rate(WITH_SESSION_TOKENS, &legacy));
    Ok(())
}

async fn repeat(clients: &mut Vec<Asking>, budget: Budget) -> anyhow::Result<Tally> {
    let asking = std::mem::take(clients);
    let (tally, asked) = drive(asking, budget, |(mut link, request), pace| async move {
        while pace.next().is_some() {
            link.expect(200, &request).await?;
        }
        Ok((link, request))
    })
    .await?;
    *clients = asked;
    Ok(tally)
}
