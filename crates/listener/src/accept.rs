//! Listening socket: binding, accepting, shutdown.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use portcullis_domain::log_interval::LogInterval;
use rustix::net::sockopt;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::connection_driver::{self, CLOSE_TIMEOUT, HttpService, ListenerState};
use crate::half_open::HalfOpenRegistry;
use crate::stream_service::StreamServices;
use crate::{Alpn, Budgets, LOG_INTERVAL, Limits, ServerTls, Service, StreamService};

/// Connections that the kernel may queue for accepting; it caps the value at its own limit.
const BACKLOG: u32 = 4096;

/// Bytes that the kernel buffers per client; it doubles the value. By default it buffers megabytes,
/// and reports progress only when a third of that is read: a client that reads slowly but steadily
/// would look stalled.
const SEND_BUFFER: u32 = 128 * 1024;

/// Pause after an accept that failed for lack of a resource.
const BACK_OFF: Duration = Duration::from_millis(50);

/// A bound socket that does not serve yet.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    local: SocketAddr,
    budgets: Budgets,
    protocols: StreamServices,
}

/// Errors of [`Listener::bind`].
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Another program, or another listener of this one, uses it.
    #[error(
        "cannot listen on {0}: the address is in use; stop the program that uses it or choose \
         another port"
    )]
    InUse(SocketAddr),
    /// The port is privileged.
    #[error(
        "cannot listen on {0}: permission denied; choose a port from 1024 up or grant the right to \
         bind low ports"
    )]
    Denied(SocketAddr),
    /// No interface of this machine has the address.
    #[error(
        "cannot listen on {0}: no interface of this machine has this address; choose one of its \
         addresses, or 0.0.0.0 for all"
    )]
    NotHere(SocketAddr),
    /// Anything else.
    #[error("cannot listen on {address}")]
    Other {
        /// The requested address.
        address: SocketAddr,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
}

/// Listens for TCP at a socket whose options `set` has set. At all addresses of IPv6, those of IPv4 are taken in as
/// well, whatever the system's default is.
///
/// # Errors
///
/// Those of the operating system.
pub fn listen(
    address: SocketAddr,
    set: impl FnOnce(&TcpSocket) -> io::Result<()>,
) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    if address.is_ipv6() && address.ip().is_unspecified() {
        sockopt::set_ipv6_v6only(&socket, false)?;
    }
    // Elsewhere the option lets two programs share a port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    set(&socket)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Whether the computer has no addresses of a family, such as IPv6.
pub fn is_unsupported_family(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error())
}

impl Listener {
    /// Binds `address`; port 0 takes any free port. Clients can connect from here on, and wait.
    ///
    /// Must be called inside a Tokio runtime.
    pub fn bind(address: SocketAddr) -> Result<Self, ListenError> {
        Self::open(address).map_err(|source| match source.kind() {
            io::ErrorKind::AddrInUse => ListenError::InUse(address),
            io::ErrorKind::PermissionDenied => ListenError::Denied(address),
            io::ErrorKind::AddrNotAvailable => ListenError::NotHere(address),
            _ if is_unsupported_family(&source) => ListenError::NotHere(address),
            _ => ListenError::Other { address, source },
        })
    }

    fn open(address: SocketAddr) -> io::Result<Self> {
        let socket = listen(address, |socket| {
            // Every connection inherits it.
            socket.set_send_buffer_size(SEND_BUFFER)
        })?;
        let local = socket.local_addr()?;
        Ok(Self {
            socket,
            local,
            budgets: Budgets::default(),
            protocols: StreamServices::default(),
        })
    }

    /// Replaces the budgets by ones that are shared with others.
    #[must_use]
    pub fn with_budgets(self, budgets: Budgets) -> Self {
        Self { budgets, ..self }
    }

    /// Serves clients that ask for the protocol `name` by ALPN.
    #[must_use]
    pub fn with_protocol(mut self, name: &'static str, service: Arc<dyn StreamService>) -> Self {
        self.protocols.add(name, service);
        self
    }

    /// Serves clients that ask for no protocol, with [`Self::serve_protocols`].
    #[must_use]
    pub fn with_default_protocol(mut self, service: Arc<dyn StreamService>) -> Self {
        self.protocols.set_unasked(service);
        self
    }

    /// Returns the bound address, with the actual port.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Serves HTTP/1.1, HTTP/2 and the protocols of [`Self::with_protocol`] until `shutdown` is cancelled, then
    /// returns when every connection has ended. Clients that ask for no protocol get HTTP.
    ///
    /// On shutdown new connections are refused and unfinished handshakes dropped, idle connections
    /// close, and running requests, with the tasks they leave behind, have [`Limits::drain`] to
    /// finish.
    pub async fn serve(
        self,
        service: Arc<dyn Service>,
        tls: Arc<ServerTls>,
        limits: Limits,
        shutdown: CancellationToken,
    ) {
        let http = HttpService::http1_and_http2(service);
        self.run(Some(http), &tls, limits, shutdown).await;
    }

    /// As [`Self::serve`], without HTTP/2.
    pub async fn serve_http1(
        self,
        service: Arc<dyn Service>,
        tls: Arc<ServerTls>,
        limits: Limits,
        shutdown: CancellationToken,
    ) {
        let http = HttpService::http1(service);
        self.run(Some(http), &tls, limits, shutdown).await;
    }

    /// As [`Self::serve`], without HTTP: clients that ask for no protocol get that of
    /// [`Self::with_default_protocol`], or are put off.
    pub async fn serve_protocols(
        self,
        tls: Arc<ServerTls>,
        limits: Limits,
        shutdown: CancellationToken,
    ) {
        self.run(None, &tls, limits, shutdown).await;
    }

    async fn run(
        self,
        http: Option<HttpService>,
        tls: &ServerTls,
        limits: Limits,
        shutdown: CancellationToken,
    ) {
        let offered: Arc<[Alpn]> = (self.protocols.names().map(Alpn::Other))
            .chain(http.iter().flat_map(HttpService::protocols))
            .collect();
        let half_open = HalfOpenRegistry::new(limits.max_half_open);
        let shared = Arc::new(ListenerState {
            http,
            protocols: self.protocols,
            tls: tls.offering(&offered),
            offered,
            budgets: self.budgets,
            limits: Arc::new(limits),
            shutdown,
            abort: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        let accepting = accept(&self.socket, &half_open, &shared);
        shared.shutdown.run_until_cancelled(accepting).await;
        drop(self.socket);
        shared.tasks.close();
        let finish = async {
            shared.tasks.wait().await;
            shared.drain().await;
        };
        if timeout(shared.limits.drain, finish).await.is_err() {
            tracing::warn!("requests were still running when the shutdown timeout ended");
            shared.abort.cancel();
            shared.tasks.wait().await;
            // The tasks that the last requests left behind are nearly done.
            let _ = timeout(CLOSE_TIMEOUT, shared.drain()).await;
        }
    }
}

/// Accepts connections forever, each into a task of its own.
async fn accept(
    socket: &TcpListener,
    half_open: &Arc<HalfOpenRegistry>,
    shared: &Arc<ListenerState>,
) {
    let mut refusals = LogInterval::new(LOG_INTERVAL);
    loop {
        match socket.accept().await {
            Ok((stream, peer)) => {
                let peer = canonical(peer);
                let slot = half_open.admit(peer.ip());
                shared.tasks.spawn(connection_driver::run(
                    Arc::clone(shared),
                    stream,
                    peer,
                    slot,
                ));
            },
            Err(error) if is_client_error(&error) => {},
            Err(error) => {
                // Usually out of file descriptors: an unfinished handshake has one to give.
                if let Some(unlogged) = refusals.try_acquire(Instant::now()) {
                    tracing::warn!(%error, unlogged, "cannot accept connections");
                }
                half_open.evict();
                sleep(BACK_OFF).await;
            },
        }
    }
}

/// A socket for IPv6 may take in clients of IPv4. They are known by their own addresses, and not as if all of them
/// were of one network of IPv6.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

/// Reports whether an accept failed because the client went away.
fn is_client_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
