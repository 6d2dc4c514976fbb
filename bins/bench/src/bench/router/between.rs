//! What lies between two routers, or two relays.

use super::RouterProgram;
use super::line::Line;
use super::network::{Binding, Network, Site};
use super::relay::Relays;
use crate::testbed::controller::Program;
use portcullis_bad_line::Mirror;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

/// What lies between them.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) enum Between {
    Nothing,
    /// A line that delays each way, and through which only so much passes.
    Distance(Duration),
    /// The [`Mirror`] that is laid.
    BadLine,
}

impl Between {
    /// Starts routers and relays, with this between them, in a folder of their own.
    pub(super) async fn start(
        self,
        controller: &Path,
        router: &RouterProgram,
        directory: &Path,
        server: SocketAddr,
    ) -> anyhow::Result<(Network, Relays)> {
        fs::create_dir_all(directory)?;
        let relays = Relays::start(directory, server, self).await?;
        let program = Program::new(controller, directory, "routers");
        let site = Site {
            directory,
            server,
            between: self,
            binding: Binding::Proxy,
        };
        Ok((Network::start(&program, router, site).await?, relays))
    }

    /// Where the second one has to listen.
    pub(super) const fn host(self) -> Ipv4Addr {
        match self {
            Self::Nothing | Self::Distance(_) => Ipv4Addr::LOCALHOST,
            Self::BadLine => Mirror::NEAR,
        }
    }

    /// Where the first one reaches what listens at an address.
    pub(super) async fn leads_to(self, address: SocketAddr) -> anyhow::Result<SocketAddr> {
        match self {
            Self::Nothing => Ok(address),
            Self::Distance(delay) => Ok(Line::open(address, delay).await?.address()),
            Self::BadLine => Ok((Mirror::FAR, address.port()).into()),
        }
    }
}
