//! Connections to addresses that were judged.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::error::FetchError;
use super::target::Target;

/// Connects to the first of `addresses` that takes a connection. Each gets the same part of `time`,
/// so that one that is silent leaves some to the others.
pub(super) async fn tcp(
    target: &Target<'_>,
    addresses: &[IpAddr],
    time: Duration,
) -> Result<TcpStream, FetchError> {
    let attempt = time / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let mut failure = io::Error::new(
        io::ErrorKind::NotFound,
        "the host name does not resolve to an address",
    );
    for address in addresses {
        let connecting = TcpStream::connect((address.to_canonical(), target.port()));
        match timeout(attempt, connecting).await {
            Ok(Ok(socket)) => return Ok(socket),
            Ok(Err(error)) => failure = error,
            Err(_elapsed) => failure = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(unreachable(target, failure))
}

/// Agrees on TLS over `socket` with whoever can prove to be the host of `target`.
pub(super) async fn tls(
    connector: &TlsConnector,
    target: &Target<'_>,
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

fn unreachable(target: &Target<'_>, source: io::Error) -> FetchError {
    FetchError::Unreachable {
        host: target.host(),
        source,
    }
}
