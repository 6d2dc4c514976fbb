//! Connections to a controller and the pool of idle ones.

use crate::error::{ClientError, PeerCertificateError};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use rustls::ClientConfig;
use rustls_pki_types::{CertificateDer, ServerName};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

/// Maximum number of idle connections.
const MAX_IDLE: usize = 64;

/// Request side of an HTTP/1 connection, which carries one request at a time.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// Connects to one controller and pools idle connections.
pub(crate) struct Connector {
    url: Url,
    host: Host<String>,
    port: u16,
    name: ServerName<'static>,
    tls: TlsConnector,
    timeout: Duration,
    idle: Mutex<Vec<Sender>>,
}

/// A newly established connection.
pub(crate) struct NewConnection {
    pub(crate) sender: Sender,
    /// Certificate chain of the server, leaf first.
    pub(crate) peer_chain: Vec<CertificateDer<'static>>,
}

impl Connector {
    /// Prepares connections to the host of `url`; `None` when it has no valid host.
    pub(crate) fn new(url: &Url, config: ClientConfig, timeout: Duration) -> Option<Self> {
        let host = url.host()?.to_owned();
        let name = match &host {
            Host::Domain(domain) => ServerName::try_from(domain.clone()).ok()?,
            Host::Ipv4(address) => ServerName::from(IpAddr::V4(*address)),
            Host::Ipv6(address) => ServerName::from(IpAddr::V6(*address)),
        };
        Some(Self {
            url: url.clone(),
            host,
            port: url.port_or_known_default()?,
            name,
            tls: TlsConnector::from(Arc::new(config)),
            timeout,
            idle: Mutex::new(Vec::new()),
        })
    }

    /// The address that was given.
    pub(crate) fn origin(&self) -> Url {
        self.url.clone()
    }

    /// Host and port, as in a `Host` header.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Opens a new connection.
    pub(crate) async fn connect(&self) -> Result<NewConnection, ClientError> {
        time::timeout(self.timeout, self.connect_without_timeout())
            .await
            .unwrap_or_else(|_elapsed| Err(self.unreachable(io::ErrorKind::TimedOut.into())))
    }

    async fn connect_without_timeout(&self) -> Result<NewConnection, ClientError> {
        let socket = match &self.host {
            Host::Domain(domain) => TcpStream::connect((domain.as_str(), self.port)).await,
            Host::Ipv4(address) => TcpStream::connect((*address, self.port)).await,
            Host::Ipv6(address) => TcpStream::connect((*address, self.port)).await,
        };
        let socket = socket.map_err(|error| self.unreachable(error))?;
        // Requests are written in one piece; waiting for more would only delay them.
        socket
            .set_nodelay(true)
            .map_err(|error| self.unreachable(error))?;
        let stream = self.tls.connect(self.name.clone(), socket).await;
        let stream = stream.map_err(|error| self.tls_error(error))?;
        let peer_chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
        let peer_chain = peer_chain
            .iter()
            .cloned()
            .map(CertificateDer::into_owned)
            .collect();
        let (sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.unreachable(to_io_error(&error)))?;
        // Ends when the sender is dropped or the server closes; errors reach the sender.
        tokio::spawn(connection.with_upgrades());
        Ok(NewConnection { sender, peer_chain })
    }

    /// Takes an open connection out of the pool.
    pub(crate) fn take_idle(&self) -> Option<Sender> {
        let mut idle = self.idle.lock();
        std::iter::from_fn(|| idle.pop()).find(|sender| !sender.is_closed())
    }

    /// Returns a connection to the pool.
    pub(crate) fn release(&self, sender: Sender) {
        let mut idle = self.idle.lock();
        if idle.len() < MAX_IDLE && !sender.is_closed() {
            idle.push(sender);
        }
    }

    /// Sends `request` over an idle or a new connection, and returns the response with the connection
    /// that delivers its body.
    pub(crate) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(http::Response<Incoming>, Sender), ClientError> {
        while let Some(mut sender) = self.take_idle() {
            if sender.ready().await.is_err() {
                continue;
            }
            // Safe requests may be sent again if the server closes the connection meanwhile.
            let copy = request.method().is_safe().then(|| request.clone());
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((response, sender)),
                // A request that was not sent at all may be sent again in any case.
                Err(mut error) => match error.take_message().or(copy) {
                    Some(unsent) => request = unsent,
                    None => return Err(self.http_error(&error.into_error())),
                },
            }
        }
        let mut sender = self.connect().await?.sender;
        match sender.send_request(request).await {
            Ok(response) => Ok((response, sender)),
            Err(error) => Err(self.http_error(&error)),
        }
    }

    /// The error for a controller that does not respond because of `source`.
    pub(crate) fn unreachable(&self, source: io::Error) -> ClientError {
        ClientError::Unreachable {
            address: self.authority(),
            source,
        }
    }

    /// The error for a connection that ends before the whole response is there.
    pub(crate) fn interrupted(&self, source: io::Error) -> ClientError {
        ClientError::Interrupted {
            address: self.authority(),
            source,
        }
    }

    fn tls_error(&self, error: io::Error) -> ClientError {
        let inner = error.get_ref();
        let Some(inner) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) else {
            return self.unreachable(error);
        };
        match PeerCertificateError::from_tls_error(inner) {
            Some(source) => ClientError::Untrusted {
                address: self.authority(),
                source,
            },
            None => self.unreachable(io::Error::other(handshake_failure(inner))),
        }
    }

    /// Converts an error of `hyper`, which wraps those of the connection.
    pub(crate) fn http_error(&self, error: &hyper::Error) -> ClientError {
        self.interrupted(to_io_error(error))
    }
}

/// Message for a failed TLS handshake that is not about a certificate.
fn handshake_failure(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InvalidMessage(_) => "it speaks no TLS (plain HTTP?)",
        rustls::Error::AlertReceived(_) => "it refused the TLS handshake",
        _ => "the TLS handshake failed",
    }
}

/// The underlying I/O error of a `hyper` error, or one with a message of our own.
fn to_io_error(error: &hyper::Error) -> io::Error {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            return match io.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io.kind().into(),
            };
        }
        source = cause.source();
    }
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        io::ErrorKind::ConnectionAborted.into()
    } else {
        io::Error::other("it speaks no HTTP")
    }
}
