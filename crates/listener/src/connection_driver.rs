//! Connection driver: handshake, requests, shutdown.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper::upgrade::Upgraded;
use hyper_util::rt::{TokioIo, TokioTimer};
use portcullis_domain::peer::Peer;
use rustls::ServerConfig;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::accept::canonical;
use crate::activity::{Activity, Overdue};
use crate::budget::Charge;
use crate::half_open::HandshakeSlot;
use crate::handler::Handler;
use crate::protocol_tracker::{PendingInput, ProtocolTracker};
use crate::refusal::RefusedRequest;
use crate::request_head::HeadLimits;
use crate::request_parser::RequestParser;
use crate::request_stream::RequestStream;
use crate::stream_service::{Greeting, StreamService, StreamServices};
use crate::tracked_stream::TrackedStream;
use crate::upgrade::{AcceptedUpgrade, UpgradeSlot};
use crate::{Alpn, Budgets, Connection, Limits, Service, http2_frames, keep_alive, plain_http};

/// Time for a connection to close gracefully, and for tasks of abandoned requests to end.
pub(crate) const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// State that the connections of one listener share.
pub(crate) struct ListenerState {
    /// None if no HTTP is served.
    pub(crate) http: Option<HttpService>,
    pub(crate) protocols: StreamServices,
    pub(crate) tls: Arc<ServerConfig>,
    /// Protocols that `tls` offers.
    pub(crate) offered: Arc<[Alpn]>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) budgets: Budgets,
    /// Cancelled when no new requests are accepted.
    pub(crate) shutdown: CancellationToken,
    /// Cancelled when running requests are aborted.
    pub(crate) abort: CancellationToken,
    /// All tasks of the listener.
    pub(crate) tasks: TaskTracker,
}

/// A service, and the versions of HTTP that it is served by.
pub(crate) struct HttpService {
    service: Arc<dyn Service>,
    /// A function that programs without HTTP/2 do not refer to, so that they are linked without all that it needs.
    serve_http2: Option<ServeHttp2>,
}

type ServeHttp2 = for<'c> fn(
    &'c ListenerState,
    &'c Arc<dyn Service>,
    TlsStream<TcpStream>,
    Arc<Connection>,
) -> Pin<Box<dyn Future<Output = ()> + Send + 'c>>;

impl HttpService {
    pub(crate) fn http1(service: Arc<dyn Service>) -> Self {
        Self {
            service,
            serve_http2: None,
        }
    }

    pub(crate) fn http1_and_http2(service: Arc<dyn Service>) -> Self {
        Self {
            service,
            serve_http2: Some(|shared, http, stream, connection| {
                Box::pin(serve_http2(shared, http, stream, connection))
            }),
        }
    }

    /// The versions on offer, the preferred one first.
    pub(crate) fn protocols(&self) -> impl Iterator<Item = Alpn> {
        let http2 = self.serve_http2.map(|_| Alpn::Http2);
        [Alpn::Http11].into_iter().chain(http2)
    }
}

impl ListenerState {
    /// Waits for tasks that outlive their connections.
    pub(crate) async fn drain(&self) {
        if let Some(http) = &self.http {
            http.service.drain().await;
        }
        self.protocols.drain().await;
    }
}

type Stream = TokioIo<RequestStream<TrackedStream<TlsStream<TcpStream>>>>;

/// Serves one accepted connection to its end.
pub(crate) async fn run(
    shared: Arc<ListenerState>,
    socket: TcpStream,
    peer: SocketAddr,
    slot: HandshakeSlot,
) {
    let Ok(local) = socket.local_addr().map(canonical) else {
        return;
    };
    // Responses are written in one go; waiting for more only delays them.
    let _ = socket.set_nodelay(true);
    let Some(stream) = handshake(&shared, socket, &slot).await else {
        return;
    };
    let tls = stream.get_ref().1;
    let connection = Connection::from_handshake(tls, &shared.offered, peer, local);
    let connection = Arc::new(connection);
    if let Some(Alpn::Other(protocol)) = connection.alpn {
        if let Some(service) = shared.protocols.get(protocol) {
            serve_protocol(&shared, service, stream, connection, slot).await;
        }
        return;
    }
    let Some(http) = &shared.http else {
        if let Some(service) = shared.protocols.unasked() {
            serve_protocol(&shared, service, stream, connection, slot).await;
        } else {
            tracing::debug!("connection closed: it asks for no protocol");
        }
        return;
    };
    slot.finish();
    // On the heap, so that an unfinished handshake does not reserve the memory for HTTP.
    let service = &http.service;
    match (connection.alpn, http.serve_http2) {
        (Some(Alpn::Http2), Some(serve)) => serve(&shared, service, stream, connection).await,
        _ => Box::pin(serve_http1(&shared, service, stream, connection)).await,
    }
}

/// Serves a connection of another protocol than HTTP.
async fn serve_protocol(
    shared: &ListenerState,
    service: &Arc<dyn StreamService>,
    stream: TlsStream<TcpStream>,
    connection: Arc<Connection>,
    slot: HandshakeSlot,
) {
    if let Err(error) = keep_alive::enable(stream.get_ref().0) {
        tracing::debug!(%error, "no keep-alive for a connection");
    }
    let evicted = slot.evicted();
    let signals = StopSignals::child_of(shared);
    let greeting = Greeting::new(slot);
    let serving = service.serve(connection, stream, greeting, signals.shutdown);
    tokio::select! {
        biased;
        () = serving => {},
        () = evicted => {},
        () = signals.abort.cancelled() => {},
    }
}

/// Performs the handshake within the deadline; `None` if the connection is gone.
async fn handshake(
    shared: &ListenerState,
    socket: TcpStream,
    slot: &HandshakeSlot,
) -> Option<TlsStream<TcpStream>> {
    let acceptor = TlsAcceptor::from(Arc::clone(&shared.tls));
    let accept = async {
        if plain_http::is_plain_http(&socket).await {
            plain_http::refuse(socket).await;
            return Ok(None);
        }
        acceptor.accept(socket).await.map(Some)
    };
    tokio::select! {
        biased;
        () = shared.shutdown.cancelled() => None,
        () = slot.evicted() => None,
        done = timeout(shared.limits.handshake, accept) => match done {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                tracing::debug!(%error, "TLS handshake failed");
                None
            },
            Err(_) => None,
        },
    }
}

async fn serve_http1(
    shared: &ListenerState,
    http: &Arc<dyn Service>,
    stream: TlsStream<TcpStream>,
    connection: Arc<Connection>,
) {
    let (io, handler, charge) = prepare(shared, http, stream, connection, PendingInput::HTTP1);
    let mut builder = http1::Builder::new();
    builder
        // The activity times the head, and tells a slow one from an idle connection.
        .header_read_timeout(None)
        .max_buf_size(shared.limits.head_bytes())
        .max_header_size(shared.limits.head_bytes())
        .timer(TokioTimer::new());
    // Hyper keeps its default on the stack and any other number on the heap.
    if shared.limits.max_headers != Limits::default().max_headers {
        builder.max_headers(shared.limits.max_headers);
    }
    let upgrade = handler.upgrade.clone();
    let signals = StopSignals::child_of(shared);
    let conn = builder.serve_connection(io, handler).with_upgrades();
    drive(&signals, charge.holder(), conn).await;
    if let Some(accepted) = upgrade.take() {
        Box::pin(serve_upgraded(signals, charge.holder(), accepted)).await;
    }
}

/// Serves a connection after its 101. It is still charged, and may be closed to make room for others.
async fn serve_upgraded(signals: StopSignals, activity: &Arc<Activity>, accepted: AcceptedUpgrade) {
    // Fails if the connection ended with its 101.
    let Ok(upgraded) = accepted.connection.await else {
        return;
    };
    let Some(stream) = plain_stream(upgraded) else {
        tracing::debug!("connection closed: the client did not wait for its upgrade");
        return;
    };
    if let Err(error) = keep_alive::enable(stream.get_ref().0) {
        tracing::debug!(%error, "no keep-alive for a connection");
    }
    let _busy = activity.begin_request(0);
    let serving = (accepted.serve)(stream, signals.shutdown);
    tokio::select! {
        biased;
        () = serving => {},
        () = activity.evicted() => {
            tracing::debug!("connection closed to make room for others");
        },
        () = signals.abort.cancelled() => {},
    }
}

/// The stream of a connection that was upgraded; `None` if the client has sent more than its request, which
/// it may not before it has the answer (RFC 6455, section 4.1).
fn plain_stream(upgraded: Upgraded) -> Option<TlsStream<TcpStream>> {
    let parts = upgraded.downcast::<Stream>().ok()?;
    if !parts.read_buf.is_empty() {
        return None;
    }
    let tracked = parts.io.into_inner().into_inner()?;
    Some(tracked.into_inner())
}

async fn serve_http2(
    shared: &ListenerState,
    http: &Arc<dyn Service>,
    stream: TlsStream<TcpStream>,
    connection: Arc<Connection>,
) {
    let (io, handler, charge) = prepare(shared, http, stream, connection, PendingInput::HTTP2);
    let limits = &shared.limits.http2;
    let signals = StopSignals::child_of(shared);
    let executor = StreamExecutor {
        tasks: shared.tasks.clone(),
        abort: signals.abort.clone(),
    };
    let conn = http2::Builder::new(executor)
        .max_concurrent_streams(limits.max_streams)
        .initial_stream_window_size(limits.stream_window)
        .initial_connection_window_size(limits.connection_window)
        .max_header_list_size(u32::try_from(shared.limits.head_bytes()).unwrap_or(u32::MAX))
        .max_pending_accept_reset_streams(limits.max_reset_streams)
        .max_local_error_reset_streams(limits.max_faulty_streams)
        .max_send_buf_size(64 * 1024)
        .keep_alive_interval(limits.ping_interval)
        .keep_alive_timeout(limits.ping_timeout)
        .timer(TokioTimer::new())
        .serve_connection(io, handler);
    drive(&signals, charge.holder(), conn).await;
}

/// Assembles the parts of a connection, which is counted for as long as the charge lives.
fn prepare(
    shared: &ListenerState,
    http: &Arc<dyn Service>,
    stream: TlsStream<TcpStream>,
    connection: Arc<Connection>,
    pending: PendingInput,
) -> (Stream, Handler, Charge<Arc<Activity>>) {
    let (budgets, peer) = (&shared.budgets, Peer::from_address(connection.peer.ip()));
    let activity = Activity::new(Arc::clone(&shared.limits), pending, budgets, peer);
    let charge = budgets.connections.admit(peer, Arc::clone(&activity), 1);
    let counted = TrackedStream::new(stream, Arc::clone(&activity), shared.limits.linger);
    let refused = Arc::new(RefusedRequest::default());
    let tracker = if pending.is_http2() {
        ProtocolTracker::Http2(http2_frames::FrameScanner::new())
    } else {
        let limits = HeadLimits::from_limits(&shared.limits);
        ProtocolTracker::Http1(RequestParser::new(limits, Arc::clone(&refused)))
    };
    let stream = RequestStream::new(counted, Arc::clone(&activity), tracker);
    let handler = Handler {
        service: Arc::clone(http),
        connection,
        activity,
        refused,
        upgrade: UpgradeSlot::default(),
    };
    (TokioIo::new(stream), handler, charge)
}

/// The listener's stop signals, as child tokens of one connection. It polls them whenever it has
/// work, and those of the listener are behind locks that all connections share.
struct StopSignals {
    shutdown: CancellationToken,
    abort: CancellationToken,
}

impl StopSignals {
    fn child_of(shared: &ListenerState) -> Self {
        Self {
            shutdown: shared.shutdown.child_token(),
            abort: shared.abort.child_token(),
        }
    }
}

/// Runs a connection until it ends, is told to end and does not, or is aborted.
async fn drive(signals: &StopSignals, activity: &Activity, mut conn: impl HttpConnection) {
    let mut is_ending = false;
    let mut abort_at = None;
    loop {
        tokio::select! {
            done = poll_fn(|cx| conn.poll_done(cx)) => {
                if let Err(error) = done {
                    tracing::debug!(%error, "connection ended early");
                }
                return;
            },
            () = signals.shutdown.cancelled(), if !is_ending => {
                is_ending = true;
                conn.start_shutdown();
            },
            why = activity.overdue(), if abort_at.is_none() => {
                tracing::debug!(?why, "connection closed");
                if why.is_read_stall() {
                    return;
                }
                is_ending = true;
                // The response to a late head ends the connection by itself.
                if why != Overdue::Head || !activity.refuse_head() {
                    conn.start_shutdown();
                }
                abort_at = Some(Instant::now() + CLOSE_TIMEOUT);
            },
            () = sleep_until(abort_at.unwrap_or_else(Instant::now)), if abort_at.is_some() => {
                // A request that arrived at the last moment is still answered.
                if !activity.is_running() {
                    return;
                }
                abort_at = None;
            },
            () = activity.evicted() => {
                tracing::debug!("connection closed to make room for others");
                return;
            },
            () = signals.abort.cancelled() => return,
        }
    }
}

/// A connection of either version of HTTP.
trait HttpConnection {
    /// Polls it; ready when it has ended.
    fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<hyper::Result<()>>;

    /// Lets it end after the running requests.
    fn start_shutdown(&mut self);
}

impl HttpConnection for http1::UpgradeableConnection<Stream, Handler> {
    fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        Pin::new(self).poll(cx)
    }

    fn start_shutdown(&mut self) {
        Pin::new(self).graceful_shutdown();
    }
}

impl HttpConnection for http2::Connection<Stream, Handler, StreamExecutor> {
    fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        Pin::new(self).poll(cx)
    }

    fn start_shutdown(&mut self) {
        Pin::new(self).graceful_shutdown();
    }
}

/// Runs HTTP/2 streams as tasks of the listener.
#[derive(Clone)]
struct StreamExecutor {
    tasks: TaskTracker,
    abort: CancellationToken,
}

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for StreamExecutor {
    fn execute(&self, stream: F) {
        self.tasks
            .spawn(self.abort.clone().run_until_cancelled_owned(stream));
    }
}
