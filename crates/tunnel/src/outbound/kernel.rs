//! Sockets that are not intercepted, and may come from addresses that are not this machine's.

use super::Connected;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tproxy::{LocalNetworks, bind_datagrams, connect_from, exempt};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use tokio::net::{TcpStream, UdpSocket};
use tokio::runtime::Handle;

#[derive(Debug)]
pub(crate) struct Kernel {
    own_mark: u32,
    local_networks: LocalNetworks,
}

/// An address that is this machine's until this is dropped, so that answers of servers arrive.
///
/// Just the address, and not the network of the configuration: that may be the whole Internet.
#[derive(Debug)]
pub(crate) struct BorrowedAddress {
    network: IpNetwork,
    local_networks: LocalNetworks,
}

impl Kernel {
    pub(crate) const fn new(own_mark: u32, local_networks: LocalNetworks) -> Self {
        Self {
            own_mark,
            local_networks,
        }
    }

    pub(super) fn exempt(&self, socket: &impl AsFd) -> io::Result<()> {
        exempt(socket, self.own_mark)
    }

    pub(super) async fn connect_from(
        &self,
        source: SocketAddr,
        server: SocketAddr,
    ) -> io::Result<Connected<TcpStream>> {
        let borrowed = self.borrow(source).await?;
        let socket = connect_from(source, server, self.own_mark).await?;
        socket.set_nodelay(true)?;
        Ok(Connected {
            socket,
            source: Some(borrowed),
        })
    }

    pub(super) async fn bind_from(&self, source: SocketAddr) -> io::Result<Connected<UdpSocket>> {
        let borrowed = self.borrow(source).await?;
        Ok(Connected {
            socket: bind_datagrams(source, self.own_mark)?,
            source: Some(borrowed),
        })
    }

    async fn borrow(&self, source: SocketAddr) -> io::Result<BorrowedAddress> {
        let network = IpNetwork::new(source.ip(), u8::MAX);
        let added = self.local_networks.add(network).await;
        added.map_err(io::Error::other)?;
        Ok(BorrowedAddress {
            network,
            local_networks: self.local_networks.clone(),
        })
    }
}

impl Drop for BorrowedAddress {
    fn drop(&mut self) {
        // Without a runtime, the process ends, and all of it goes.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let (networks, network) = (self.local_networks.clone(), self.network);
        runtime.spawn(async move {
            if let Err(error) = networks.remove(network).await {
                tracing::debug!(%network, %error, "an address stays this machine's");
            }
        });
    }
}
