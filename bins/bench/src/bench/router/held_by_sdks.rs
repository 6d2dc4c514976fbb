//! Circuits between SDKs that are open and carry nothing. All of them share a few channels, so there can be as
//! many as routers have memory for.

use super::MEBIBYTE;
use super::network::Network;
use crate::bench::report::{Figure, Report, Target, Unit};
use crate::bench::scale::Scale;
use crate::testbed::calls::{create, enroll, log_in, text_of, token, total};
use crate::testbed::credential::Credential;
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::request::{self, CLIENT, FABRIC};
use crate::testbed::statistics::float;
use anyhow::{anyhow, ensure};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use portcullis_simulated_sdk::{Sdk, accept, data, dial, next_data};
use portcullis_wire::edge::{ConnectionId, DataFlags};
use serde_json::json;
use std::time::Instant;
use tokio::task::JoinSet;

/// Channels of either side: one takes 16 384 circuits.
const PAIRS: u64 = 8;

/// Dials of a channel at a time.
const AT_A_TIME: usize = 8;

/// Bytes for each of 100 000 circuits in a gibibyte.
const EACH: f64 = 1_073_741_824.0 / 100_000.0;

/// An SDK at the first router that dials one at the second.
struct Pair {
    client: Sdk,
    /// The token of its session to dial.
    session: String,
    host: Sdk,
}

/// An identity that hosts services and dials them.
struct Person {
    link: Link,
    token: String,
    edges: [Endpoint; 2],
}

/// Opens circuits, and measures what they take at both routers together.
pub(super) async fn measure(
    network: &Network,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut admin = Administrator::log_in(network).await?;
    let mut pairs = Vec::new();
    for number in 0..PAIRS {
        // Each has a share of the routers' memory.
        let mut person = admin.person(network, &format!("sdk-{number}")).await?;
        let service = admin.service(&format!("held-{number}")).await?;
        pairs.push(person.pair(&service).await?);
    }
    let before = network.way().resident().await?;
    let start = Instant::now();
    let mut opening: JoinSet<_> = pairs
        .into_iter()
        .map(|pair| pair.open(scale.circuits / PAIRS))
        .collect();
    let mut pairs = Vec::new();
    while let Some(pair) = opening.join_next().await {
        pairs.push(pair??);
    }
    let rate = float(scale.circuits) / start.elapsed().as_secs_f64();
    let taken = network.way().resident().await?.saturating_sub(before);
    for pair in &mut pairs {
        pair.carry().await?;
    }
    let held = admin.circuits(network).await?;
    ensure!(
        held >= scale.circuits,
        "the controller knows of {held} circuits only"
    );
    report.add(Figure::new("dials between SDKs", rate, Unit::PerSecond));
    let held = float(scale.circuits);
    report.add(Figure::new(
        "  circuits that are held",
        held,
        Unit::Circuits,
    ));
    let figure = Figure::new(
        "  memory, each circuit, both routers",
        float(taken) / held,
        Unit::Bytes,
    );
    report.add(figure.target(Target::Below(EACH)));
    report.add(Figure::new(
        "  memory, all of them",
        float(taken) / MEBIBYTE,
        Unit::Mebibytes,
    ));
    Ok(())
}

impl Pair {
    /// Opens so many circuits.
    async fn open(mut self, count: u64) -> anyhow::Result<Self> {
        let Self {
            client,
            session,
            host,
        } = &mut self;
        let accepting = async {
            for _ in 0..count {
                accept(host).await;
            }
        };
        let mut dialing = Box::pin(dial_all(client, session, u32::try_from(count)?));
        // A dial that is refused is not offered to the host.
        tokio::select! {
            dialed = &mut dialing => dialed?,
            () = accepting => (&mut dialing).await?,
        }
        drop(dialing);
        Ok(self)
    }

    /// Sees that the first circuit carries something.
    async fn carry(&mut self) -> anyhow::Result<()> {
        let said = data(ConnectionId(1), "held", DataFlags::default());
        self.client.says(said).await;
        let heard = next_data(&mut self.host).await;
        ensure!(heard.data.expose() == "held", "not what was sent");
        Ok(())
    }
}

/// Dials so many times.
async fn dial_all(client: &Sdk, session: &str, count: u32) -> anyhow::Result<()> {
    let dials = (1..=count).map(|id| client.dials(dial(id, session, false)));
    let dialing = stream::iter(dials).buffer_unordered(AT_A_TIME);
    let dialing = dialing.map_err(|closed| anyhow!("a dial is refused: {closed:?}"));
    dialing.try_for_each(|_connected| async { Ok(()) }).await
}

/// The administrator's session.
struct Administrator {
    link: Link,
    token: String,
}

impl Administrator {
    async fn log_in(network: &Network) -> anyhow::Result<Self> {
        let mut link = network.controller().endpoint(None)?.connect().await?;
        let token = log_in(&mut link).await?;
        Ok(Self { link, token })
    }

    /// Creates an identity, and logs it in.
    async fn person(&mut self, network: &Network, name: &str) -> anyhow::Result<Person> {
        let credential: Credential = enroll(&mut self.link, &self.token, name).await?;
        let endpoint = network.controller().endpoint(Some(&credential))?;
        let mut link = endpoint.connect().await?;
        let answer = link.expect(200, &request::certificate_login()).await?;
        let token = token(answer)?;
        Ok(Person {
            link,
            token,
            edges: network.edges(&credential)?,
        })
    }

    async fn service(&mut self, name: &str) -> anyhow::Result<String> {
        let service = json!({ "name": name, "encryptionRequired": false });
        create(&mut self.link, &self.token, "services", &service).await
    }

    /// How many circuits the controller knows of.
    async fn circuits(&mut self, network: &Network) -> anyhow::Result<u64> {
        // A long pause ends a connection.
        self.link = network.controller().endpoint(None)?.connect().await?;
        let path = format!("{FABRIC}/circuits?limit=1");
        let ask = request::get(&path, Some(&self.token));
        total(self.link.expect(200, &ask).await?)
    }
}

impl Person {
    /// Hosts a service at the second router, and connects to the first one.
    async fn pair(&mut self, service: &str) -> anyhow::Result<Pair> {
        let [bind, session] = [
            self.session(service, "Bind").await?,
            self.session(service, "Dial").await?,
        ];
        let [entry, exit] = &self.edges;
        let client = Sdk::connect(entry.tls().await?, Some(&self.token)).await?;
        let mut host = Sdk::connect(exit.tls().await?, Some(&self.token)).await?;
        host.binds(&bind, service, false).await;
        Ok(Pair {
            client,
            session,
            host,
        })
    }

    /// The token of a session for a service.
    async fn session(&mut self, service: &str, kind: &str) -> anyhow::Result<String> {
        let body = json!({ "serviceId": service, "type": kind }).to_string();
        let path = format!("{CLIENT}/sessions");
        let ask = request::post(&path, Some(&self.token), &body);
        text_of(self.link.expect(201, &ask).await?, "/data/token")
    }
}
