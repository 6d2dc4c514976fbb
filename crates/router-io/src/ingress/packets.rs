//! Listeners for datagrams: `transport_udp` and `proxy_udp`.

mod source;

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;
use portcullis_router::address::{IpFamily, PacketAddress};
use portcullis_router::ingress::{DialAnswer, DialLine, PacketDoor};
use tokio::net::UdpSocket;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::source::{Registration, Source};
use super::circuits::ClientCircuits;
use super::{IngressOpenError, candidates};
use crate::datagram_queue::DatagramQueue;
use crate::ends::DatagramSide;
use crate::listen_addresses::open_first;

/// Sources that a listener has at a time; datagrams of others are lost.
pub(super) const MAX_SOURCES: usize = 1024;

/// Sources for which a circuit is asked at a time. Anybody can write any source into a datagram.
pub(super) const MAX_PENDING: usize = 64;

/// How long a source without a circuit is not listened to, so that not each of its datagrams asks for one.
const REFUSED_PAUSE: Duration = Duration::from_secs(5);

/// Pause after a receive that failed for lack of a resource.
const BACK_OFF: Duration = Duration::from_millis(50);

/// The largest datagram that there is.
const MAX_DATAGRAM: usize = 64 << 10;

/// The datagrams that wait, of each source.
type Sources = Mutex<HashMap<SocketAddr, Arc<DatagramQueue>>>;

/// A listener that is open.
pub(super) struct PacketListener {
    local: SocketAddr,
    entrance: Arc<Entrance>,
}

/// What datagrams come to.
struct Entrance {
    key: String,
    /// For traces.
    kind: &'static str,
    /// Where everything goes; otherwise the first datagram of a source says.
    service: Option<String>,
    circuits: ClientCircuits,
    socket: Arc<UdpSocket>,
    sources: Arc<Sources>,
    pending: Arc<Semaphore>,
}

impl PacketListener {
    pub(super) async fn open(
        key: String,
        door: PacketDoor,
        circuits: ClientCircuits,
    ) -> Result<Self, IngressOpenError> {
        let address = door.address.to_string();
        let PacketAddress::Udp { family, place } = door.address else {
            return Err(IngressOpenError::UnixPackets { key });
        };
        let addresses = candidates(&key, &place).await?;
        let bound = bind(&addresses, family);
        let (socket, local) = bound.map_err(|source| IngressOpenError::Bind {
            key: key.clone(),
            address,
            source,
        })?;
        let entrance = Entrance {
            kind: match door.service {
                Some(_) => "xgress/proxy_udp",
                None => "xgress/transport_udp",
            },
            key,
            service: door.service,
            circuits,
            socket: Arc::new(socket),
            sources: Arc::default(),
            pending: Arc::new(Semaphore::new(MAX_PENDING)),
        };
        Ok(Self {
            local,
            entrance: Arc::new(entrance),
        })
    }

    pub(super) const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    pub(super) async fn serve(self, clients: TaskTracker, shutdown: CancellationToken) {
        tracing::info!(listener = %self.entrance.key, address = %self.local, "listening for datagrams");
        let receiving = receive(&self.entrance, &clients);
        shutdown.run_until_cancelled(receiving).await;
    }
}

fn bind(addresses: &[SocketAddr], family: IpFamily) -> io::Result<(UdpSocket, SocketAddr)> {
    let addresses: Vec<SocketAddr> = addresses
        .iter()
        .copied()
        .filter(|one| family.has(one))
        .collect();
    let none = io::ErrorKind::AddrNotAvailable.into();
    open_first(&addresses, none, |address| {
        let socket = UdpSocket::from_std(bind_one(address, family)?)?;
        let local = socket.local_addr()?;
        Ok((socket, local))
    })
}

/// At all addresses of IPv6, those of IPv4 are taken in as well if they are wanted, whatever the system's default
/// is.
fn bind_one(address: SocketAddr, family: IpFamily) -> io::Result<std::net::UdpSocket> {
    use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};
    let domain = if address.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = net::socket_with(domain, SocketType::DGRAM, flags, None)?;
    if address.is_ipv6() && address.ip().is_unspecified() {
        sockopt::set_ipv6_v6only(&socket, family == IpFamily::V6)?;
    }
    net::bind(&socket, &address)?;
    Ok(socket.into())
}

/// Receives datagrams forever.
async fn receive(entrance: &Arc<Entrance>, clients: &TaskTracker) {
    let mut buffer = vec![0; MAX_DATAGRAM];
    loop {
        match entrance.socket.recv_from(&mut buffer).await {
            Ok((length, source)) => {
                let datagram = buffer.get(..length).unwrap_or_default();
                entrance.take(source, Bytes::copy_from_slice(datagram), clients);
            },
            // What was sent to an earlier source has found nobody.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {},
            Err(error) => {
                tracing::warn!(listener = %entrance.key, %error, "cannot receive datagrams");
                sleep(BACK_OFF).await;
            },
        }
    }
}

impl Entrance {
    fn take(self: &Arc<Self>, source: SocketAddr, datagram: Bytes, clients: &TaskTracker) {
        let mut sources = self.sources.lock();
        if let Some(queue) = sources.get(&source) {
            queue.push(datagram);
            return;
        }
        if sources.len() >= MAX_SOURCES {
            tracing::debug!(listener = %self.key, %source, "datagram lost: there are too many sources");
            return;
        }
        let Ok(pending) = Arc::clone(&self.pending).try_acquire_owned() else {
            tracing::debug!(listener = %self.key, %source, "datagram lost: too many circuits are asked for");
            return;
        };
        let queue = Arc::new(DatagramQueue::default());
        sources.insert(source, Arc::clone(&queue));
        drop(sources);
        let registration = Registration::new(Arc::clone(&self.sources), source, queue);
        clients.spawn(Arc::clone(self).admit(registration, datagram, pending));
    }

    /// Asks for a circuit, and connects a source to it.
    async fn admit(
        self: Arc<Self>,
        registration: Registration,
        first: Bytes,
        pending: OwnedSemaphorePermit,
    ) {
        let source = registration.source();
        let line = match &self.service {
            Some(service) => {
                registration.queue().push(first);
                DialLine {
                    client: String::new(),
                    service: service.clone(),
                }
            },
            None => match DialLine::parse(&first) {
                Ok(line) => line,
                Err(error) => {
                    tracing::debug!(listener = %self.key, %source, %error, "client refused");
                    return self.answer_refused(source, error.to_string());
                },
            },
        };
        let service = line.service.clone();
        let requested = self.circuits.request(line).await;
        drop(pending);
        match requested {
            Ok(circuit) => {
                tracing::debug!(listener = %self.key, %source, circuit = %circuit.id, "client connected");
                self.answer(source, || DialAnswer::Connected {
                    circuit: circuit.id.to_string(),
                });
                let datagrams = Source::new(Arc::clone(&self.socket), registration);
                self.circuits
                    .open(circuit, DatagramSide::new(self.kind, datagrams));
            },
            Err(why) => {
                self.circuits
                    .report_refusal(&self.key, source, &service, &why);
                self.answer_refused(source, why.to_string());
                sleep(REFUSED_PAUSE).await;
            },
        }
    }

    fn answer_refused(&self, source: SocketAddr, reason: String) {
        self.answer(source, || DialAnswer::Refused { reason });
    }

    /// Answers a source that has said what it wants. As any datagram, the answer may be lost.
    fn answer(&self, source: SocketAddr, answer: impl FnOnce() -> DialAnswer) {
        if self.service.is_none() {
            let _may_be_lost = self.socket.try_send_to(&answer().to_line(), source);
        }
    }
}
