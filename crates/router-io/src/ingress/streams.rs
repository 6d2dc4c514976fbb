//! Listeners for streams: `transport` and `proxy`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use portcullis_listener::{
    Connection, Greeting, Limits, Listener, StreamFuture, StreamService, listen,
};
use portcullis_router::address::Protocol;
use portcullis_router::ingress::{DialAnswer, DialLine, MAX_LINE, StreamDoor};
use portcullis_transport::Holding;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::circuits::ClientCircuits;
use super::{IngressOpenError, candidates};
use crate::circuit_requests::NoCircuit;
use crate::ends::SocketSide;
use crate::listen_addresses::{no_address, open_first};
use crate::tls::Tls;

/// Streams that a listener has at a time.
pub(super) const MAX_STREAMS: usize = 10_000;

/// How long a client may take for its first line, and for taking the answer.
const LINE_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause after an accept that failed for lack of a resource.
const BACK_OFF: Duration = Duration::from_millis(50);

/// What of a first line, and of what comes with it, is read at once.
const LINE_BUFFER: usize = 512;

/// A listener that is open.
pub(super) struct StreamListener {
    socket: Socket,
    local: SocketAddr,
    entrance: Arc<Entrance>,
}

enum Socket {
    Tcp(TcpListener),
    Tls(Box<TlsSocket>),
}

struct TlsSocket {
    listener: Listener,
    tls: Arc<Tls>,
    limits: Limits,
}

impl StreamListener {
    /// `tls` and its limits are for a door with TLS.
    pub(super) async fn open(
        key: String,
        door: StreamDoor,
        circuits: ClientCircuits,
        (tls, limits): (Arc<Tls>, Limits),
    ) -> Result<Self, IngressOpenError> {
        let addresses = candidates(&key, &door.address.place).await?;
        let is_tls = door.address.protocol == Protocol::Tls;
        let (socket, local) = if is_tls {
            let bound = open_first(&addresses, no_address(), Listener::bind);
            let listener = bound.map_err(|source| IngressOpenError::BindTls {
                key: key.clone(),
                source,
            })?;
            let local = listener.local_addr();
            let socket = TlsSocket {
                listener,
                tls,
                limits,
            };
            (Socket::Tls(Box::new(socket)), local)
        } else {
            let bound = bind_tcp(&addresses);
            let (listener, local) = bound.map_err(|source| IngressOpenError::Bind {
                key: key.clone(),
                address: door.address.to_string(),
                source,
            })?;
            (Socket::Tcp(listener), local)
        };
        let entrance = Arc::new(Entrance {
            kind: match door.service {
                Some(_) => "xgress/proxy",
                None => "xgress/transport",
            },
            key,
            service: door.service,
            circuits,
            places: Arc::new(Semaphore::new(MAX_STREAMS)),
        });
        Ok(Self {
            socket,
            local,
            entrance,
        })
    }

    pub(super) const fn local_addr(&self) -> SocketAddr {
        self.local
    }

    pub(super) async fn serve(self, clients: TaskTracker, shutdown: CancellationToken) {
        let entrance = self.entrance;
        tracing::info!(listener = %entrance.key, address = %self.local, "listening");
        match self.socket {
            Socket::Tcp(listener) => {
                let accepting = accept(&listener, &entrance, &clients);
                shutdown.run_until_cancelled(accepting).await;
            },
            Socket::Tls(socket) => {
                let listener = socket.listener.with_default_protocol(entrance);
                let tls = Arc::clone(socket.tls.server());
                listener.serve_protocols(tls, socket.limits, shutdown).await;
            },
        }
    }
}

fn bind_tcp(addresses: &[SocketAddr]) -> io::Result<(TcpListener, SocketAddr)> {
    let none = io::ErrorKind::AddrNotAvailable.into();
    open_first(addresses, none, |address| {
        let listener = listen(address, |_| Ok(()))?;
        let local = listener.local_addr()?;
        Ok((listener, local))
    })
}

/// Accepts connections forever, each into a task of its own.
async fn accept(listener: &TcpListener, entrance: &Arc<Entrance>, clients: &TaskTracker) {
    loop {
        let Some(place) = entrance.place().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, peer)) => {
                let entrance = Arc::clone(entrance);
                clients.spawn(async move {
                    let _without_delay = stream.set_nodelay(true);
                    entrance.admit(stream, peer, place).await;
                });
            },
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {},
            Err(error) => {
                tracing::warn!(listener = %entrance.key, %error, "cannot accept connections");
                sleep(BACK_OFF).await;
            },
        }
    }
}

/// What clients of a listener come to.
#[derive(Clone)]
struct Entrance {
    key: String,
    /// For traces.
    kind: &'static str,
    /// Where everything goes; otherwise clients say.
    service: Option<String>,
    circuits: ClientCircuits,
    places: Arc<Semaphore>,
}

impl Entrance {
    /// A place for one more stream. The others wait in the kernel.
    async fn place(&self) -> Option<OwnedSemaphorePermit> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            return Some(place);
        }
        tracing::warn!(
            listener = %self.key,
            streams = MAX_STREAMS,
            "the listener has as many streams as it may; others wait"
        );
        Arc::clone(&self.places).acquire_owned().await.ok()
    }

    /// Asks for a circuit, and connects a client to it.
    async fn admit<T>(&self, stream: T, peer: SocketAddr, place: OwnedSemaphorePermit)
    where
        T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let mut stream = BufReader::with_capacity(LINE_BUFFER, Holding::new(stream, place));
        let line = match &self.service {
            Some(service) => DialLine {
                client: String::new(),
                service: service.clone(),
            },
            None => match self.read_line(&mut stream, peer).await {
                Some(line) => line,
                None => return,
            },
        };
        let service = line.service.clone();
        match self.circuits.request(line).await {
            Ok(circuit) => {
                let answer = DialAnswer::Connected {
                    circuit: circuit.id.to_string(),
                };
                if self.answer(&mut stream, &answer).await.is_err() {
                    return drop(circuit);
                }
                tracing::debug!(listener = %self.key, %peer, circuit = %circuit.id, "client connected");
                self.circuits
                    .open(circuit, SocketSide::new(self.kind, stream));
            },
            Err(why) => self.refuse(&mut stream, peer, &service, &why).await,
        }
    }

    async fn read_line<T>(&self, stream: &mut BufReader<T>, peer: SocketAddr) -> Option<DialLine>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let mut line = Vec::new();
        let mut limited = (&mut *stream).take(MAX_LINE as u64 + 1);
        let reading = limited.read_until(b'\n', &mut line);
        match timeout(LINE_TIMEOUT, reading).await {
            Ok(Ok(_)) => {},
            Ok(Err(error)) => {
                tracing::debug!(listener = %self.key, %peer, %error, "client lost before its first line");
                return None;
            },
            Err(_elapsed) => {
                tracing::debug!(listener = %self.key, %peer, "client closed: it sent no first line");
                return None;
            },
        }
        match DialLine::parse(&line) {
            Ok(line) => Some(line),
            Err(error) => {
                tracing::debug!(listener = %self.key, %peer, %error, "client refused");
                let reason = error.to_string();
                let _is_gone = self.answer(stream, &DialAnswer::Refused { reason }).await;
                None
            },
        }
    }

    async fn refuse<T>(&self, stream: &mut T, peer: SocketAddr, service: &str, why: &NoCircuit)
    where
        T: AsyncWrite + Unpin,
    {
        self.circuits.report_refusal(&self.key, peer, service, why);
        let reason = why.to_string();
        let _is_gone = self.answer(stream, &DialAnswer::Refused { reason }).await;
    }

    /// Answers a client that has said what it wants.
    async fn answer<T>(&self, stream: &mut T, answer: &DialAnswer) -> io::Result<()>
    where
        T: AsyncWrite + Unpin,
    {
        if self.service.is_some() {
            return Ok(());
        }
        let line = answer.to_line();
        let writing = async {
            stream.write_all(&line).await?;
            stream.flush().await
        };
        timeout(LINE_TIMEOUT, writing).await?
    }
}

impl StreamService for Entrance {
    fn serve(
        &self,
        connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        greeting: Greeting,
        _shutdown: CancellationToken,
    ) -> StreamFuture {
        let entrance = self.clone();
        Box::pin(async move {
            let Some(place) = entrance.place().await else {
                return;
            };
            greeting.finish();
            entrance.admit(stream, connection.peer, place).await;
        })
    }
}
