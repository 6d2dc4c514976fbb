//! Sockets with addresses of others (`IP_TRANSPARENT`), and sockets that are not intercepted.

use crate::instance::foreign_source_mark;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{SockaddrStorage, setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
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

/// Connects to a server from an address that need not be this machine's (`allowedSourceAddresses`). Port 0 stands for
/// any port. What the server answers to this connection comes to this machine while the instance has an
/// [`Interceptor`](crate::Interceptor), if it passes here at all: where somebody else routes to the address, this
/// machine has to be the gateway for it. No other traffic of the address is touched.
///
/// # Errors
///
/// As usual, and without `CAP_NET_ADMIN`.
pub async fn connect_from(
    source: SocketAddr,
    server: SocketAddr,
    own_mark: u32,
) -> io::Result<TcpStream> {
    let socket = unbound(Type::STREAM, source, foreign_source_mark(own_mark))?;
    // A peer that vanishes is noticed.
    socket.set_keepalive(true)?;
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

/// A UDP socket with an address that need not be this machine's, as [`connect_from`] has it. It is exempt already.
///
/// # Errors
///
/// As usual, and without `CAP_NET_ADMIN`.
pub fn bind_datagrams(source: SocketAddr, own_mark: u32) -> io::Result<UdpSocket> {
    let socket = bound(Type::DGRAM, source, foreign_source_mark(own_mark))?;
    UdpSocket::from_std(socket.into())
}

/// Whether an interface of this machine has the address. Trying to bind it would not tell, as
/// `net.ipv4.ip_nonlocal_bind` allows any.
///
/// # Errors
///
/// If the kernel does not say which addresses there are.
pub fn is_address_of_this_machine(address: IpAddr) -> io::Result<bool> {
    if address.is_loopback() || address.is_unspecified() {
        return Ok(true);
    }
    let mut interfaces = getifaddrs()?;
    Ok(interfaces.any(|interface| {
        let has = interface.address.as_ref();
        has.and_then(ip_address) == Some(address)
    }))
}

fn ip_address(address: &SockaddrStorage) -> Option<IpAddr> {
    let v4 = address.as_sockaddr_in().map(|it| IpAddr::V4(it.ip()));
    v4.or_else(|| address.as_sockaddr_in6().map(|it| IpAddr::V6(it.ip())))
}

/// A socket that does not block and may have any address, and has none yet.
pub(crate) fn unbound(kind: Type, family: SocketAddr, mark: u32) -> io::Result<Socket> {
    let protocol = if kind == Type::STREAM {
        Protocol::TCP
    } else {
        Protocol::UDP
    };
    let socket = Socket::new(Domain::for_address(family), kind, Some(protocol))?;
    socket.set_nonblocking(true)?;
    socket.set_mark(mark)?;
    if family.is_ipv6() {
        socket.set_only_v6(true)?;
        socket.set_ip_transparent_v6(true)?;
    } else {
        socket.set_ip_transparent_v4(true)?;
    }
    Ok(socket)
}

pub(crate) fn bound(kind: Type, address: SocketAddr, mark: u32) -> io::Result<Socket> {
    let socket = unbound(kind, address, mark)?;
    socket.bind(&address.into())?;
    Ok(socket)
}
