//! The server of datagrams, which sends them back.

use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::UdpSocket;

/// The longest datagram that is sent back.
const BUFFER: usize = 2048;

/// The server.
pub(super) struct Echo {
    address: SocketAddr,
}

impl Echo {
    pub(super) async fn start() -> anyhow::Result<Self> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = socket.local_addr()?;
        tokio::spawn(async move {
            let mut buffer = [0; BUFFER];
            while let Ok((length, client)) = socket.recv_from(&mut buffer).await {
                let datagram = buffer.get(..length).unwrap_or_default();
                // What cannot be sent is lost.
                let _ = socket.send_to(datagram, client).await;
            }
        });
        Ok(Self { address })
    }

    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }
}
