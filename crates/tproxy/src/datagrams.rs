//! UDP datagrams that are intercepted.

use crate::replies::Replies;
use crate::routing::Family;
use crate::transparent;
use crate::turns::Turns;
use nix::sys::socket::sockopt::{Ipv4OrigDstAddr, Ipv6OrigDstAddr, RcvBufForce};
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrIn, SockaddrIn6, SockaddrStorage, recvmsg, setsockopt,
};
use portcullis_tunnel_config::Protocol;
use socket2::Type;
use std::future::poll_fn;
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::AsRawFd as _;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

/// What is known of a datagram that was intercepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterceptedDatagram {
    pub source: SocketAddr,
    /// Where its client has sent it.
    pub destination: SocketAddr,
    /// In bytes, also if it came in fragments.
    pub length: usize,
}

/// UDP datagrams that are intercepted. What nobody takes in time is dropped by the kernel.
#[derive(Debug)]
pub struct InterceptedDatagrams {
    /// One for each family.
    receivers: Vec<Receiver>,
    turns: Turns,
    replies: Replies,
}

#[derive(Debug)]
struct Receiver {
    socket: UdpSocket,
    address: SocketAddr,
}

/// What may wait in the kernel at each socket, in bytes as it counts them.
const QUEUE: usize = 4 * 1024 * 1024;

const CLEANING: Duration = Duration::from_secs(15);

/// How long nothing is received after an error that is none of a single datagram.
const PAUSE: Duration = Duration::from_millis(100);

impl InterceptedDatagrams {
    pub(crate) fn open(families: &[Family], own_mark: u32) -> io::Result<Self> {
        let receivers = families
            .iter()
            .map(|family| Receiver::open(*family, own_mark));
        Ok(Self {
            receivers: receivers.collect::<io::Result<_>>()?,
            turns: Turns::default(),
            replies: Replies::new(own_mark),
        })
    }

    pub(crate) fn listeners(&self) -> impl Iterator<Item = (Protocol, SocketAddr)> {
        let receivers = self.receivers.iter();
        receivers.map(|receiver| (Protocol::Udp, receiver.address))
    }

    /// Receives a datagram. What the buffer has no room for is lost; 64 KiB are enough for all. Nothing is lost if
    /// the future is dropped.
    pub async fn receive(&self, buffer: &mut [u8]) -> InterceptedDatagram {
        loop {
            let receiving = poll_fn(|context| self.poll_receive(context, buffer));
            let Ok(received) = timeout(CLEANING, receiving).await else {
                self.replies.close_idle();
                continue;
            };
            match received {
                // What was sent to the socket itself is for no service.
                Ok(datagram) if datagram.destination.ip().is_loopback() => {},
                Ok(datagram) => return datagram,
                Err(error) => {
                    tracing::warn!(%error, "intercepted datagrams cannot be received for now");
                    sleep(PAUSE).await;
                },
            }
        }
    }

    fn poll_receive(
        &self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<InterceptedDatagram>> {
        for Receiver { socket, .. } in self.turns.of(&self.receivers) {
            while let Poll::Ready(ready) = socket.poll_recv_ready(context) {
                let receive = || receive_now(socket, buffer);
                match ready.and_then(|()| socket.try_io(Interest::READABLE, receive)) {
                    // It is not ready any more, and says so the next time.
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {},
                    received => return Poll::Ready(received),
                }
            }
        }
        Poll::Pending
    }

    /// Sends a datagram to `client` that comes from `destination`, which the client has sent to. It is dropped if the
    /// kernel has no room.
    ///
    /// Each address that is answered from has a socket, which is closed when it was idle for a minute, or when 1024
    /// others were used since.
    ///
    /// # Errors
    ///
    /// If there is no such socket: another program that listens at that port of all addresses has it for itself.
    pub fn send(
        &self,
        destination: SocketAddr,
        client: SocketAddr,
        datagram: &[u8],
    ) -> io::Result<()> {
        self.replies.send(destination, client, datagram)
    }
}

impl Receiver {
    fn open(family: Family, own_mark: u32) -> io::Result<Self> {
        let address = SocketAddr::new(family.loopback(), 0);
        let socket = transparent::bound(Type::DGRAM, address, own_mark)?;
        if address.is_ipv4() {
            setsockopt(&socket, Ipv4OrigDstAddr, &true)?;
        } else {
            setsockopt(&socket, Ipv6OrigDstAddr, &true)?;
        }
        setsockopt(&socket, RcvBufForce, &QUEUE)?;
        let socket = UdpSocket::from_std(socket.into())?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }
}

fn receive_now(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<InterceptedDatagram> {
    let mut parts = [IoSliceMut::new(buffer)];
    let mut control = nix::cmsg_space!(nix::libc::sockaddr_in6);
    let flags = MsgFlags::empty();
    let message =
        recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut parts, Some(&mut control), flags)?;
    let source = message.address.as_ref().and_then(address);
    let destination = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::Ipv4OrigDstAddr(address) => {
            Some(SocketAddrV4::from(SockaddrIn::from(address)).into())
        },
        ControlMessageOwned::Ipv6OrigDstAddr(address) => {
            Some(SocketAddrV6::from(SockaddrIn6::from(address)).into())
        },
        _ => None,
    });
    let length = message.bytes;
    let both = source.zip(destination);
    let (source, destination) = both.ok_or(io::ErrorKind::InvalidData)?;
    Ok(InterceptedDatagram {
        source,
        destination,
        length,
    })
}

fn address(address: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = address
        .as_sockaddr_in()
        .map(|it| SocketAddrV4::from(*it).into());
    v4.or_else(|| {
        address
            .as_sockaddr_in6()
            .map(|it| SocketAddrV6::from(*it).into())
    })
}
