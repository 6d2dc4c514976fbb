//! A way to the server, and the processes that it leads through.

use super::server::ECHO;
use crate::bench::report::{Figure, Target};
use crate::testbed::process::Process;
use anyhow::ensure;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(30);

/// Where streams enter, and what carries them.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct Way {
    pub(in crate::bench) entry: SocketAddr,
    pub(in crate::bench) processes: [Process; 2],
}

/// The ways that are compared.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct Ways {
    /// What names of their figures begin with.
    pub(in crate::bench) prefix: &'static str,
    pub(in crate::bench) ours: Way,
    pub(in crate::bench) relays: Way,
    pub(in crate::bench) others: Option<Way>,
    /// Whether the targets of routers are theirs.
    pub(in crate::bench) is_judged: bool,
}

impl Ways {
    /// Ways without targets, beside bare relays alone.
    pub(in crate::bench) const fn unjudged(prefix: &'static str, ours: Way, relays: Way) -> Self {
        Self {
            prefix,
            ours,
            relays,
            others: None,
            is_judged: false,
        }
    }

    /// The name of one of their figures.
    pub(in crate::bench) fn name(&self, figure: &str) -> String {
        format!("{}{figure}", self.prefix)
    }

    /// A figure with its target, if it has one.
    pub(in crate::bench) fn judge(&self, figure: Figure, target: Target) -> Figure {
        if self.is_judged {
            figure.target(target)
        } else {
            figure
        }
    }
}

impl Way {
    /// Opens a stream.
    pub(in crate::bench) async fn connect(&self) -> anyhow::Result<TcpStream> {
        // Unlike a bound one, such a socket gets a port of a connection that was closed a second ago.
        self.connect_by(TcpSocket::new_v4()?).await
    }

    /// Opens a stream from an address of the loopback: each has ports of its own.
    pub(in crate::bench) async fn connect_from(
        &self,
        source: Ipv4Addr,
    ) -> anyhow::Result<TcpStream> {
        let socket = TcpSocket::new_v4()?;
        socket.bind((source, 0).into())?;
        self.connect_by(socket).await
    }

    async fn connect_by(&self, socket: TcpSocket) -> anyhow::Result<TcpStream> {
        let stream = socket.connect(self.entry).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Tries until a stream reaches the server.
    pub(in crate::bench) async fn wait_until_open(&self) -> anyhow::Result<()> {
        let begin = Instant::now();
        loop {
            let trying = timeout(Duration::from_secs(2), self.echo_once());
            if matches!(trying.await, Ok(Ok(()))) {
                return Ok(());
            }
            ensure!(begin.elapsed() < PATIENCE, "no stream reaches the server");
            sleep(Duration::from_millis(50)).await;
        }
    }

    async fn echo_once(&self) -> anyhow::Result<()> {
        let mut stream = self.connect().await?;
        stream.write_all(&[ECHO, b'?']).await?;
        ensure!(stream.read_u8().await? == b'?', "not what was sent");
        Ok(())
    }

    /// The processor time of both processes so far.
    pub(in crate::bench) fn processor_time(&self) -> anyhow::Result<Duration> {
        let [entry, exit] = self.processes;
        Ok(entry.processor_time()? + exit.processor_time()?)
    }

    /// The memory of both processes once they have nothing to do, in bytes.
    pub(in crate::bench) async fn resident(&self) -> anyhow::Result<u64> {
        let mut bytes = 0;
        for process in self.processes {
            process.calm().await?;
            bytes += process.resident()?;
        }
        Ok(bytes)
    }
}
