//! TLS listener: accepts connections, bounds what each may cost, and hands requests to a [`Service`].
//!
//! The listener knows nothing of routes. It answers for the transport: TLS with a client
//! certificate that is asked for and never judged, HTTP/1.1 and HTTP/2, deadlines and sizes
//! ([`Limits`]), what clients share ([`Budgets`]), and a shutdown that lets running requests finish. Start from [`Listener::bind`],
//! [`ServerTls::new`] and an implementation of [`Service`]; a closure from connection and request to
//! a future of an [`Answer`] is one.
//!
//! What it refuses on its own, in the words of [`Service::refuse`] and with a closed connection:
//!
//! | Request | Answer |
//! |---|---|
//! | head that is not HTTP, differing `Content-Length` headers | 400 |
//! | `Content-Length` twice or beside `Transfer-Encoding` | 400 |
//! | HTTP/1.1 without `Host`, or with two | 400 |
//! | head that is not complete in time (HTTP/1) | 408 |
//! | URI over 64 KiB | 414 |
//! | head over [`Limits::max_head_bytes`], more than [`Limits::max_headers`] headers | 431 |
//! | CONNECT or TRACE that a service would let succeed | 405, with an empty body |
//!
//! Characters in the target of an HTTP/1 request that should have been percent-encoded are taken as
//! if they were. HTTP/2 has neither: there a malformed request is a stream that is reset
//! (`PROTOCOL_ERROR`), and a head that is too large an empty 431.
//!
//! A panic in a service becomes a 500 with an empty body and touches no other request.

mod accept;
mod activity;
mod body;
mod budget;
mod budgets;
mod chunked;
mod connection;
mod drive;
mod frames;
mod half_open;
mod handler;
mod head_memory;
mod inbound;
mod limits;
mod log_interval;
mod refusal;
mod request_head;
mod request_parser;
mod request_stream;
mod request_target;
mod shield;
mod stream;
mod tls;
mod tracked;
mod unread;

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};

pub use self::accept::{ListenError, Listener};
pub use self::body::{Body, BodyError, Pace};
pub(crate) use self::budget::{Budget, Holder};
pub use self::budgets::Budgets;
pub(crate) use self::budgets::RequestCharge;
pub use self::connection::{Alpn, Connection, TlsVersion};
pub use self::limits::{Http2Limits, Limits, Quota, Quotas};
pub use self::refusal::Refusal;
pub(crate) use self::shield::shielded;
pub use self::tls::{ServerTls, TlsError};

/// Fault of a body that is produced while it is being sent; the connection is broken off.
pub type AnswerError = Box<dyn Error + Send + Sync>;

/// Body of an answer, whole or streamed.
pub type AnswerBody = UnsyncBoxBody<Bytes, AnswerError>;

/// Answer to one request.
pub type Answer = http::Response<AnswerBody>;

/// An answer being worked out.
pub type Answering = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Work being waited for.
pub type Settling<'s> = Pin<Box<dyn Future<Output = ()> + Send + 's>>;

/// Answers the requests of all connections.
pub trait Service: Send + Sync + 'static {
    /// Starts answering `request`, which arrived on `connection`.
    ///
    /// The future is dropped when the client goes away, so work that must not stop halfway belongs
    /// in a task of its own.
    fn call(&self, connection: &Arc<Connection>, request: http::Request<Body>) -> Answering;

    /// Answers a request that cannot be understood. The connection is closed after it.
    fn refuse(&self, _connection: &Connection, refusal: Refusal) -> Answer {
        handler::bare(refusal.status())
    }

    /// Waits until tasks that outlive their requests have ended; at shutdown the listener does so
    /// within [`Limits::drain`]. A service without such tasks has nothing to wait for.
    fn settled(&self) -> Settling<'_> {
        Box::pin(std::future::ready(()))
    }
}

impl<F, R> Service for F
where
    F: Fn(Arc<Connection>, http::Request<Body>) -> R + Send + Sync + 'static,
    R: Future<Output = Answer> + Send + 'static,
{
    fn call(&self, connection: &Arc<Connection>, request: http::Request<Body>) -> Answering {
        Box::pin(self(Arc::clone(connection), request))
    }
}

/// Makes the body of an answer from bytes at hand.
pub fn whole(bytes: impl Into<Bytes>) -> AnswerBody {
    Full::new(bytes.into())
        .map_err(|never| match never {})
        .boxed_unsync()
}
