//! Sockets that are not intercepted, and may come from addresses that are not this machine's.

use super::Connected;
use crate::tcp::set_keepalive;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tproxy::{InterceptError, LocalNetworks, bind_datagrams, connect_from, exempt};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use tokio::net::{TcpStream, UdpSocket};
use tokio::runtime::Handle;
use tokio::sync::{AcquireError, Semaphore};

#[derive(Debug)]
pub(crate) struct Kernel {
    own_mark: u32,
    addresses: ForeignAddresses,
}

/// Makes addresses of others local.
#[derive(Debug, Clone)]
struct ForeignAddresses {
    local_networks: LocalNetworks,
    /// Those who want an address wait behind those that are given back, in turn: neither can pile up.
    changes: Arc<Semaphore>,
}

/// Changes of addresses that the kernel is asked for at a time.
const CHANGES: usize = 64;

/// An address that is this machine's until this is dropped, so that answers of servers arrive.
///
/// Just the address, and not the network of the configuration: that may be the whole Internet.
#[derive(Debug)]
pub(crate) struct BorrowedAddress {
    network: IpNetwork,
    addresses: ForeignAddresses,
}

impl Kernel {
    pub(crate) fn new(own_mark: u32, local_networks: LocalNetworks) -> Self {
        Self {
            own_mark,
            addresses: ForeignAddresses {
                local_networks,
                changes: Arc::new(Semaphore::new(CHANGES)),
            },
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
        let borrowed = self.addresses.borrow(source).await?;
        let socket = connect_from(source, server, self.own_mark).await?;
        socket.set_nodelay(true)?;
        set_keepalive(&socket)?;
        Ok(Connected {
            socket,
            source: Some(borrowed),
        })
    }

    pub(super) async fn bind_from(&self, source: SocketAddr) -> io::Result<Connected<UdpSocket>> {
        let borrowed = self.addresses.borrow(source).await?;
        Ok(Connected {
            socket: bind_datagrams(source, self.own_mark)?,
            source: Some(borrowed),
        })
    }
}

impl ForeignAddresses {
    async fn borrow(&self, source: SocketAddr) -> io::Result<BorrowedAddress> {
        let network = IpNetwork::new(source.ip(), u8::MAX);
        let turn = Arc::clone(&self.changes).acquire_owned().await;
        let turn = turn.map_err(io::Error::other)?;
        let addresses = self.clone();
        // A task of its own: whoever waits may give up at any time, and what has been added has to be removed.
        let adding = tokio::spawn(async move {
            let _turn = turn;
            addresses.local_networks.add(network).await?;
            Ok::<_, InterceptError>(BorrowedAddress { network, addresses })
        });
        let added = adding.await.map_err(io::Error::other)?;
        added.map_err(io::Error::other)
    }

    async fn give_back(&self, network: IpNetwork) -> Result<(), AcquireError> {
        let _turn = self.changes.acquire().await?;
        if let Err(error) = self.local_networks.remove(network).await {
            tracing::debug!(%network, %error, "an address stays this machine's");
        }
        Ok(())
    }
}

impl Drop for BorrowedAddress {
    fn drop(&mut self) {
        // Without a runtime, the process ends, and all of it goes.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let (addresses, network) = (self.addresses.clone(), self.network);
        runtime.spawn(async move { addresses.give_back(network).await });
    }
}
