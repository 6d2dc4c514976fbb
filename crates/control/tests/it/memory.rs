//! Connections in memory to a control plane.

use portcullis_channel::Role;
use portcullis_channel::hello::HELLO_TIMEOUT;
use portcullis_control::{ControlPlane, Peer};
use portcullis_simulated_router::RouterIdentity;
use portcullis_transport::{Connector, Incoming};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::DuplexStream;
use tokio::time::Instant;

/// Connects as one router, whose chain counts as presented in TLS.
pub(crate) struct MemoryConnector {
    plane: ControlPlane,
    peer: Peer,
}

impl MemoryConnector {
    pub(crate) fn new(plane: &ControlPlane, identity: &RouterIdentity) -> Self {
        let chain = identity.chain.iter();
        Self {
            plane: plane.clone(),
            peer: Peer {
                address: SocketAddr::from((Ipv4Addr::LOCALHOST, 1)),
                local: SocketAddr::from((Ipv4Addr::LOCALHOST, 2)),
                certificates: chain.map(|each| each.to_vec()).collect(),
            },
        }
    }
}

impl Connector for MemoryConnector {
    type Stream = DuplexStream;

    async fn connect(&mut self, _role: Role) -> io::Result<DuplexStream> {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (plane, peer) = (self.plane.clone(), self.peer.clone());
        tokio::spawn(async move {
            let reading = Incoming::read(theirs, Instant::now() + HELLO_TIMEOUT);
            if let Ok(incoming) = reading.await {
                plane.serve(peer, incoming).await;
            }
        });
        Ok(ours)
    }

    fn random(&mut self) -> u32 {
        0
    }
}
