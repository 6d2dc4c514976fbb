//! Sockets with addresses of others (`IP_TRANSPARENT`), and sockets that are not intercepted.

use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};

/// Has the kernel leave alone what this socket sends: nothing that a tunneler itself sends may be intercepted, or
/// it would come back to it. `mark` is [`Instance::own_mark`](crate::Instance::own_mark).
///
/// # Errors
///
/// Without `CAP_NET_ADMIN`.
pub fn exempt(socket: &impl AsFd, mark: u32) -> io::Result<()> {
    setsockopt(&socket.as_fd(), sockopt::Mark, &mark)?;
    Ok(())
}

/// Connects to a server from an address that need not be this machine's. What the server answers finds its way if
/// the address is one of [`LocalNetworks`](crate::LocalNetworks). Port 0 stands for any port.
///
/// # Errors
///
/// As usual, and without `CAP_NET_ADMIN`.
pub async fn connect_from(
    source: SocketAddr,
    server: SocketAddr,
    own_mark: u32,
) -> io::Result<TcpStream> {
    let socket = unbound(Type::STREAM, source, own_mark)?;
    if source.port() == 0 {
        // A port that is in use for one server can be used for another one.
        setsockopt(&socket, sockopt::IpBindAddressNoPort, &true)?;
    } else {
        socket.set_reuse_address(true)?;
    }
    socket.bind(&source.into())?;
    TcpSocket::from_std_stream(socket.into())
        .connect(server)
        .await
}

/// A UDP socket with an address that need not be this machine's, as [`connect_from`] has it.
///
/// # Errors
///
/// As usual, and without `CAP_NET_ADMIN`.
pub fn bind_datagrams(source: SocketAddr, own_mark: u32) -> io::Result<UdpSocket> {
    UdpSocket::from_std(bound(Type::DGRAM, source, own_mark)?.into())
}

/// A socket that does not block and may have any address, and has none yet.
pub(crate) fn unbound(kind: Type, family: SocketAddr, own_mark: u32) -> io::Result<Socket> {
    let protocol = if kind == Type::STREAM {
        Protocol::TCP
    } else {
        Protocol::UDP
    };
    let socket = Socket::new(Domain::for_address(family), kind, Some(protocol))?;
    socket.set_nonblocking(true)?;
    socket.set_mark(own_mark)?;
    if family.is_ipv6() {
        socket.set_only_v6(true)?;
        socket.set_ip_transparent_v6(true)?;
    } else {
        socket.set_ip_transparent_v4(true)?;
    }
    Ok(socket)
}

pub(crate) fn bound(kind: Type, address: SocketAddr, own_mark: u32) -> io::Result<Socket> {
    let socket = unbound(kind, address, own_mark)?;
    socket.bind(&address.into())?;
    Ok(socket)
}
