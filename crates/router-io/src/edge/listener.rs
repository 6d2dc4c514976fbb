//! Where SDKs connect.

use std::sync::Arc;

use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, QueueLimits};
use portcullis_listener::{Connection, DrainFuture, Greeting, StreamFuture, StreamService};
use portcullis_router::edge::{EdgeLimits, EdgeListenerSettings};
use portcullis_transport::{Incoming, Stream, Transport, TransportLimits};
use portcullis_wire::edge::SdkHello;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::login::{self, ListenerTerms};

/// ALPN name of what SDKs speak; SDKs in Go send none.
pub(crate) const PROTOCOL: &str = "ziti-edge";

/// Lets SDKs in that connect to one listener.
#[derive(Clone)]
pub(super) struct SdkListener {
    shared: Arc<Shared>,
    hello_time: std::time::Duration,
    terms: ListenerTerms,
}

impl SdkListener {
    pub(super) fn new(shared: Arc<Shared>, settings: &EdgeListenerSettings) -> Self {
        let default = TransportLimits::default();
        let limits = TransportLimits {
            stall: settings.write_time.unwrap_or(default.stall),
            ..default
        };
        let options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Listener);
        let queue = QueueLimits {
            frames: settings
                .queue_frames
                .unwrap_or(options.default_queue.frames),
            ..options.default_queue
        };
        let terms = ListenerTerms {
            transport: Transport::new(shared.clock.of_channels(), limits)
                .observed(shared.observer.clone()),
            options: ChannelOptions {
                default_queue: queue,
                ..options
            },
            limits: EdgeLimits {
                circuit_time: settings.circuit_time,
                ..shared.limits
            },
            end_options: Arc::new(settings.end_options),
        };
        Self {
            shared,
            hello_time: settings.hello_time,
            terms,
        }
    }

    /// Serves what may bring a client. Nobody knows who it is until it is admitted: until then its connection
    /// gives way to others, which ends with `admitted`.
    pub(super) async fn serve_stream(
        &self,
        connection: Arc<Connection>,
        stream: impl Stream,
        admitted: impl FnOnce() + Send,
    ) {
        let (shared, terms) = (&self.shared, &self.terms);
        let deadline = Instant::now() + self.hello_time;
        let incoming = match Incoming::read(stream, deadline).await {
            Ok(incoming) => incoming,
            Err(error) => {
                tracing::debug!(peer = %connection.peer, %error, "a connection is closed: it brings no client");
                return;
            },
        };
        let hello = SdkHello::from_headers(&incoming.hello().headers);
        match login::admit(shared, &connection, hello).await {
            Ok(client) => {
                admitted();
                login::enter(shared, terms, connection, incoming, client).await;
            },
            Err(denial) => login::refuse(shared, &connection, incoming, denial).await,
        }
    }
}

impl StreamService for SdkListener {
    fn serve(
        &self,
        connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        greeting: Greeting,
        shutdown: CancellationToken,
    ) -> StreamFuture {
        let sdks = self.clone();
        Box::pin(async move {
            let serving = sdks.serve_stream(connection, stream, || greeting.finish());
            shutdown.run_until_cancelled(Box::pin(serving)).await;
        })
    }

    fn drain(&self) -> DrainFuture<'_> {
        Box::pin(self.shared.wait_for_clients())
    }
}
