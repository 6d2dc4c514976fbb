//! The address of the machine that a datagram has come to, or goes out from (`ip(7)`, `IP_PKTINFO`, and RFC 3542,
//! section 6).

use super::Received;
use nix::cmsg_space;
use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, sendmsg, setsockopt,
    sockopt,
};
use portcullis_datagram_flows::FlowKey;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsRawFd as _;
use tokio::net::UdpSocket;

/// Has the kernel say where each datagram has come to.
pub(super) fn prepare(socket: &UdpSocket, local: SocketAddr) -> io::Result<()> {
    match local {
        SocketAddr::V4(_) => setsockopt(socket, sockopt::Ipv4PacketInfo, &true)?,
        SocketAddr::V6(_) => setsockopt(socket, sockopt::Ipv6RecvPacketInfo, &true)?,
    }
    Ok(())
}

pub(super) fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Received> {
    let mut space = cmsg_space!(libc::in6_pktinfo);
    let mut parts = [IoSliceMut::new(buffer)];
    let message = recvmsg::<SockaddrStorage>(
        socket.as_raw_fd(),
        &mut parts,
        Some(&mut space),
        MsgFlags::empty(),
    )?;
    let client = message.address.as_ref().and_then(socket_address);
    let client = client.ok_or(Errno::EAFNOSUPPORT)?;
    let destination = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::Ipv4PacketInfo(info) => {
            let octets = info.ipi_addr.s_addr.to_ne_bytes();
            Some(IpAddr::from(Ipv4Addr::from(octets)))
        },
        ControlMessageOwned::Ipv6PacketInfo(info) => {
            Some(IpAddr::from(Ipv6Addr::from(info.ipi6_addr.s6_addr)))
        },
        _ => None,
    });
    Ok(Received {
        client,
        destination,
        length: message.bytes,
    })
}

pub(super) fn send(socket: &UdpSocket, flow: FlowKey, datagram: &[u8]) -> io::Result<()> {
    let client = SockaddrStorage::from(flow.client);
    let parts = [IoSlice::new(datagram)];
    let fd = socket.as_raw_fd();
    let send = |control| sendmsg(fd, &parts, &[control], MsgFlags::empty(), Some(&client));
    match flow.destination.ip() {
        IpAddr::V4(address) => {
            let address = libc::in_addr {
                s_addr: u32::from_ne_bytes(address.octets()),
            };
            send(ControlMessage::Ipv4PacketInfo(&libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: address,
                ipi_addr: address,
            }))?;
        },
        IpAddr::V6(address) => {
            let ipi6_addr = libc::in6_addr {
                s6_addr: address.octets(),
            };
            send(ControlMessage::Ipv6PacketInfo(&libc::in6_pktinfo {
                ipi6_addr,
                ipi6_ifindex: 0,
            }))?;
        },
    }
    Ok(())
}

fn socket_address(address: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = address
        .as_sockaddr_in()
        .map(|address| SocketAddr::new(IpAddr::V4(address.ip()), address.port()));
    let v6 = || {
        let address = address.as_sockaddr_in6()?;
        Some(SocketAddr::V6((*address).into()))
    };
    v4.or_else(v6)
}
