//! TLS listener: accepts connections, bounds the cost of each, and hands requests to a [`Service`].
//!
//! The listener knows nothing of routes. It is responsible for the transport: TLS with a client
//! certificate that is requested but not verified, HTTP/1.1 and HTTP/2, deadlines and sizes
//! ([`Limits`]), resources that clients share ([`Budgets`]), and a shutdown that lets running
//! requests finish. Start from [`Listener::bind`], [`ServerTls::new`] and an implementation of
//! [`Service`]; a closure from connection and request to a future of a [`ServiceResponse`] is one.
//!
//! Other protocols may share its port, or have it for themselves: clients ask for them by ALPN, and a
//! [`StreamService`] gets their connections after the handshake. A service may also take over a connection
//! of HTTP/1.1 by an [`Upgrade`].
//!
//! It refuses these requests itself, with a response from [`Service::refuse`], and closes the
//! connection:
//!
//! | Request | Response |
//! |---|---|
//! | head that is not HTTP | 400 |
//! | `Content-Length` that is no number, twice, or together with `Transfer-Encoding` | 400 |
//! | `Transfer-Encoding` that does not end in `chunked`, or in HTTP/1.0 | 400 |
//! | HTTP/1.1 without `Host`, or with two | 400 |
//! | head that is not complete in time (HTTP/1) | 408 |
//! | URI over 64 KiB | 414 |
//! | head over [`Limits::max_head_bytes`], more than [`Limits::max_headers`] headers | 431 |
//! | CONNECT or TRACE to which a service responds with success | 405, with an empty body |
//!
//! Characters in an HTTP/1 request target that should have been percent-encoded are treated as if
//! they were. In HTTP/2, a malformed request resets its stream (`PROTOCOL_ERROR`), and a head that
//! is too large gets an empty 431.
//!
//! A panic in a service becomes a 500 with an empty body and affects no other request.

mod accept;
mod activity;
mod body;
mod budget;
mod budgets;
mod catch_panic;
mod chunked;
mod connection;
mod connection_driver;
mod half_open;
mod handler;
mod head_memory;
mod http2_frames;
mod keep_alive;
mod limits;
mod plain_http;
mod protocol_tracker;
mod refusal;
mod request_head;
mod request_parser;
mod request_stream;
mod request_target;
mod stream_service;
mod tls;
mod tracked_body;
mod tracked_stream;
mod unread_responses;
mod upgrade;

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};

pub use accept::{ListenError, Listener, is_unsupported_family, listen};
pub use body::{Body, BodyError, Pace};
pub use budget::{Budget, Charge, Evictable};
pub use budgets::{Budgets, RequestBudget, RequestCharge, Upload};
pub use catch_panic::{PanicError, catch_panic};
pub use connection::{Alpn, Connection, TlsVersion};
pub use limits::{Http2Limits, Limits, Quota, Quotas};
pub use refusal::HeadRefusal;
pub use stream_service::{Greeting, StreamFuture, StreamService};
pub use tls::{ServerTls, TlsError};
pub use upgrade::Upgrade;

/// Shortest time between two lines of the log that strangers can cause.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Error of a response body that is streamed; the connection is closed.
pub type ResponseBodyError = Box<dyn Error + Send + Sync>;

/// Body of a response, complete or streamed.
pub type ResponseBody = UnsyncBoxBody<Bytes, ResponseBodyError>;

/// Response to one request.
pub type ServiceResponse = http::Response<ResponseBody>;

/// Future of a response.
pub type ResponseFuture = Pin<Box<dyn Future<Output = ServiceResponse> + Send>>;

/// Future of [`Service::drain`].
pub type DrainFuture<'s> = Pin<Box<dyn Future<Output = ()> + Send + 's>>;

/// Responds to the requests of all connections.
pub trait Service: Send + Sync + 'static {
    /// Starts responding to `request`, which arrived on `connection`.
    ///
    /// The future is dropped when the client goes away, so work that must not stop halfway belongs
    /// in a task of its own.
    fn call(&self, connection: &Arc<Connection>, request: http::Request<Body>) -> ResponseFuture;

    /// Responds to a request that is refused. The connection is closed afterwards.
    fn refuse(&self, _connection: &Connection, refusal: HeadRefusal) -> ServiceResponse {
        handler::empty_response(refusal.status())
    }

    /// Waits for tasks that outlive their requests; at shutdown the listener does so within
    /// [`Limits::drain`]. The default has no such tasks.
    fn drain(&self) -> DrainFuture<'_> {
        Box::pin(std::future::ready(()))
    }
}

impl<F, R> Service for F
where
    F: Fn(Arc<Connection>, http::Request<Body>) -> R + Send + Sync + 'static,
    R: Future<Output = ServiceResponse> + Send + 'static,
{
    fn call(&self, connection: &Arc<Connection>, request: http::Request<Body>) -> ResponseFuture {
        Box::pin(self(Arc::clone(connection), request))
    }
}

/// Creates a complete response body.
pub fn full_body(bytes: impl Into<Bytes>) -> ResponseBody {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}
