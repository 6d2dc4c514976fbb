//! Sockets for datagrams that know which address of the machine each has come to.

#[cfg(target_os = "linux")]
mod packet_info;
#[cfg(not(target_os = "linux"))]
mod plain;

#[cfg(target_os = "linux")]
use packet_info as system;
#[cfg(not(target_os = "linux"))]
use plain as system;

use crate::flows::{DatagramReceiver, DatagramReplies};
use bytes::Bytes;
use portcullis_datagram_flows::FlowKey;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use tokio::io::Interest;
use tokio::net::UdpSocket;

/// The longest datagram.
const MAX_DATAGRAM: usize = 65_535;

/// Receives the datagrams of a port.
#[derive(Debug)]
pub(super) struct PortReceiver {
    socket: Arc<UdpSocket>,
    local: SocketAddr,
    buffer: Vec<u8>,
}

/// Sends from the addresses that clients have sent to, which matters where the port is open at all addresses.
#[derive(Debug)]
pub(super) struct PortReplies {
    socket: Arc<UdpSocket>,
}

pub(super) fn bind(address: SocketAddr) -> io::Result<(PortReceiver, PortReplies)> {
    let socket = std::net::UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    let socket = Arc::new(UdpSocket::from_std(socket)?);
    system::prepare(&socket, address)?;
    let receiver = PortReceiver {
        local: socket.local_addr()?,
        socket: Arc::clone(&socket),
        buffer: vec![0; MAX_DATAGRAM],
    };
    Ok((receiver, PortReplies { socket }))
}

impl DatagramReceiver for PortReceiver {
    async fn receive(&mut self) -> io::Result<(FlowKey, Bytes)> {
        let (socket, buffer) = (&self.socket, &mut self.buffer);
        let receive = || system::receive(socket, buffer);
        let received = socket.async_io(Interest::READABLE, receive).await?;
        let mut destination = self.local;
        if let Some(address) = received.destination {
            destination.set_ip(address);
        }
        let key = FlowKey {
            client: received.client,
            destination,
        };
        let datagram = self.buffer.get(..received.length).unwrap_or_default();
        Ok((key, Bytes::copy_from_slice(datagram)))
    }
}

impl DatagramReplies for PortReplies {
    async fn send(&self, flow: FlowKey, datagram: &[u8]) -> io::Result<()> {
        let send = || system::send(&self.socket, flow, datagram);
        self.socket.async_io(Interest::WRITABLE, send).await
    }
}

/// A datagram that has been received.
struct Received {
    client: SocketAddr,
    /// The address of the machine, if it is known.
    destination: Option<IpAddr>,
    length: usize,
}
