//! Where the system knows no transparent proxies.

use super::Connected;
use std::io;
use std::net::SocketAddr;
use tokio::net::{TcpStream, UdpSocket};

#[derive(Debug)]
pub(crate) enum Kernel {}

#[derive(Debug)]
pub(crate) enum BorrowedAddress {}

impl Kernel {
    pub(super) fn exempt<S>(&self, _socket: &S) -> io::Result<()> {
        match *self {}
    }

    pub(super) async fn connect_from(
        &self,
        _source: SocketAddr,
        _server: SocketAddr,
    ) -> io::Result<Connected<TcpStream>> {
        match *self {}
    }

    pub(super) async fn bind_from(&self, _source: SocketAddr) -> io::Result<Connected<UdpSocket>> {
        match *self {}
    }
}
