//! Sockets that are not intercepted, and may come from addresses that are not this machine's.

use portcullis_tproxy::{bind_datagrams, connect_from, exempt, is_address_of_this_machine};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use tokio::net::{TcpStream, UdpSocket};

#[derive(Debug)]
pub(crate) struct Kernel {
    own_mark: u32,
}

impl Kernel {
    pub(crate) const fn new(own_mark: u32) -> Self {
        Self { own_mark }
    }

    pub(super) fn exempt(&self, socket: &impl AsFd) -> io::Result<()> {
        exempt(socket, self.own_mark)
    }

    /// Whether an address is not this machine's.
    #[expect(
        clippy::unused_self,
        reason = "without it, no address can be had that is not this machine's"
    )]
    pub(super) fn is_foreign(&self, address: IpAddr) -> io::Result<bool> {
        Ok(!is_address_of_this_machine(address)?)
    }

    pub(super) async fn connect_from(
        &self,
        source: SocketAddr,
        server: SocketAddr,
    ) -> io::Result<TcpStream> {
        let stream = connect_from(source, server, self.own_mark).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    pub(super) fn bind_from(&self, source: SocketAddr) -> io::Result<UdpSocket> {
        bind_datagrams(source, self.own_mark)
    }
}
