//! Protocols other than HTTP on the same port.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::half_open::HandshakeSlot;
use crate::{Connection, DrainFuture};

/// Future of [`StreamService::serve`].
pub type StreamFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Serves the connections of a protocol that clients ask for by ALPN, or need not ask for.
///
/// Only the limits of the handshake hold for such a connection, and the tasks of the listener include
/// it. Quotas of HTTP do not count it: the service knows its peers better.
pub trait StreamService: Send + Sync + 'static {
    /// Serves a connection after its handshake. The client's certificates are not verified.
    ///
    /// The future is dropped when the [`Greeting`] is evicted, and when the listener's time to
    /// shut down is over; `shutdown` says that it begins.
    fn serve(
        &self,
        connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        greeting: Greeting,
        shutdown: CancellationToken,
    ) -> StreamFuture;

    /// Waits for tasks that outlive their connections' futures; at shutdown the listener does so
    /// within [`Limits::drain`](crate::Limits::drain). The default has no such tasks.
    fn drain(&self) -> DrainFuture<'_> {
        Box::pin(std::future::ready(()))
    }
}

/// The phase of a connection in which nobody knows yet who it is. It counts as an unfinished
/// handshake, so it is closed when there are too many of these
/// ([`Limits::max_half_open`](crate::Limits::max_half_open)).
#[derive(Debug)]
#[must_use = "finish it once the peer has said what was expected"]
pub struct Greeting {
    slot: HandshakeSlot,
}

impl Greeting {
    pub(crate) fn new(slot: HandshakeSlot) -> Self {
        Self { slot }
    }

    /// Ends the phase: the peer has said what was expected.
    pub fn finish(self) {
        self.slot.finish();
    }
}

/// The services of a listener besides HTTP.
#[derive(Clone, Default)]
pub(crate) struct StreamServices {
    /// By the ALPN name of their protocol.
    named: Vec<(&'static str, Arc<dyn StreamService>)>,
    /// For clients that ask for no protocol, where there is no HTTP.
    unasked: Option<Arc<dyn StreamService>>,
}

impl StreamServices {
    pub(crate) fn add(&mut self, name: &'static str, service: Arc<dyn StreamService>) {
        self.named.push((name, service));
    }

    pub(crate) fn set_unasked(&mut self, service: Arc<dyn StreamService>) {
        self.unasked = Some(service);
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.named.iter().map(|(name, _)| *name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn StreamService>> {
        let found = self.named.iter().find(|(known, _)| *known == name);
        found.map(|(_, service)| service)
    }

    pub(crate) const fn unasked(&self) -> Option<&Arc<dyn StreamService>> {
        self.unasked.as_ref()
    }

    pub(crate) async fn drain(&self) {
        let named = self.named.iter().map(|(_, service)| service);
        for service in named.chain(&self.unasked) {
            service.drain().await;
        }
    }
}

impl fmt::Debug for StreamServices {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.names()).finish()
    }
}
