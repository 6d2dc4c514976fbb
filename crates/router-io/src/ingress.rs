//! Listeners for whoever speaks no SDK: `transport`, `transport_udp`, `proxy`, `proxy_udp`.
//!
//! ```text
//! client -> StreamDoor, PacketDoor -> ClientCircuits -> controller
//!                                 -> an initiating end, once the route stands
//! ```
//!
//! What is bounded: streams of a listener ([`MAX_STREAMS`](streams::MAX_STREAMS); the others wait unaccepted),
//! sources of datagrams ([`MAX_SOURCES`](packets::MAX_SOURCES)), those among them for which a circuit is asked
//! ([`MAX_PENDING`](packets::MAX_PENDING)), and what waits of each. TLS handshakes have `tls.handshakeTimeout`,
//! first lines ten seconds.

mod circuits;
mod packets;
mod streams;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use portcullis_listener::{Limits, ListenError};
use portcullis_router::address::HostPort;
use portcullis_router::ingress::{Entrance, IngressSettings, ProxyAlerts};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::circuit_requests::CircuitRequests;
use crate::controllers::Controllers;
use crate::ends::Ends;
use crate::ingress::circuits::ClientCircuits;
use crate::ingress::packets::PacketListener;
use crate::ingress::streams::StreamListener;
use crate::listen_addresses::listen_addresses;
use crate::refusal_log::RefusalLog;
use crate::tls::Tls;

/// A listener cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum IngressOpenError {
    #[error("`{key}.address`: the host cannot be resolved")]
    Unresolved {
        key: String,
        #[source]
        source: io::Error,
    },
    #[error("`{key}.address`: cannot listen on {address}")]
    Bind {
        key: String,
        address: String,
        #[source]
        source: io::Error,
    },
    #[error("`{key}.address`")]
    BindTls {
        key: String,
        #[source]
        source: ListenError,
    },
    #[error("`{key}.address`: datagrams are not listened for in the file system by this router")]
    UnixPackets { key: String },
}

/// Listeners that are open, and serve nobody yet.
pub(crate) struct Ingress {
    listeners: Vec<OpenListener>,
}

enum OpenListener {
    Streams(StreamListener),
    Packets(PacketListener),
}

impl Ingress {
    /// Opens all of them; `limits` are those of listeners for TLS.
    pub(crate) async fn open(
        settings: Vec<IngressSettings>,
        ends: &Ends,
        controllers: &Arc<Controllers>,
        tls: &Arc<Tls>,
        limits: &Limits,
    ) -> Result<Self, IngressOpenError> {
        let refusals = RefusalLog::of_clients(*ends.relay().clock());
        let mut listeners = Vec::new();
        for settings in settings {
            let requests =
                CircuitRequests::new(Arc::clone(controllers), ends.clone(), settings.end);
            let timeout = settings.circuit_timeout;
            let circuits = ClientCircuits::new(requests, timeout, refusals.clone());
            let key = settings.key;
            let circuits = match settings.entrance.service() {
                Some(service) => {
                    let alerts = ProxyAlerts::new(key.clone(), service.to_owned());
                    circuits.with_alerts(alerts)
                },
                None => circuits,
            };
            listeners.push(match settings.entrance {
                Entrance::Streams(door) => {
                    let tls = (Arc::clone(tls), limits.clone());
                    OpenListener::Streams(StreamListener::open(key, door, circuits, tls).await?)
                },
                Entrance::Packets(door) => {
                    OpenListener::Packets(PacketListener::open(key, door, circuits).await?)
                },
            });
        }
        Ok(Self { listeners })
    }

    /// Where they listen, in the order of the file.
    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        let listeners = self.listeners.iter();
        listeners
            .map(|listener| match listener {
                OpenListener::Streams(listener) => listener.local_addr(),
                OpenListener::Packets(listener) => listener.local_addr(),
            })
            .collect()
    }

    /// Lets clients in until `shutdown`. Their circuits go on.
    pub(crate) fn serve(self, tasks: &TaskTracker, shutdown: &CancellationToken) {
        for listener in self.listeners {
            let (shutdown, clients) = (shutdown.clone(), tasks.clone());
            match listener {
                OpenListener::Streams(listener) => {
                    tasks.spawn(listener.serve(clients, shutdown));
                },
                OpenListener::Packets(listener) => {
                    tasks.spawn(listener.serve(clients, shutdown));
                },
            }
        }
    }
}

/// Addresses to try to listen on.
async fn candidates(key: &str, place: &HostPort) -> Result<Vec<SocketAddr>, IngressOpenError> {
    let addresses = listen_addresses(&place.host, place.port).await;
    addresses.map_err(|source| IngressOpenError::Unresolved {
        key: key.to_owned(),
        source,
    })
}
