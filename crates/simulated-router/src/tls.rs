//! TLS to a controller.

use crate::RouterIdentity;
use portcullis_channel::Role;
use portcullis_transport::Connector;
use rustls::client::Resumption;
use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::ServerName;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Connects as one router. Sessions of TLS are not resumed, as OpenZiti's routers do not.
pub struct TlsConnector {
    address: SocketAddr,
    config: Arc<ClientConfig>,
    /// Turned over for each random number.
    state: DefaultHasher,
}

impl TlsConnector {
    /// A controller whose certificate has the name `localhost`.
    pub fn new(address: SocketAddr, identity: &RouterIdentity) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(identity.authorities.iter().cloned());
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_client_auth_cert(identity.chain.clone(), identity.key.clone_key())
            .unwrap();
        config.alpn_protocols = vec![b"ziti-ctrl".to_vec()];
        config.resumption = Resumption::disabled();
        let mut state = DefaultHasher::new();
        identity.id.hash(&mut state);
        Self {
            address,
            config: Arc::new(config),
            state,
        }
    }
}

impl Connector for TlsConnector {
    type Stream = TlsStream<TcpStream>;

    async fn connect(&mut self, _role: Role) -> io::Result<Self::Stream> {
        let socket = TcpStream::connect(self.address).await?;
        socket.set_nodelay(true)?;
        let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
        let connector = tokio_rustls::TlsConnector::from(Arc::clone(&self.config));
        connector.connect(name, socket).await
    }

    fn random(&mut self) -> u32 {
        self.state.write_u8(0);
        let bits = self.state.finish();
        u32::try_from(bits >> 32).unwrap_or_default()
    }
}
