//! Where the system knows no transparent proxies.

use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::net::{TcpStream, UdpSocket};

#[derive(Debug)]
pub(crate) enum Kernel {}

impl Kernel {
    pub(super) fn exempt<S>(&self, _socket: &S) -> io::Result<()> {
        match *self {}
    }

    pub(super) fn is_foreign(&self, _address: IpAddr) -> io::Result<bool> {
        match *self {}
    }

    pub(super) async fn connect_from(
        &self,
        _source: SocketAddr,
        _server: SocketAddr,
    ) -> io::Result<TcpStream> {
        match *self {}
    }

    pub(super) fn bind_from(&self, _source: SocketAddr) -> io::Result<UdpSocket> {
        match *self {}
    }
}
