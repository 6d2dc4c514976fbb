//! TLS of an SDK.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use portcullis_simulated_sdk::Sdk;
use portcullis_transport::{DialError, Stream};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{ServerName, UnixTime};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::network::{Network, Pair};
use super::world::START;

/// The time at which the certificates of a network are new.
#[derive(Debug)]
struct AtStart;

impl TimeProvider for AtStart {
    fn current_time(&self) -> Option<UnixTime> {
        let start = u64::try_from(START).unwrap();
        Some(UnixTime::since_unix_epoch(Duration::from_secs(start)))
    }
}

/// A connection with TLS.
pub(super) async fn connect(
    address: SocketAddr,
    network: &Network,
    pair: Option<&Pair>,
    protocols: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    let socket = TcpStream::connect(address).await?;
    secure(socket, network, pair, protocols).await
}

/// TLS over a stream.
pub(super) async fn secure<S: Stream>(
    stream: S,
    network: &Network,
    pair: Option<&Pair>,
    protocols: &[&str],
) -> io::Result<TlsStream<S>> {
    let connector = connector(network, pair, protocols);
    connector.connect(server_name(), stream).await
}

pub(super) fn server_name() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}

/// How an SDK connects.
pub(super) fn connector(
    network: &Network,
    pair: Option<&Pair>,
    protocols: &[&str],
) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots
        .add(network.root.certificate().as_rustls().clone())
        .unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_details(provider, Arc::new(AtStart))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match pair {
        Some(pair) => config
            .with_client_auth_cert(pair.chain.clone(), pair.key())
            .unwrap(),
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    TlsConnector::from(Arc::new(config))
}

/// An SDK that has connected.
pub(super) async fn enter(
    address: SocketAddr,
    network: &Network,
    pair: &Pair,
    token: Option<&str>,
) -> Result<Sdk, DialError> {
    Sdk::connect(connect(address, network, Some(pair), &[]).await?, token).await
}
