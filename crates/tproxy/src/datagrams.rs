//! UDP datagrams that are intercepted.

use crate::error::InterceptError;
use crate::keeper::socket_error;
use crate::replies::Replies;
use crate::transparent;
use nix::sys::socket::sockopt::{Ipv4OrigDstAddr, Ipv6OrigDstAddr, RcvBufForce};
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrIn, SockaddrIn6, SockaddrStorage, recvmsg, setsockopt,
};
use portcullis_tunnel_config::Protocol;
use socket2::Type;
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::AsRawFd as _;
use std::time::Duration;
use tokio::io::Interest;
use tokio::net::UdpSocket;
use tokio::time::sleep;

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
    v4: Receiver,
    v6: Option<Receiver>,
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
    pub(crate) fn open(own_mark: u32) -> Result<Self, InterceptError> {
        let v4 = Receiver::open((Ipv4Addr::LOCALHOST, 0).into(), own_mark)
            .map_err(|reason| socket_error("listen for intercepted datagrams", reason))?;
        let v6 = Receiver::open((Ipv6Addr::LOCALHOST, 0).into(), own_mark);
        if let Err(error) = &v6 {
            tracing::debug!(%error, "no socket for intercepted datagrams of IPv6");
        }
        Ok(Self {
            v4,
            v6: v6.ok(),
            replies: Replies::new(own_mark),
        })
    }

    pub(crate) fn listeners(&self) -> impl Iterator<Item = (Protocol, SocketAddr)> {
        let receivers = [Some(&self.v4), self.v6.as_ref()];
        let receivers = receivers.into_iter().flatten();
        receivers.map(|receiver| (Protocol::Udp, receiver.address))
    }

    /// Receives a datagram. What the buffer has no room for is lost; 64 KiB are enough for all. Nothing is lost if
    /// the future is dropped.
    pub async fn receive(&self, buffer: &mut [u8]) -> InterceptedDatagram {
        loop {
            let ready = tokio::select! {
                ready = self.v4.ready() => ready,
                ready = ready_if_any(self.v6.as_ref()) => ready,
                () = sleep(CLEANING) => {
                    self.replies.close_idle();
                    continue;
                },
            };
            match ready.and_then(|receiver| receiver.receive(buffer)) {
                Ok(Some(datagram)) => return datagram,
                Ok(None) => {},
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {},
                Err(error) => {
                    tracing::warn!(%error, "intercepted datagrams cannot be received for now");
                    sleep(PAUSE).await;
                },
            }
        }
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
    fn open(address: SocketAddr, own_mark: u32) -> io::Result<Self> {
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

    async fn ready(&self) -> io::Result<&Self> {
        self.socket.readable().await.map(|()| self)
    }

    /// `None` if it was sent to the socket itself, or from nowhere.
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<InterceptedDatagram>> {
        let receive = || receive_now(&self.socket, buffer);
        let received = self.socket.try_io(Interest::READABLE, receive)?;
        Ok(received.filter(|datagram| datagram.destination != self.address))
    }
}

async fn ready_if_any(receiver: Option<&Receiver>) -> io::Result<&Receiver> {
    match receiver {
        Some(receiver) => receiver.ready().await,
        None => std::future::pending().await,
    }
}

fn receive_now(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Option<InterceptedDatagram>> {
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
    Ok(source
        .zip(destination)
        .map(|(source, destination)| InterceptedDatagram {
            source,
            destination,
            length,
        }))
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
