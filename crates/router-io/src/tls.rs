//! TLS of a router: its certificates, and whom it trusts.

use std::io;
use std::sync::Arc;

use parking_lot::RwLock;
use portcullis_listener::{ServerTls, TlsError, TlsVersion};
use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Certificates and keys of a router, as read from its files.
#[derive(Debug)]
pub struct Credentials {
    /// Client certificate, with its intermediates.
    pub client_chain: Vec<CertificateDer<'static>>,
    pub client_key: PrivateKeyDer<'static>,
    /// Server certificates with their keys; the first one serves whoever names no host.
    pub servers: Vec<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
    /// Roots that controllers and other routers are verified against.
    pub authorities: Vec<CertificateDer<'static>>,
}

/// Certificates or keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsSetupError {
    #[error("the client certificate or its key cannot be used")]
    Client(#[source] rustls::Error),
    #[error(transparent)]
    Server(#[from] TlsError),
}

/// TLS in both directions, with certificates that can be replaced while connections are open.
#[derive(Debug)]
pub struct Tls {
    client: RwLock<Client>,
    server: Arc<ServerTls>,
    for_browsers: Arc<ServerTls>,
}

#[derive(Debug)]
struct Client {
    config: ClientConfig,
    chain: Vec<CertificateDer<'static>>,
    authorities: Vec<CertificateDer<'static>>,
}

impl Tls {
    pub fn new(credentials: Credentials) -> Result<Self, TlsSetupError> {
        let servers = server_keys(&credentials)?;
        let server = ServerTls::new(servers, TlsVersion::Tls12, TlsVersion::Tls13)?;
        Ok(Self {
            for_browsers: Arc::new(server.without_client_certificates()?),
            server: Arc::new(server),
            client: RwLock::new(Client::new(credentials)?),
        })
    }

    /// Uses other certificates from the next handshake on. After an error nothing has changed.
    pub fn replace(&self, credentials: Credentials) -> Result<(), TlsSetupError> {
        let servers = server_keys(&credentials)?;
        let client = Client::new(credentials)?;
        self.server.replace(servers)?;
        *self.client.write() = client;
        Ok(())
    }

    /// For listeners.
    pub const fn server(&self) -> &Arc<ServerTls> {
        &self.server
    }

    /// For listeners whose clients are not asked for certificates.
    pub const fn for_browsers(&self) -> &Arc<ServerTls> {
        &self.for_browsers
    }

    /// The client certificate, with its intermediates.
    pub fn client_chain(&self) -> Vec<CertificateDer<'static>> {
        self.client.read().chain.clone()
    }

    /// The roots that are trusted, with what else the file of authorities has.
    pub fn authorities(&self) -> Vec<CertificateDer<'static>> {
        self.client.read().authorities.clone()
    }

    /// Negotiates TLS on a connection to a controller or router, which has to have a certificate for `host`.
    pub async fn connect(
        &self,
        socket: TcpStream,
        host: &str,
        protocol: &'static str,
    ) -> io::Result<TlsStream<TcpStream>> {
        let mut config = self.client.read().config.clone();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let connector = TlsConnector::from(Arc::new(config));
        connector.connect(name, socket).await
    }
}

impl Client {
    fn new(credentials: Credentials) -> Result<Self, TlsSetupError> {
        let Credentials {
            client_chain,
            client_key,
            authorities,
            ..
        } = credentials;
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(authorities.iter().cloned());
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsSetupError::Client)?
            .with_root_certificates(roots)
            .with_client_auth_cert(client_chain.clone(), client_key)
            .map_err(TlsSetupError::Client)?;
        // A resumed session would show the certificate of its first connection.
        config.resumption = Resumption::disabled();
        Ok(Self {
            config,
            chain: client_chain,
            authorities,
        })
    }
}

fn server_keys(
    credentials: &Credentials,
) -> Result<Vec<Arc<rustls::sign::CertifiedKey>>, TlsError> {
    let servers = credentials.servers.iter();
    servers
        .map(|(chain, key)| ServerTls::certified_key(chain.clone(), key.clone_key()))
        .collect()
}
