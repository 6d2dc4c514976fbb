//! TLS to routers.

use portcullis_edge_session::RouterCredential;
use portcullis_pki::Certificate;
use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::ServerName;
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// ALPN name of the channels of SDKs.
const PROTOCOL: &[u8] = b"ziti-edge";

/// Negotiates TLS with a router, whose certificate has to be for `host` and from one of the authorities.
pub(crate) async fn connect(
    socket: TcpStream,
    host: &str,
    credential: &RouterCredential,
    authorities: &[Certificate],
) -> io::Result<TlsStream<TcpStream>> {
    let config = config(credential, authorities).map_err(io::Error::other)?;
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, socket).await
}

/// The common name of the certificate that the router has shown.
pub(crate) fn peer_name(stream: &TlsStream<TcpStream>) -> Option<String> {
    let leaf = stream.get_ref().1.peer_certificates()?.first()?;
    Certificate::from_der(leaf.to_vec()).ok()?.common_name()
}

fn config(
    credential: &RouterCredential,
    authorities: &[Certificate],
) -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    let authorities = authorities.iter().map(|one| one.as_rustls().clone());
    roots.add_parsable_certificates(authorities);
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_client_auth_cert(credential.chain.clone(), credential.key.clone_key())?;
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    // A resumed session would show the certificate of its first connection.
    config.resumption = Resumption::disabled();
    Ok(config)
}
