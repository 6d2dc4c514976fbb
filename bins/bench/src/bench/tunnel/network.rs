//! A controller, a router, and a tunneler at either side of it.

use super::program::TunnelProgram;
use crate::bench::plan::Programs;
use crate::bench::router::founding::{Founding, edge_listener};
use crate::bench::router::network::hosted;
use crate::bench::router::ports;
use crate::bench::router::program::Running;
use crate::bench::router::way::Way;
use crate::testbed::controller::{Controller, Program};
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

/// What clients reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// Streams that are encrypted from hop to hop alone.
    Plain,
    /// Streams that are encrypted from end to end as well.
    Encrypted,
    Datagrams,
}

/// How clients reach services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// By ports of `portcullis-tunnel proxy`.
    Ports,
    /// By addresses that `portcullis-tunnel run` intercepts.
    Interception,
}

/// Where services lead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Servers {
    pub(super) streams: SocketAddr,
    pub(super) datagrams: SocketAddr,
}

/// The network. Its programs end with it.
pub(super) struct Network {
    controller: Controller,
    _router: Running,
    client: Running,
    host: Running,
    entries: Entries,
}

/// Where clients connect to.
#[derive(Debug, Clone, Copy)]
struct Entries {
    plain: SocketAddr,
    encrypted: SocketAddr,
    datagrams: SocketAddr,
}

impl Network {
    /// Starts it, and waits until streams reach their server.
    pub(super) async fn start(
        programs: Programs<'_>,
        directory: &Path,
        servers: Servers,
        reach: Reach,
    ) -> anyhow::Result<Self> {
        let controller = Program::new(programs.controller, directory, "controller")
            .start()
            .await?;
        let mut founding = Founding::begin(&controller, programs.routers.ours, directory).await?;
        let sections = json!({ "listeners": [edge_listener(ports::free()?)] });
        let (id, file) = founding.enroll("router", &sections).await?;
        let entries = reach.entries()?;
        for service in Service::ALL {
            let mut configs = vec![("host.v1", service.hosted(servers))];
            configs.extend(reach.config(service, entries.of(service)));
            let is_encrypted = service == Service::Encrypted;
            let name = service.name();
            founding
                .configured_service(name, is_encrypted, &configs)
                .await?;
        }
        if reach == Reach::Interception {
            let names = [("intercept.v1", intercepted("tcp", super::names::ALL, 443))];
            founding.configured_service("names", false, &names).await?;
        }
        founding.allow_all().await?;
        let router = founding.run("router", &file)?;
        founding.wait_online(&id).await?;
        let program = TunnelProgram {
            path: programs.tunnel,
            directory,
        };
        let mut enrolled = Vec::new();
        for name in ["host", "client"] {
            let token = founding.identity(name).await?;
            enrolled.push(program.enroll(name, &token).await?);
        }
        let [host, client] = enrolled.as_slice() else {
            anyhow::bail!("two identities were enrolled")
        };
        let host = program.join("host", host, &[])?;
        let client = match reach {
            Reach::Ports => program.join("proxy", client, &entries.rules())?,
            Reach::Interception => program.join("run", client, &[])?,
        };
        let network = Self {
            controller,
            _router: router,
            client,
            host,
            entries,
        };
        for service in [Service::Plain, Service::Encrypted] {
            network.way(service).wait_until_open().await?;
        }
        Ok(network)
    }

    /// The way of a service: it leads through both tunnelers, whose processor time counts, and the router.
    pub(super) const fn way(&self, service: Service) -> Way {
        Way {
            entry: self.entries.of(service),
            processes: [self.client.process, self.host.process],
        }
    }

    pub(super) async fn stop(self) -> anyhow::Result<()> {
        self.controller.stop().await
    }
}

impl Entries {
    const fn of(&self, service: Service) -> SocketAddr {
        match service {
            Service::Plain => self.plain,
            Service::Encrypted => self.encrypted,
            Service::Datagrams => self.datagrams,
        }
    }

    /// As `portcullis-tunnel proxy` is told them.
    fn rules(&self) -> Vec<String> {
        let rule = |service: &Service| {
            let (name, port) = (service.name(), self.of(*service).port());
            format!("{name}:{port}:{}", service.protocol())
        };
        Service::ALL.iter().map(rule).collect()
    }
}

impl Service {
    const ALL: [Self; 3] = [Self::Plain, Self::Encrypted, Self::Datagrams];

    const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Encrypted => "encrypted",
            Self::Datagrams => "datagrams",
        }
    }

    const fn protocol(self) -> &'static str {
        match self {
            Self::Plain | Self::Encrypted => "tcp",
            Self::Datagrams => "udp",
        }
    }

    fn hosted(self, servers: Servers) -> Value {
        let server = match self {
            Self::Plain | Self::Encrypted => servers.streams,
            Self::Datagrams => servers.datagrams,
        };
        hosted(self.protocol(), server)
    }
}

impl Reach {
    fn entries(self) -> anyhow::Result<Entries> {
        Ok(match self {
            Self::Ports => Entries {
                plain: ports::free()?,
                encrypted: ports::free()?,
                datagrams: ports::free()?,
            },
            Self::Interception => {
                let nowhere = |host| (Ipv4Addr::new(10, 99, 0, host), 4_000).into();
                Entries {
                    plain: nowhere(1),
                    encrypted: nowhere(2),
                    datagrams: nowhere(3),
                }
            },
        })
    }

    /// What a service says about its clients.
    fn config(self, service: Service, entry: SocketAddr) -> Option<(&'static str, Value)> {
        let address = entry.ip().to_string();
        let config = intercepted(service.protocol(), &address, entry.port());
        (self == Self::Interception).then_some(("intercept.v1", config))
    }
}

/// The configuration `intercept.v1` for an address.
fn intercepted(protocol: &str, address: &str, port: u16) -> Value {
    json!({
        "protocols": [protocol],
        "addresses": [address],
        "portRanges": [{ "low": port, "high": port }],
    })
}
