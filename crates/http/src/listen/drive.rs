//! Life of one connection: handshake, requests, end.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioIo, TokioTimer};
use portcullis_domain::peer::Peer;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::activity::{Activity, Overdue};
use super::budget::Charge;
use super::half_open::Place;
use super::handler::Handler;
use super::inbound::{Inbound, Pending};
use super::refusal::RefusedRequest;
use super::request_head::HeadLimits;
use super::request_parser::RequestParser;
use super::request_stream::RequestStream;
use super::stream::Watched;
use super::{Alpn, Budgets, Connection, Limits, ServerTls, Service, frames};

/// Time that a connection which is told to end is given to do so politely, and what given-up requests
/// leave behind to be done.
pub(super) const FAREWELL: Duration = Duration::from_secs(1);

/// What the connections of one listener share.
pub(super) struct Shared {
    /// What answers requests.
    pub(super) service: Arc<dyn Service>,
    /// TLS settings.
    pub(super) tls: Arc<ServerTls>,
    /// Bounds.
    pub(super) limits: Arc<Limits>,
    /// What all connections share.
    pub(super) budgets: Budgets,
    /// Set when no new requests are wanted.
    pub(super) shutdown: CancellationToken,
    /// Set when running requests are given up.
    pub(super) abort: CancellationToken,
    /// Every task of the listener.
    pub(super) tasks: TaskTracker,
}

type Stream = TokioIo<RequestStream<Watched<TlsStream<TcpStream>>>>;

/// Sees one accepted connection through to its end.
pub(super) async fn run(shared: Arc<Shared>, socket: TcpStream, peer: SocketAddr, place: Place) {
    let Ok(local) = socket.local_addr() else {
        return;
    };
    // Answers are written whole; waiting for more only delays them.
    let _ = socket.set_nodelay(true);
    let Some(stream) = handshake(&shared, socket, &place).await else {
        return;
    };
    place.finish();
    let connection = Arc::new(Connection::of(stream.get_ref().1, peer, local));
    // On the heap, so that an unfinished handshake does not carry the room for HTTP.
    match connection.alpn {
        Some(Alpn::Http2) => Box::pin(serve_http2(&shared, stream, connection)).await,
        Some(Alpn::Http11) | None => Box::pin(serve_http1(&shared, stream, connection)).await,
    }
}

/// Shakes hands within the deadline; without a result the connection is gone.
async fn handshake(
    shared: &Shared,
    socket: TcpStream,
    place: &Place,
) -> Option<TlsStream<TcpStream>> {
    let accept = TlsAcceptor::from(shared.tls.config()).accept(socket);
    tokio::select! {
        biased;
        () = shared.shutdown.cancelled() => None,
        () = place.evicted() => None,
        done = timeout(shared.limits.handshake, accept) => match done {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!(%error, "TLS handshake failed");
                None
            },
            Err(_) => None,
        },
    }
}

async fn serve_http1(shared: &Shared, stream: TlsStream<TcpStream>, connection: Arc<Connection>) {
    let (io, handler, open) = prepare(shared, stream, connection, Pending::HTTP1);
    let mut builder = http1::Builder::new();
    builder
        // The activity watches the head, and tells a slow one from an unused connection.
        .header_read_timeout(None)
        .max_buf_size(shared.limits.head_bytes())
        .max_header_size(shared.limits.head_bytes())
        .timer(TokioTimer::new());
    // The library keeps its default on the stack and any other figure on the heap.
    if shared.limits.max_headers != Limits::default().max_headers {
        builder.max_headers(shared.limits.max_headers);
    }
    let conn = builder.serve_connection(io, handler);
    drive(&Ends::of(shared), open.holder(), conn).await;
}

async fn serve_http2(shared: &Shared, stream: TlsStream<TcpStream>, connection: Arc<Connection>) {
    let (io, handler, open) = prepare(shared, stream, connection, Pending::HTTP2);
    let limits = &shared.limits.http2;
    let ends = Ends::of(shared);
    let executor = Streams {
        tasks: shared.tasks.clone(),
        abort: ends.abort.clone(),
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
    drive(&ends, open.holder(), conn).await;
}

/// Puts a connection's parts together, and has it counted as long as the charge lasts.
fn prepare(
    shared: &Shared,
    stream: TlsStream<TcpStream>,
    connection: Arc<Connection>,
    pending: Pending,
) -> (Stream, Handler, Charge<Arc<Activity>>) {
    let (budgets, peer) = (&shared.budgets, Peer::at(connection.peer.ip()));
    let activity = Activity::new(Arc::clone(&shared.limits), pending, budgets, peer);
    let open = budgets.connections.admit(peer, Arc::clone(&activity), 1);
    let watched = Watched::new(stream, Arc::clone(&activity), shared.limits.linger);
    let refused = Arc::new(RefusedRequest::default());
    let inbound = if pending.is_http2() {
        Inbound::Http2(frames::Scanner::new())
    } else {
        let limits = HeadLimits::of(&shared.limits);
        Inbound::Http1(RequestParser::new(limits, Arc::clone(&refused)))
    };
    let stream = RequestStream::new(watched, Arc::clone(&activity), inbound);
    let handler = Handler {
        service: Arc::clone(&shared.service),
        connection,
        activity,
        refused,
    };
    (TokioIo::new(stream), handler, open)
}

/// The ends of the listener, as one connection hears of them. Whenever it has work it looks at them,
/// and those of the listener itself are behind locks that all connections share.
struct Ends {
    shutdown: CancellationToken,
    abort: CancellationToken,
}

impl Ends {
    fn of(shared: &Shared) -> Self {
        Self {
            shutdown: shared.shutdown.child_token(),
            abort: shared.abort.child_token(),
        }
    }
}

/// Runs a connection until it ends, is told to end and does not, or is given up.
async fn drive(ends: &Ends, activity: &Activity, mut conn: impl Protocol) {
    let mut is_ending = false;
    let mut give_up = None;
    loop {
        tokio::select! {
            done = poll_fn(|cx| conn.poll_done(cx)) => {
                if let Err(error) = done {
                    tracing::debug!(%error, "connection ended early");
                }
                return;
            },
            () = ends.shutdown.cancelled(), if !is_ending => {
                is_ending = true;
                conn.wind_down();
            },
            why = activity.overdue(), if give_up.is_none() => {
                tracing::debug!(?why, "connection closed");
                if why.is_of_the_reader() {
                    return;
                }
                is_ending = true;
                // The answer to a late head ends the connection by itself.
                if why != Overdue::Head || !activity.refuse_head() {
                    conn.wind_down();
                }
                give_up = Some(Instant::now() + FAREWELL);
            },
            () = sleep_until(give_up.unwrap_or_else(Instant::now)), if give_up.is_some() => {
                // A request that came in at the last moment is still answered.
                if !activity.is_running() {
                    return;
                }
                give_up = None;
            },
            () = activity.evicted() => {
                tracing::debug!("connection closed to make room for others");
                return;
            },
            () = ends.abort.cancelled() => return,
        }
    }
}

/// A connection of either version of HTTP.
trait Protocol {
    /// Drives it; ready when it has ended.
    fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<hyper::Result<()>>;

    /// Tells it to end after the running requests.
    fn wind_down(&mut self);
}

impl Protocol for http1::Connection<Stream, Handler> {
    fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        Pin::new(self).poll(cx)
    }

    fn wind_down(&mut self) {
        Pin::new(self).graceful_shutdown();
    }
}

impl Protocol for http2::Connection<Stream, Handler, Streams> {
    fn poll_done(&mut self, cx: &mut Context<'_>) -> Poll<hyper::Result<()>> {
        Pin::new(self).poll(cx)
    }

    fn wind_down(&mut self) {
        Pin::new(self).graceful_shutdown();
    }
}

/// Runs HTTP/2 streams as tasks of the listener.
#[derive(Clone)]
struct Streams {
    tasks: TaskTracker,
    abort: CancellationToken,
}

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        self.tasks
            .spawn(self.abort.clone().run_until_cancelled_owned(stream));
    }
}
