//! What clients ask for again and again: their services, and when these changed.

use super::LARGEST;
use crate::bench::load::{Budget, Pace, drive};
use crate::bench::report::{Point, Series, Unit};
use crate::bench::work::work;
use crate::testbed::calls::total;
use crate::testbed::controller::Controller;
use crate::testbed::link::Link;
use crate::testbed::process::Process;
use crate::testbed::request::{self, CLIENT};
use crate::testbed::statistics::{milliseconds, percentile};
use anyhow::ensure;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Milliseconds that 99 of 100 lists are to stay below.
const LIMIT: f64 = 5.0;

/// Writes what is asked for in a session.
type Ask<'a> = &'a (dyn Fn(&str) -> Vec<u8> + Sync);

/// One figure for each thing that is asked for.
pub(super) struct Own {
    page: Series,
    large: Series,
    updates: Series,
}

/// A client that asks for the same again and again.
struct Client {
    link: Link,
    request: Vec<u8>,
    times: Vec<Duration>,
}

/// Asks for the caller's services, with `query`.
pub(super) fn request(query: &str, session: &str) -> Vec<u8> {
    request::get(&format!("{CLIENT}/services{query}"), Some(session))
}

impl Own {
    pub(super) fn new() -> Self {
        let series = |name| Series::new(name, Unit::Milliseconds);
        Self {
            page: series("own services, 16 clients").below(LIMIT, LARGEST),
            large: series("  pages of 500, 16 clients"),
            updates: series("when own services changed, 16 clients"),
        }
    }

    /// Has all clients ask for each at the same time.
    pub(super) async fn measure(
        &mut self,
        controller: &Controller,
        clients: &[String],
        budget: Budget,
        identities: u64,
    ) -> anyhow::Result<()> {
        let mut links = controller
            .endpoint(None)?
            .connect_many(clients.len())
            .await?;
        for (link, session) in links.iter_mut().zip(clients) {
            // A page of nothing would say nothing.
            let total = total(link.expect(200, &request("", session)).await?)?;
            ensure!(total > 0, "a client has no services");
        }
        let process = controller.process;
        let updates = format!("{CLIENT}/current-api-session/service-updates");
        let asked: [(&mut Series, Ask<'_>); 3] = [
            (&mut self.page, &|session| request("", session)),
            (&mut self.large, &|session| request("?limit=500", session)),
            (&mut self.updates, &|session| {
                request::get(&updates, Some(session))
            }),
        ];
        for (series, request) in asked {
            let all = links.into_iter().zip(clients);
            let all = all.map(|(link, session)| Client::new(link, request(session)));
            let point;
            (point, links) = repeat(process, all.collect(), budget, identities).await?;
            series.add(point);
        }
        Ok(())
    }

    pub(super) fn all(self) -> impl Iterator<Item = Series> {
        [self.page, self.large, self.updates].into_iter()
    }
}

impl Client {
    const fn new(link: Link, request: Vec<u8>) -> Self {
        Self {
            link,
            request,
            times: Vec::new(),
        }
    }

    async fn ask(mut self, pace: Arc<Pace>) -> anyhow::Result<Self> {
        while pace.next().is_some() {
            let start = Instant::now();
            self.link.expect(200, &self.request).await?;
            self.times.push(start.elapsed());
        }
        Ok(self)
    }
}

/// Has all clients ask until the budget is used up; hands back their connections.
async fn repeat(
    process: Process,
    clients: Vec<Client>,
    budget: Budget,
    identities: u64,
) -> anyhow::Result<(Point, Vec<Link>)> {
    let mut after = Vec::new();
    let asking = async {
        let (tally, clients) = drive(clients, budget, Client::ask).await?;
        after = clients;
        Ok(tally)
    };
    let work = work(process, asking).await?;
    let mut times: Vec<_> = after.iter().flat_map(|it| it.times.clone()).collect();
    times.sort_unstable();
    let point = Point::of_times(
        identities,
        milliseconds(percentile(&times, 50)),
        milliseconds(percentile(&times, 99)),
        work.processor_milliseconds(),
    );
    Ok((point, after.into_iter().map(|it| it.link).collect()))
}
