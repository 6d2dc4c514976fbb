//! Checks of servers.

mod http;

use crate::host_names::{HostPortError, host_and_port};
use crate::outbound::{Outbound, OutboundError};
use http::HttpCheck;
use portcullis_tunnel_config::Probe;
use portcullis_tunneler::ServerCheck;
use std::io;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// Why a check has failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckFailure {
    #[error("there was no answer in time")]
    TimedOut,
    #[error("the address {0}")]
    Address(#[from] HostPortError),
    #[error("the URL: {0}")]
    Url(#[from] url::ParseError),
    #[error("the URL must begin with `http://` or `https://` and a host")]
    NotHttp,
    #[error("HTTPS is not available: the tunnel has no settings of TLS")]
    NoTls,
    #[error("the server cannot be reached: {0}")]
    Unreachable(#[from] OutboundError),
    #[error("TLS: {0}")]
    Tls(#[from] io::Error),
    #[error("the request: {0}")]
    Request(#[from] ::http::Error),
    #[error("the answer: {0}")]
    Answer(#[from] hyper::Error),
    #[error("the answer has status {actual}, not {expected}")]
    Status { actual: u16, expected: u16 },
    #[error("the answer does not have the expected text in its first {0} bytes")]
    Text(usize),
}

/// Checks a server once, within the time that the check has.
pub(crate) async fn run(
    outbound: &Outbound,
    tls: Option<&TlsConnector>,
    check: &ServerCheck,
) -> Result<(), CheckFailure> {
    let probing = Box::pin(probe(outbound, tls, &check.probe));
    let result = timeout(check.timeout, probing).await;
    result.map_err(|_elapsed| CheckFailure::TimedOut)?
}

async fn probe(
    outbound: &Outbound,
    tls: Option<&TlsConnector>,
    probe: &Probe,
) -> Result<(), CheckFailure> {
    match probe {
        Probe::Port { address } => {
            let (host, port) = host_and_port(address)?;
            connect(outbound, host, port).await.map(drop)
        },
        Probe::Http {
            url,
            method,
            body,
            expected_status,
            expected_in_body,
        } => {
            let check = HttpCheck {
                url: url.parse()?,
                method: *method,
                body: body.as_deref().unwrap_or_default(),
                expected_status: *expected_status,
                expected_in_body: expected_in_body.as_deref(),
            };
            check.run(outbound, tls).await
        },
    }
}

async fn connect(outbound: &Outbound, host: &str, port: u16) -> Result<TcpStream, CheckFailure> {
    Ok(outbound.tcp(host, port, None).await?)
}
