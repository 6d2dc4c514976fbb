//! A certificate for everything.

use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsConnector;

use crate::tls::{Credentials, Tls};

/// A certificate for `localhost`, which stands for itself.
pub(crate) struct TestCertificate {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl TestCertificate {
    pub(crate) fn for_localhost() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        Self {
            chain: vec![made.cert.der().clone()],
            key: PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap(),
        }
    }

    /// A router that has it, and trusts it.
    pub(crate) fn tls(&self) -> Tls {
        let (chain, key) = (self.chain.clone(), self.key.clone_key());
        let credentials = Credentials {
            client_chain: chain.clone(),
            client_key: key.clone_key(),
            servers: vec![(chain.clone(), key)],
            authorities: chain,
        };
        Tls::new(credentials).unwrap()
    }

    /// A server that has it.
    pub(crate) fn server_config(&self) -> ServerConfig {
        let provider = Arc::new(aws_lc_rs::default_provider());
        ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(self.chain.clone(), self.key.clone_key())
            .unwrap()
    }

    /// A client that trusts it.
    pub(crate) fn connector(&self) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.chain.iter().cloned());
        let provider = Arc::new(aws_lc_rs::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        TlsConnector::from(Arc::new(config))
    }
}
