//! Where SDKs in browsers connect: a connection of TLS within the binary messages of a WebSocket, which is itself
//! within TLS.
//!
//! The outer TLS is that of a web server: its client is a browser, which shows no certificate. The inner one is that
//! of any other SDK.

mod admission_quota;
pub(super) mod message_stream;

use std::io;
use std::sync::Arc;

use http::StatusCode;
use portcullis_listener::{Connection, DrainFuture, Greeting, StreamFuture, StreamService};
use portcullis_router::edge::WebSocketSettings;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::accept_hdr_async_with_config;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_util::sync::CancellationToken;

use super::listener::SdkListener;
use crate::tls::Tls;

use self::admission_quota::{Admission, AdmissionQuota, UNADMITTED};
use self::message_stream::MessageStream;

/// ALPN name of what they are spoken over.
pub(super) const PROTOCOL: &str = "http/1.1";

/// Where they are to be found.
const PATH: &str = "/ws";

/// Longest message. SDKs write a record of TLS, some 16 KiB, or a few at a time.
const MAX_MESSAGE: usize = 1024 * 1024;

/// Least size of buffers; smaller ones would only cost time.
const LEAST_BUFFER: usize = 1024;

/// Lets SDKs in that connect by a `WebSocket` to one listener.
pub(super) struct WebSocketListener {
    sdks: SdkListener,
    tls: Arc<Tls>,
    settings: WebSocketSettings,
}

type Outer = AdmissionQuota<TlsStream<TcpStream>>;
type Opened = (TlsStream<MessageStream<Outer>>, Connection);

impl WebSocketListener {
    pub(super) const fn new(sdks: SdkListener, tls: Arc<Tls>, settings: WebSocketSettings) -> Self {
        Self {
            sdks,
            tls,
            settings,
        }
    }
}

impl StreamService for WebSocketListener {
    fn serve(
        &self,
        connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        greeting: Greeting,
        shutdown: CancellationToken,
    ) -> StreamFuture {
        let (sdks, tls, settings) = (self.sdks.clone(), Arc::clone(&self.tls), self.settings);
        Box::pin(async move {
            let serving = async {
                let admission = Admission::default();
                let stream = AdmissionQuota::new(stream, UNADMITTED, admission.clone());
                let opening = open(&tls, &connection, stream, &settings);
                let opened = timeout(settings.handshake_time, opening).await;
                match opened.unwrap_or_else(|_elapsed| Err(io::ErrorKind::TimedOut.into())) {
                    Ok((stream, inner)) => {
                        let admitted = move || {
                            greeting.finish();
                            admission.grant();
                        };
                        let serving = sdks.serve_stream(Arc::new(inner), stream, admitted);
                        Box::pin(serving).await;
                    },
                    Err(error) => {
                        tracing::debug!(peer = %connection.peer, %error, "a connection is closed: it becomes no WebSocket of a client");
                    },
                }
            };
            shutdown.run_until_cancelled(Box::pin(serving)).await;
        })
    }

    fn drain(&self) -> DrainFuture<'_> {
        self.sdks.drain()
    }
}

/// Opens the WebSocket, and TLS within it.
async fn open(
    tls: &Tls,
    connection: &Connection,
    stream: Outer,
    settings: &WebSocketSettings,
) -> io::Result<Opened> {
    let config = WebSocketConfig::default()
        .read_buffer_size(settings.read_buffer.max(LEAST_BUFFER))
        .write_buffer_size(settings.write_buffer.max(LEAST_BUFFER))
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    let socket = accept_hdr_async_with_config(stream, find, Some(config)).await;
    let socket = socket.map_err(io::Error::other)?;
    let stream = MessageStream::new(socket, settings.ping_interval, settings.pong_time);
    tls.server().accept_within(stream, connection).await
}

/// Whether a request is for what is served here.
#[expect(
    clippy::result_large_err,
    reason = "it is the answer that the crate wants to be given"
)]
fn find(request: &Request, response: Response) -> Result<Response, ErrorResponse> {
    if request.uri().path() == PATH {
        return Ok(response);
    }
    let mut refusal = ErrorResponse::new(None);
    *refusal.status_mut() = StatusCode::NOT_FOUND;
    Err(refusal)
}
