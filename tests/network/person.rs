//! People, and their SDKs.

use portcullis_edge_session::RouterCredential;
use portcullis_pki::{Certificate, SigningKey, certificates_from_pem};
use portcullis_simulated_sdk::Sdk;
use portcullis_transport::DialError;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, ServerName};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// An identity with a certificate and an API session.
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) chain: Vec<Certificate>,
    pub(crate) token: String,
    key: SigningKey,
}

impl Person {
    pub(crate) fn new(id: String, chain: &str, key: &SigningKey) -> Self {
        Self {
            id,
            chain: certificates_from_pem(chain).unwrap(),
            token: String::new(),
            key: SigningKey::from_pem(&key.to_pkcs8_pem().unwrap()).unwrap(),
        }
    }

    /// What its SDK shows.
    pub(crate) fn credential(&self) -> RouterCredential {
        let chain = self.chain.iter().map(|one| one.as_rustls().clone());
        RouterCredential {
            chain: chain.collect(),
            key: self.key.to_rustls().unwrap(),
        }
    }

    /// How it connects to routers with these authorities.
    pub(crate) fn tls(&self, authorities: &[CertificateDer<'static>]) -> ClientConfig {
        let chain = self.chain.iter().map(|one| one.as_rustls().clone());
        builder(authorities)
            .with_client_auth_cert(chain.collect(), self.key.to_rustls().unwrap())
            .unwrap()
    }

    /// Connects to a router.
    pub(crate) async fn connect(
        &self,
        (address, authorities): (SocketAddr, &[CertificateDer<'static>]),
    ) -> Result<Sdk, DialError> {
        let stream = connect(self.tls(authorities), address).await?;
        Sdk::connect(stream, Some(&self.token)).await
    }
}

/// How somebody without a certificate connects.
pub(crate) fn stranger(authorities: &[CertificateDer<'static>]) -> ClientConfig {
    builder(authorities).with_no_client_auth()
}

/// Trusts these authorities.
pub(crate) fn builder(
    authorities: &[CertificateDer<'static>],
) -> rustls::ConfigBuilder<ClientConfig, rustls::client::WantsClientCert> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(authorities.iter().cloned());
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
}

/// A connection with TLS.
pub(crate) async fn connect(
    config: ClientConfig,
    address: SocketAddr,
) -> io::Result<TlsStream<TcpStream>> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, socket).await
}
