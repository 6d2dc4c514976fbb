//! A controller with two routers and a link.

use super::between::Between;
use super::founding::{Founding, edge_listener};
use super::ports;
use super::program::{RouterProgram, Running};
use super::way::Way;
use crate::testbed::controller::{Controller, Program};
use crate::testbed::credential::Credential;
use crate::testbed::link::Endpoint;
use crate::testbed::process::Process;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

const SERVICE: &str = "bench";

/// The network. Its routers end with it.
pub(in crate::bench) struct Network {
    controller: Controller,
    routers: [Running; 2],
    entry: SocketAddr,
    /// Where SDKs reach either router.
    edges: [SocketAddr; 2],
    /// From the start of the first router to when the controller calls it online.
    pub(super) online: Duration,
}

/// Which part of routers streams enter and leave by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bench) enum Binding {
    /// A listener for one service, and a dialer.
    Proxy,
    /// The router's own tunneler.
    Tunnel,
}

/// Where a network is.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct Site<'s> {
    pub(in crate::bench) directory: &'s Path,
    pub(in crate::bench) server: SocketAddr,
    /// What lies between the routers.
    pub(in crate::bench) between: Between,
    pub(in crate::bench) binding: Binding,
}

impl Network {
    /// Starts it. What enters at the first router leaves at the second one, to a server.
    pub(in crate::bench) async fn start(
        program: &Program,
        router: &RouterProgram,
        site: Site<'_>,
    ) -> anyhow::Result<Self> {
        let controller = program.start().await?;
        let mut founding = Founding::begin(&controller, router, site.directory).await?;
        let Site {
            server,
            between,
            binding,
            ..
        } = site;
        let entry = ports::free()?;
        let linked = ports::free_at(between.host())?;
        let edges = [ports::free()?, ports::free()?];
        let [edge_of_entry, edge_of_exit] = edges.map(edge_listener);
        let advertised = between.leads_to(linked).await?;
        let enters = json!({
            "listeners": [edge_of_entry, binding.entry(entry)],
            "link": { "dialers": [{ "binding": "transport" }] },
        });
        let exit_listeners: Vec<_> = [edge_of_exit].into_iter().chain(binding.exit()).collect();
        let exits = json!({
            "dialers": [{ "binding": "transport" }],
            "listeners": exit_listeners,
            "link": { "listeners": [{
                "binding": "transport",
                "bind": format!("tls:{linked}"), "advertise": format!("tls:{advertised}"),
            }] },
        });
        let (exit_id, exit_file) = founding.enroll("exit", &exits).await?;
        match binding {
            Binding::Proxy => founding.routed_service(SERVICE, &exit_id, server).await?,
            Binding::Tunnel => {
                let configs = [("host.v1", hosted("tcp", server))];
                founding
                    .configured_service(SERVICE, false, &configs)
                    .await?;
            },
        }
        founding.allow_all().await?;
        let (entry_id, entry_file) = founding.enroll("entry", &enters).await?;
        let begin = Instant::now();
        let exit = founding.run("exit", &exit_file)?;
        founding.wait_online(&exit_id).await?;
        let online = begin.elapsed();
        let enter = founding.run("entry", &entry_file)?;
        founding.wait_online(&entry_id).await?;
        let network = Self {
            controller,
            routers: [enter, exit],
            entry,
            edges,
            online,
        };
        network.way().wait_until_open().await?;
        Ok(network)
    }

    pub(in crate::bench) const fn way(&self) -> Way {
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

    pub(in crate::bench) async fn stop(self) -> anyhow::Result<()> {
        self.controller.stop().await
    }
}

impl Binding {
    /// The listener at which streams enter.
    fn entry(self, address: SocketAddr) -> Value {
        match self {
            Self::Proxy => json!({
                "binding": "proxy", "address": format!("tcp:{address}"), "service": SERVICE,
            }),
            Self::Tunnel => json!({
                "binding": "tunnel",
                "options": { "mode": "proxy", "services": [format!("{SERVICE}:{}", address.port())] },
            }),
        }
    }

    /// The listener that leads them to the server, if it takes one.
    fn exit(self) -> Option<Value> {
        let tunnel = json!({ "binding": "tunnel", "options": { "mode": "host" } });
        (self == Self::Tunnel).then_some(tunnel)
    }
}

/// The configuration `host.v1` for a server.
pub(in crate::bench) fn hosted(protocol: &str, server: SocketAddr) -> Value {
    json!({ "protocol": protocol, "address": server.ip(), "port": server.port() })
}
