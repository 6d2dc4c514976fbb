//! Ports that stand for services.

mod binding;
mod datagrams;
mod streams;
mod udp_socket;

use crate::network::Network;
use crate::shared::{Report, Shared};
use portcullis_tunnel_config::Protocol;
use portcullis_tunneler::ProxyPort;
use std::collections::HashMap;
use std::sync::Arc;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Ports that are open, or being closed.
#[derive(Debug, Default)]
pub(crate) struct OpenPorts {
    open: HashMap<ProxyPort, OpenPort>,
    /// Ports that may still have sockets, which others with their numbers have to wait for.
    closing: Vec<OpenPort>,
    next_number: u64,
}

#[derive(Debug)]
struct OpenPort {
    /// The number that follows the last one.
    number: u64,
    kind: (Protocol, u16),
    signals: Signals,
}

/// What a port is told, and tells.
#[derive(Debug, Clone, Default)]
struct Signals {
    /// Nothing new is accepted.
    stop: CancellationToken,
    /// Flows of datagrams end as well.
    end: CancellationToken,
    /// There is no socket any more.
    closed: CancellationToken,
}

impl OpenPorts {
    /// Opens a port, once those with its number that are being closed are so.
    pub(crate) fn open<N: Network>(&mut self, shared: &Arc<Shared<N>>, port: ProxyPort) {
        self.next_number += 1;
        let kind = (port.protocol, port.port);
        let opened = OpenPort {
            number: self.next_number,
            kind,
            signals: Signals::default(),
        };
        self.closing
            .retain(|other| !other.signals.closed.is_cancelled());
        let before = self.closing.iter().filter(|other| other.kind == kind);
        let before: Vec<Signals> = before.map(|other| other.signals.clone()).collect();
        let task = serve(
            Arc::clone(shared),
            port.clone(),
            opened.number,
            opened.signals.clone(),
            before,
        );
        shared.tasks.spawn(task);
        if let Some(replaced) = self.open.insert(port, opened) {
            replaced.signals.stop.cancel();
        }
    }

    /// Closes a port. What is connected goes on, and flows of datagrams until a port has the number again.
    pub(crate) fn close(&mut self, port: &ProxyPort) {
        if let Some(open) = self.open.remove(port) {
            open.signals.stop.cancel();
            self.closing.push(open);
        }
    }

    /// Whether this is the port as it was opened last.
    pub(crate) fn forget(&mut self, port: &ProxyPort, number: u64) -> bool {
        let is_last = self
            .open
            .get(port)
            .is_some_and(|open| open.number == number);
        if is_last {
            self.open.remove(port);
        }
        is_last
    }
}

async fn serve<N: Network>(
    shared: Arc<Shared<N>>,
    port: ProxyPort,
    number: u64,
    signals: Signals,
    before: Vec<Signals>,
) {
    let closed: DropGuard = signals.closed.clone().drop_guard();
    for other in before {
        other.end.cancel();
        other.closed.cancelled().await;
    }
    let serving = match port.protocol {
        Protocol::Tcp => Box::pin(streams::serve(&shared, &port, &signals)).await,
        Protocol::Udp => Box::pin(datagrams::serve(&shared, &port, &signals)).await,
    };
    drop(closed);
    if let Err(error) = serving {
        tracing::warn!(%port, %error, "the tunnel cannot listen at a port");
        shared.report(Report::ListenEnded(port, number)).await;
    }
}
