//! A controller with two routers and a link.

use super::between::Between;
use super::ports;
use super::program::RouterProgram;
use super::server::ECHO;
use super::way::Way;
use crate::testbed::calls::{self, log_in, text_of};
use crate::testbed::controller::{Controller, Program};
use crate::testbed::credential::Credential;
use crate::testbed::link::{Endpoint, Link};
use crate::testbed::policies;
use crate::testbed::process::Process;
use crate::testbed::request::{self, MANAGEMENT};
use anyhow::{Context as _, ensure};
use portcullis_bad_line::Mirror;
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Child;
use tokio::time::{sleep, timeout};

const SERVICE: &str = "bench";
const PATIENCE: Duration = Duration::from_secs(30);
const RETRY: Duration = Duration::from_millis(2);

/// The network. Its routers end with it.
pub(super) struct Network {
    controller: Controller,
    routers: [Running; 2],
    entry: SocketAddr,
    /// Where SDKs reach either router.
    edges: [SocketAddr; 2],
    /// From the start of the first router to when the controller calls it online.
    pub(super) online: Duration,
}

struct Running {
    _child: Child,
    process: Process,
}

/// Where a network is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'s> {
    pub(super) directory: &'s Path,
    pub(super) server: SocketAddr,
    /// What lies between the routers.
    pub(super) between: Between,
}

/// The controller's side while the network is set up.
struct Founding<'n> {
    link: Link,
    admin: String,
    /// Host and port of the controller.
    authority: String,
    program: &'n RouterProgram,
    directory: PathBuf,
}

impl Network {
    /// Starts it. What enters at the first router leaves at the second one, to a server.
    pub(super) async fn start(
        program: &Program,
        router: &RouterProgram,
        site: Site<'_>,
    ) -> anyhow::Result<Self> {
        let controller = program.start().await?;
        let mut link = controller.endpoint(None)?.connect().await?;
        let admin = log_in(&mut link).await?;
        let Site {
            server, between, ..
        } = site;
        let directory = site.directory.join(router.name);
        fs::create_dir_all(&directory)?;
        let mut site = Founding {
            link,
            admin,
            authority: controller.authority(),
            program: router,
            directory,
        };
        let entry = ports::free()?;
        let linked = ports::free_at(between.host())?;
        let edges = [ports::free()?, ports::free()?];
        let [edge_of_entry, edge_of_exit] = edges.map(edge_listener);
        let advertised = between.leads_to(linked).await?;
        let enters = json!({
            "listeners": [edge_of_entry, {
                "binding": "proxy", "address": format!("tcp:{entry}"), "service": SERVICE,
            }],
            "link": { "dialers": [{ "binding": "transport" }] },
        });
        let exits = json!({
            "dialers": [{ "binding": "transport" }],
            "listeners": [edge_of_exit],
            "link": { "listeners": [{
                "binding": "transport",
                "bind": format!("tls:{linked}"), "advertise": format!("tls:{advertised}"),
            }] },
        });
        let (exit_id, exit_file) = site.enroll("exit", &exits).await?;
        site.service(&exit_id, server).await?;
        let (entry_id, entry_file) = site.enroll("entry", &enters).await?;
        let begin = Instant::now();
        let exit = site.run("exit", &exit_file)?;
        site.wait_online(&exit_id).await?;
        let online = begin.elapsed();
        let enter = site.run("entry", &entry_file)?;
        site.wait_online(&entry_id).await?;
        let network = Self {
            controller,
            routers: [enter, exit],
            entry,
            edges,
            online,
        };
        network.wait_for_circuits().await?;
        Ok(network)
    }

    pub(super) const fn way(&self) -> Way {
        let [entry, exit] = &self.routers;
        Way {
            entry: self.entry,
            processes: [entry.process, exit.process],
        }
    }

    /// The router at which streams enter.
    pub(super) const fn entry(&self) -> Process {
        let [entry, _] = &self.routers;
        entry.process
    }

    /// The controller, for clients.
    pub(super) const fn controller(&self) -> &Controller {
        &self.controller
    }

    /// How an identity reaches the edge of either router.
    pub(super) fn edges(&self, client: &Credential) -> anyhow::Result<[Endpoint; 2]> {
        let [entry, exit] = self.edges;
        let endpoint = |address| self.controller.endpoint_at(address, Some(client));
        Ok([endpoint(entry)?, endpoint(exit)?])
    }

    pub(super) async fn stop(self) -> anyhow::Result<()> {
        self.controller.stop().await
    }

    /// Tries until a stream reaches the server.
    async fn wait_for_circuits(&self) -> anyhow::Result<()> {
        let begin = Instant::now();
        loop {
            let trying = timeout(Duration::from_secs(2), echo_once(self.way()));
            if matches!(trying.await, Ok(Ok(()))) {
                return Ok(());
            }
            ensure!(begin.elapsed() < PATIENCE, "no stream reaches the server");
            sleep(Duration::from_millis(50)).await;
        }
    }
}

/// OpenZiti's edge routers do not enroll without one.
fn edge_listener(address: SocketAddr) -> Value {
    json!({
        "binding": "edge", "address": format!("tls:{address}"),
        "options": { "advertise": address },
    })
}

async fn echo_once(way: Way) -> anyhow::Result<()> {
    let mut stream = way.connect().await?;
    stream.write_all(&[ECHO, b'?']).await?;
    ensure!(stream.read_u8().await? == b'?', "not what was sent");
    Ok(())
}

impl Founding<'_> {
    async fn create(&mut self, kind: &str, entity: &Value) -> anyhow::Result<String> {
        calls::create(&mut self.link, &self.admin, kind, entity).await
    }

    /// A service of a server that a router dials.
    async fn service(&mut self, router: &str, server: SocketAddr) -> anyhow::Result<()> {
        let service = json!({ "name": SERVICE, "encryptionRequired": false });
        let service = self.create("services", &service).await?;
        let terminator = json!({
            "service": service, "router": router, "binding": "transport",
            "address": format!("tcp:{server}"),
        });
        self.create("terminators", &terminator).await?;
        policies::for_everybody(&mut self.link, &self.admin).await
    }

    async fn router(&mut self, id: &str, pointer: &str) -> anyhow::Result<String> {
        let path = format!("{MANAGEMENT}/edge-routers/{id}");
        let ask = request::get(&path, Some(&self.admin));
        text_of(self.link.expect(200, &ask).await?, pointer)
    }

    /// Creates and enrolls a router with these sections in its file; answers its id and the file.
    async fn enroll(&mut self, name: &str, sections: &Value) -> anyhow::Result<(String, PathBuf)> {
        // The listener dials in the name of the router's own identity.
        let router = json!({ "name": name, "isTunnelerEnabled": true });
        let id = self.create("edge-routers", &router).await?;
        let token = self.router(&id, "/data/enrollmentJwt").await?;
        let path = |end: &str| self.directory.join(format!("{name}{end}"));
        let mut file = json!({
            "v": 3,
            "identity": {
                "cert": path(".cert"), "server_cert": path(".server"),
                "key": path(".key"), "ca": path(".ca"),
            },
            "ctrl": { "endpoint": format!("tls:{}", self.authority) },
            "edge": { "csr": { "sans": { "dns": ["localhost"], "ip": ["127.0.0.1", Mirror::FAR] } } },
        });
        let sections = sections.as_object().context("sections are a map")?;
        for (key, section) in sections {
            file.as_object_mut()
                .context("a file is a map")?
                .insert(key.clone(), section.clone());
        }
        // What is JSON is YAML, too.
        let (yaml, jwt) = (path(".yml"), path(".jwt"));
        fs::write(&yaml, serde_json::to_vec_pretty(&file)?)?;
        fs::write(&jwt, token)?;
        self.program.enroll(&self.directory, &yaml, &jwt).await?;
        Ok((id, yaml))
    }

    fn run(&self, name: &str, file: &Path) -> anyhow::Result<Running> {
        let log = self.directory.join(format!("{name}.log"));
        let child = self.program.run(&self.directory, file, &log)?;
        let process = Process(child.id().context("a router ended")?);
        Ok(Running {
            _child: child,
            process,
        })
    }

    async fn wait_online(&mut self, id: &str) -> anyhow::Result<()> {
        let begin = Instant::now();
        let path = format!("{MANAGEMENT}/edge-routers/{id}");
        let ask = request::get(&path, Some(&self.admin));
        loop {
            let answer: Value = serde_json::from_slice(self.link.expect(200, &ask).await?)?;
            if answer.pointer("/data/isOnline") == Some(&Value::Bool(true)) {
                return Ok(());
            }
            ensure!(begin.elapsed() < PATIENCE, "a router does not come online");
            sleep(RETRY).await;
        }
    }
}
