//! Connections to checked addresses.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::{FetchError, TlsSetupError};
use crate::target::FetchTarget;

/// A connector that trusts servers with a certificate from one of `roots`.
pub(crate) fn connector(roots: Arc<RootCertStore>) -> Result<TlsConnector, TlsSetupError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(TlsSetupError)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    // Tickets would let servers recognize the controller.
    config.resumption = Resumption::disabled();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Connects to the first of `addresses` that accepts a connection. Each gets an equal part of
/// `time`, so that one that does not answer leaves some to the others.
pub(crate) async fn tcp(
    target: &FetchTarget<'_>,
    addresses: &[IpAddr],
    time: Duration,
) -> Result<TcpStream, FetchError> {
    let attempt = time / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let mut last_error = io::Error::new(
        io::ErrorKind::NotFound,
        "the host name does not resolve to an address",
    );
    for address in addresses {
        let connecting = TcpStream::connect((address.to_canonical(), target.port()));
        match timeout(attempt, connecting).await {
            Ok(Ok(socket)) => return Ok(socket),
            Ok(Err(error)) => last_error = error,
            Err(_elapsed) => last_error = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(unreachable(target, last_error))
}

/// Performs the TLS handshake over `socket`, verifying the host of `target`.
pub(crate) async fn tls(
    connector: &TlsConnector,
    target: &FetchTarget<'_>,
    socket: TcpStream,
) -> Result<TlsStream<TcpStream>, FetchError> {
    let Some(name) = target.server_name() else {
        let reason = "the host name cannot appear in a certificate";
        return Err(unreachable(target, io::Error::other(reason)));
    };
    connector.connect(name, socket).await.map_err(|error| {
        let inner = error.get_ref();
        match inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(inner @ rustls::Error::InvalidCertificate(_)) => FetchError::Untrusted {
                host: target.host(),
                source: inner.clone(),
            },
            _ => unreachable(target, error),
        }
    })
}

fn unreachable(target: &FetchTarget<'_>, source: io::Error) -> FetchError {
    FetchError::Unreachable {
        host: target.host(),
        source,
    }
}
