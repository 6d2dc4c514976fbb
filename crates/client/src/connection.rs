//! Connections: making them, keeping them for the next request, telling what went wrong.

use crate::error::{ClientError, PeerFault};
use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_pki_types::{CertificateDer, ServerName};
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

/// Most connections that are kept while nothing is asked over them.
const MOST_IDLE: usize = 16;

/// A connection over which one request at a time is sent.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// Makes connections to one controller and keeps those that can be used again.
pub(crate) struct Connector {
    host: Host<String>,
    port: u16,
    name: ServerName<'static>,
    tls: TlsConnector,
    timeout: Duration,
    idle: Mutex<Vec<Sender>>,
}

/// A connection that has just been made.
pub(crate) struct Connected {
    pub(crate) sender: Sender,
    /// What the server showed, its own certificate first.
    pub(crate) peer_chain: Vec<CertificateDer<'static>>,
}

impl Connector {
    /// Prepares connections to the host of `url`; `None` when it has none.
    pub(crate) fn new(url: &Url, config: ClientConfig, timeout: Duration) -> Option<Self> {
        let host = url.host()?.to_owned();
        let name = match &host {
            Host::Domain(domain) => ServerName::try_from(domain.clone()).ok()?,
            Host::Ipv4(address) => ServerName::from(IpAddr::V4(*address)),
            Host::Ipv6(address) => ServerName::from(IpAddr::V6(*address)),
        };
        Some(Self {
            host,
            port: url.port_or_known_default()?,
            name,
            tls: TlsConnector::from(Arc::new(config)),
            timeout,
            idle: Mutex::new(Vec::new()),
        })
    }

    /// Host and port, as in a `Host` header.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Makes a connection.
    pub(crate) async fn connect(&self) -> Result<Connected, ClientError> {
        time::timeout(self.timeout, self.connect_unbounded())
            .await
            .unwrap_or_else(|_elapsed| Err(self.unreachable(io::ErrorKind::TimedOut.into())))
    }

    async fn connect_unbounded(&self) -> Result<Connected, ClientError> {
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
            .map_err(|error| self.http_error(&error))?;
        // Ends when the sender is dropped or the server closes; its error reaches the sender.
        tokio::spawn(connection);
        Ok(Connected { sender, peer_chain })
    }

    /// Takes a connection that is open and free.
    pub(crate) fn take_idle(&self) -> Option<Sender> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(|sender| !sender.is_closed())
    }

    /// Keeps a connection for the next request.
    pub(crate) fn keep(&self, sender: Sender) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE && !sender.is_closed() {
            idle.push(sender);
        }
    }

    /// Sends `request` over a kept connection or a new one, and gives the answer with the
    /// connection that it comes over.
    pub(crate) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
    ) -> Result<(http::Response<Incoming>, Sender), ClientError> {
        while let Some(mut sender) = self.take_idle() {
            if sender.ready().await.is_err() {
                continue;
            }
            // What only reads may be sent again when the server closes just then.
            let copy = request.method().is_safe().then(|| request.clone());
            match sender.try_send_request(request).await {
                Ok(response) => return Ok((response, sender)),
                // What was not sent at all may be sent again in any case.
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

    /// The controller gave no answer because of `source`.
    pub(crate) fn unreachable(&self, source: io::Error) -> ClientError {
        ClientError::Unreachable {
            address: self.authority(),
            source,
        }
    }

    fn tls_error(&self, error: io::Error) -> ClientError {
        let inner = error.get_ref();
        let Some(inner) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) else {
            return self.unreachable(error);
        };
        match PeerFault::of(inner) {
            Some(source) => ClientError::Untrusted {
                address: self.authority(),
                source,
            },
            None => self.unreachable(io::Error::other(handshake_fault(inner))),
        }
    }

    /// Translates an error of the protocol library, which wraps those of the connection.
    pub(crate) fn http_error(&self, error: &hyper::Error) -> ClientError {
        self.unreachable(without_library(error))
    }
}

/// Why there is no TLS connection, apart from what is wrong with a certificate.
fn handshake_fault(error: &rustls::Error) -> &'static str {
    match error {
        rustls::Error::InvalidMessage(_) => "it does not speak TLS",
        rustls::Error::AlertReceived(_) => "it refused the TLS handshake",
        _ => "the TLS handshake failed",
    }
}

/// The error of the connection that one of the protocol library rests on, or one in our own words.
fn without_library(error: &hyper::Error) -> io::Error {
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
        io::Error::other("it does not speak HTTP")
    }
}
