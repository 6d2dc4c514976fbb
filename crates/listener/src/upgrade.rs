//! Connections that become something else than HTTP, such as a `WebSocket` (RFC 9110, section 7.8).

use std::fmt;
use std::sync::Arc;

use hyper::upgrade::OnUpgrade;
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::stream_service::StreamFuture;

type Serve = Box<dyn FnOnce(TlsStream<TcpStream>, CancellationToken) -> StreamFuture + Send>;

/// What serves a connection after a 101: a service puts it into the extensions of that response. It works
/// for requests of HTTP/1.1 with the header `Upgrade`; with others, the response becomes a 500.
///
/// The connection stays one of the listener's, and counts as busy. The future is dropped when the
/// connection has to make room for others, and when the listener's time to shut down is over; the token
/// says that the shutdown begins. What is written and not read is for the future to limit.
#[derive(Clone)]
pub struct Upgrade {
    serve: Arc<Mutex<Option<Serve>>>,
}

impl Upgrade {
    pub fn new(
        serve: impl FnOnce(TlsStream<TcpStream>, CancellationToken) -> StreamFuture + Send + 'static,
    ) -> Self {
        Self {
            serve: Arc::new(Mutex::new(Some(Box::new(serve)))),
        }
    }
}

impl fmt::Debug for Upgrade {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Upgrade").finish_non_exhaustive()
    }
}

/// An upgrade of a connection whose 101 is on its way.
pub(crate) struct AcceptedUpgrade {
    pub(crate) connection: OnUpgrade,
    pub(crate) serve: Serve,
}

/// The upgrade of one connection, if there is one.
#[derive(Clone, Default)]
pub(crate) struct UpgradeSlot(Arc<Mutex<Option<AcceptedUpgrade>>>);

impl UpgradeSlot {
    /// Accepts an upgrade; false if the client has not asked for one, or it was accepted before.
    pub(crate) fn accept(&self, asked: Option<OnUpgrade>, upgrade: &Upgrade) -> bool {
        let accepted = asked.and_then(|connection| {
            let serve = upgrade.serve.lock().take()?;
            Some(AcceptedUpgrade { connection, serve })
        });
        let is_accepted = accepted.is_some();
        *self.0.lock() = accepted;
        is_accepted
    }

    pub(crate) fn take(&self) -> Option<AcceptedUpgrade> {
        self.0.lock().take()
    }
}
