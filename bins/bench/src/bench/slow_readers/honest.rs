//! Clients that ask for little and take what they are given.

use super::identities;
use crate::bench::load::{Budget, drive};
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::request::{self, CLIENT};
use crate::testbed::statistics::{milliseconds, percentile};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Clients that ask for each thing.
const CLIENTS: usize = 4;
/// How long each of them waits before its next request: they are no load.
const PAUSE: Duration = Duration::from_millis(5);

/// All of them.
pub(super) struct Honest {
    clients: Vec<Client>,
}

/// One of them.
struct Client {
    link: Link,
    request: Vec<u8>,
    is_own: bool,
    times: Vec<Duration>,
}

/// How long requests took.
#[derive(Default)]
pub(super) struct Times {
    /// For the current identity.
    pub(super) own: Sample,
    /// For a short page of identities.
    pub(super) page: Sample,
}

/// Times of one thing.
#[derive(Default)]
pub(super) struct Sample(Vec<Duration>);

impl Honest {
    /// Opens their connections.
    pub(super) async fn connect(endpoint: &Endpoint, session: &str) -> anyhow::Result<Self> {
        let own = request::get(&format!("{CLIENT}/current-identity"), Some(session));
        let page = identities("limit=10", session);
        let mut clients = Vec::new();
        for (is_own, request) in [(true, own), (false, page)] {
            for link in endpoint.connect_many(CLIENTS).await? {
                clients.push(Client {
                    link,
                    request: request.clone(),
                    is_own,
                    times: Vec::new(),
                });
            }
        }
        Ok(Self { clients })
    }

    /// Has all of them ask until the budget is used up.
    pub(super) async fn ask(&mut self, budget: Budget) -> anyhow::Result<Times> {
        let clients = std::mem::take(&mut self.clients);
        (_, self.clients) = drive(clients, budget, |mut client, pace| async move {
            while pace.next().is_some() {
                let start = Instant::now();
                client.link.expect(200, &client.request).await?;
                client.times.push(start.elapsed());
                sleep(PAUSE).await;
            }
            Ok(client)
        })
        .await?;
        let mut times = Times::default();
        for client in &mut self.clients {
            let into = if client.is_own {
                &mut times.own
            } else {
                &mut times.page
            };
            into.0.append(&mut client.times);
        }
        Ok(times)
    }
}

impl Times {
    /// Takes others in.
    pub(super) fn add(&mut self, other: Self) {
        self.own.0.extend(other.own.0);
        self.page.0.extend(other.page.0);
    }
}

impl Sample {
    /// The milliseconds that so many of a hundred do not exceed.
    pub(super) fn percentile(&self, of_hundred: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        milliseconds(percentile(&sorted, of_hundred))
    }
}
