//! A policy about everybody: created, changed, and seen by a client in its next request.

use super::{LARGEST, own};
use crate::bench::report::{Point, Series, Unit};
use crate::bench::seed::{ALONE, of_everything};
use crate::testbed::calls::{text_of, total};
use crate::testbed::controller::Controller;
use crate::testbed::link::Link;
use crate::testbed::request::{self, MANAGEMENT, escaped};
use crate::testbed::statistics::{milliseconds, percentile};
use anyhow::ensure;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Milliseconds that 99 of 100 changes, and the requests after them, are to stay below.
const LIMIT: f64 = 20.0;

/// One figure for each step.
pub(super) struct Changes {
    create: Series,
    merge: Series,
    read: Series,
}

/// Times of each step, and who takes them.
struct Round<'a> {
    link: Link,
    client: Link,
    admin: &'a str,
    /// What the client asks for: the service that the policy is about.
    look: Vec<u8>,
    create: Vec<Duration>,
    merge: Vec<Duration>,
    read: Vec<Duration>,
}

impl Changes {
    pub(super) fn new() -> Self {
        let series = |name| Series::new(name, Unit::Milliseconds).below(LIMIT, LARGEST);
        Self {
            create: series("create a policy of all identities"),
            merge: series("  change it to none, and back to all"),
            read: series("  first list of a client afterwards"),
        }
    }

    /// Creates, changes and deletes such a policy again and again.
    pub(super) async fn measure(
        &mut self,
        controller: &Controller,
        (admin, client): (&str, &str),
        rounds: u32,
        identities: u64,
    ) -> anyhow::Result<()> {
        let endpoint = controller.endpoint(None)?;
        let filter = escaped(&format!(r#"name = "{ALONE}""#));
        let mut round = Round {
            link: endpoint.connect().await?,
            client: endpoint.connect().await?,
            admin,
            look: own::request(&format!("?filter={filter}"), client),
            create: Vec::new(),
            merge: Vec::new(),
            read: Vec::new(),
        };
        let service = round.service().await?;
        for number in 0..rounds {
            round.turn(&format!("everybody-{number}"), &service).await?;
        }
        self.create.add(point(identities, round.create));
        self.merge.add(point(identities, round.merge));
        self.read.add(point(identities, round.read));
        Ok(())
    }

    pub(super) fn all(self) -> impl Iterator<Item = Series> {
        [self.create, self.merge, self.read].into_iter()
    }
}

impl Round<'_> {
    /// The id of the service that no other policy is about.
    async fn service(&mut self) -> anyhow::Result<String> {
        let filter = escaped(&format!(r#"name = "{ALONE}""#));
        let path = format!("{MANAGEMENT}/services?filter={filter}");
        let ask = request::get(&path, Some(self.admin));
        text_of(self.link.expect(200, &ask).await?, "/data/0/id")
    }

    /// From a policy that is created to one that is deleted.
    async fn turn(&mut self, name: &str, service: &str) -> anyhow::Result<()> {
        let path = format!("{MANAGEMENT}/service-policies");
        let policy = json!({
            "name": name,
            "type": "Dial",
            "semantic": "AnyOf",
            "identityRoles": of_everything(),
            "serviceRoles": [format!("@{service}")]
        });
        let create = request::post(&path, Some(self.admin), &policy.to_string());
        let start = Instant::now();
        let created = self.link.expect(201, &create).await?;
        self.create.push(start.elapsed());
        let id = text_of(created, "/data/id")?;
        self.look(1).await?;
        let path = format!("{path}/{id}");
        self.merge(&path, &json!({ "identityRoles": [] })).await?;
        self.look(0).await?;
        let everybody = json!({ "identityRoles": of_everything() });
        self.merge(&path, &everybody).await?;
        self.look(1).await?;
        let delete = request::delete(&path, Some(self.admin));
        self.link.expect(200, &delete).await?;
        Ok(())
    }

    async fn merge(&mut self, path: &str, members: &Value) -> anyhow::Result<()> {
        let merge = request::patch(path, Some(self.admin), &members.to_string());
        let start = Instant::now();
        self.link.expect(200, &merge).await?;
        self.merge.push(start.elapsed());
        Ok(())
    }

    /// Has the client ask, who has to see so many services.
    async fn look(&mut self, expected: u64) -> anyhow::Result<()> {
        let start = Instant::now();
        let answer = self.client.expect(200, &self.look).await?;
        self.read.push(start.elapsed());
        let seen = total(answer)?;
        ensure!(seen == expected, "a change was acknowledged and not seen");
        Ok(())
    }
}

fn point(identities: u64, mut times: Vec<Duration>) -> Point {
    times.sort_unstable();
    let (median, p99) = (percentile(&times, 50), percentile(&times, 99));
    Point::of_latencies(identities, milliseconds(median), milliseconds(p99))
}
