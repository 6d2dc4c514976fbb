//! TLS to servers, which are not part of the network.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use rustls_native_certs::load_native_certs;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio::task::spawn_blocking;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::tls::Tls;

/// Verifies servers against the roots of the operating system and those of the network, and shows no
/// certificate: servers have no business with the identity of the router.
pub(super) struct ServerTls {
    network: Arc<Tls>,
    made: Mutex<Option<Made>>,
}

/// What was made of the roots of the network when it was needed last.
struct Made {
    network_roots: Vec<CertificateDer<'static>>,
    config: Arc<ClientConfig>,
}

impl ServerTls {
    pub(super) const fn new(network: Arc<Tls>) -> Self {
        Self {
            network,
            made: Mutex::new(None),
        }
    }

    /// Negotiates TLS with a server, which has to have a certificate for `host`.
    pub(super) async fn connect(
        &self,
        stream: TcpStream,
        host: &str,
    ) -> io::Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(self.config().await?);
        connector.connect(name, stream).await
    }

    pub(super) async fn config(&self) -> io::Result<Arc<ClientConfig>> {
        let network_roots = self.network.authorities();
        if let Some(made) = &*self.made.lock()
            && made.network_roots == network_roots
        {
            return Ok(Arc::clone(&made.config));
        }
        let roots = network_roots.clone();
        // It reads many files.
        let config = spawn_blocking(move || client_config(roots)).await??;
        let config = Arc::new(config);
        *self.made.lock() = Some(Made {
            network_roots,
            config: Arc::clone(&config),
        });
        Ok(config)
    }
}

fn client_config(network_roots: Vec<CertificateDer<'static>>) -> io::Result<ClientConfig> {
    let system = load_native_certs();
    for error in system.errors {
        tracing::warn!(%error, "some root certificates of the system cannot be read");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(system.certs);
    roots.add_parsable_certificates(network_roots);
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
