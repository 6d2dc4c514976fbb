//! Links that other routers dial, out of a listener.

use std::sync::Arc;

use portcullis_listener::{Connection, Greeting, StreamFuture, StreamService};
use portcullis_router::links::LinkListener;
use portcullis_transport::Incoming;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::links::LINK_ALPN;
use crate::links::manager::LinkManager;
use crate::listeners::{Protocol, Unasked};

/// Serves one entry of `link.listeners`.
pub(super) struct LinkService {
    manager: Arc<LinkManager>,
    listener: Arc<LinkListener>,
}

impl LinkService {
    /// As a protocol that may share its port with others.
    pub(super) fn protocol(manager: Arc<LinkManager>, listener: Arc<LinkListener>) -> Protocol {
        Protocol {
            alpn: LINK_ALPN,
            unasked: Unasked::Never,
            wants_certificates: true,
            max_unknown: listener.max_unknown,
            service: Arc::new(Self { manager, listener }),
        }
    }
}

impl StreamService for LinkService {
    fn serve(
        &self,
        connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        greeting: Greeting,
        shutdown: CancellationToken,
    ) -> StreamFuture {
        let (manager, listener) = (Arc::clone(&self.manager), Arc::clone(&self.listener));
        let deadline = Instant::now() + listener.connect_timeout;
        Box::pin(async move {
            let reading = Incoming::read(stream, deadline);
            match shutdown.run_until_cancelled(reading).await {
                Some(Ok(incoming)) => {
                    let accepting = manager.accept(&listener, &connection, incoming, greeting);
                    Box::pin(shutdown.run_until_cancelled(accepting)).await;
                },
                Some(Err(error)) => {
                    tracing::debug!(peer = %connection.peer, %error, "a link was not accepted");
                },
                None => {},
            }
        })
    }
}
