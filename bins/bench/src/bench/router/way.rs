//! A way to the server, and the processes that it leads through.

use crate::testbed::process::Process;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};

/// Where streams enter, and what carries them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) entry: SocketAddr,
    pub(super) processes: [Process; 2],
}

/// The ways that are compared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways {
    pub(super) routers: Way,
    pub(super) relays: Way,
    pub(super) others: Option<Way>,
}

impl Way {
    /// Opens a stream.
    pub(super) async fn connect(&self) -> anyhow::Result<TcpStream> {
        self.connect_from(Ipv4Addr::LOCALHOST).await
    }

    /// Opens a stream from an address of the loopback: each has ports of its own.
    pub(super) async fn connect_from(&self, source: Ipv4Addr) -> anyhow::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((source, 0).into())?;
        let stream = socket.connect(self.entry).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// The processor time of both processes so far.
    pub(super) fn processor_time(&self) -> anyhow::Result<Duration> {
        let [entry, exit] = self.processes;
        Ok(entry.processor_time()? + exit.processor_time()?)
    }

    /// The memory of both processes once they have nothing to do, in bytes.
    pub(super) async fn resident(&self) -> anyhow::Result<u64> {
        let mut bytes = 0;
        for process in self.processes {
            process.calm().await?;
            bytes += process.resident()?;
        }
        Ok(bytes)
    }
}
