//! Where the system does not tell which address a datagram has come to.

use super::Received;
use portcullis_datagram_flows::FlowKey;
use std::io;
use std::net::SocketAddr;
use tokio::net::UdpSocket;

pub(super) fn prepare(_socket: &UdpSocket, _local: SocketAddr) -> io::Result<()> {
    Ok(())
}

pub(super) fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Received> {
    let (length, client) = socket.try_recv_from(buffer)?;
    Ok(Received {
        client,
        destination: None,
        length,
    })
}

pub(super) fn send(socket: &UdpSocket, flow: FlowKey, datagram: &[u8]) -> io::Result<()> {
    socket.try_send_to(datagram, flow.client).map(drop)
}
