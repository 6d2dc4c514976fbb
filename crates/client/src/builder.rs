//! Making a client.

use crate::client::Client;
use crate::connection::Connector;
use crate::exchange::Observer;
use crate::trust::Trust;
use rustls::ClientConfig;
use rustls::crypto::aws_lc_rs;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use secrecy::SecretString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a request may take, connection included.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Controllers are spoken to over TLS only.
    #[error("the address of a controller begins with https://")]
    NotHttps,
    /// The address names no host.
    #[error("the address of the controller names no host that can be connected to")]
    NoHost,
    /// Nobody would be trusted.
    #[error("there is no certificate of an authority to trust")]
    NothingTrusted,
    /// The certificate and the key to log in with cannot be used together.
    #[error("the client certificate cannot be used with its key")]
    ClientCertificate(#[source] rustls::Error),
    /// The cryptographic library offers no version of TLS.
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
}

/// A certificate to log in with.
pub struct ClientCertificate {
    /// The certificate and its intermediates, the certificate first.
    pub chain: Vec<CertificateDer<'static>>,
    /// The private key of the certificate.
    pub key: PrivateKeyDer<'static>,
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientCertificate")
            .field("chain", &self.chain.len())
            .finish_non_exhaustive()
    }
}

/// Collects what a client needs.
pub struct ClientBuilder {
    url: Url,
    trust: Trust,
    certificate: Option<ClientCertificate>,
    session: Option<SecretString>,
    connect_timeout: Duration,
    timeout: Duration,
    observer: Option<Observer>,
}

impl ClientBuilder {
    pub(crate) fn new(url: &Url, trust: Trust) -> Self {
        Self {
            url: url.clone(),
            trust,
            certificate: None,
            session: None,
            connect_timeout: CONNECT_TIMEOUT,
            timeout: REQUEST_TIMEOUT,
            observer: None,
        }
    }

    /// Shows that certificate in TLS.
    #[must_use]
    pub fn certificate(mut self, certificate: ClientCertificate) -> Self {
        self.certificate = Some(certificate);
        self
    }

    /// Sends that session token with each request.
    #[must_use]
    pub fn session(mut self, token: SecretString) -> Self {
        self.session = Some(token);
        self
    }

    /// Bounds the time for making a connection; 10 seconds otherwise.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Bounds the time of a request, connection included; 30 seconds otherwise.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Has `observer` told of each request that has ended.
    #[must_use]
    pub fn observe(mut self, observer: Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Makes the client. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when what was collected does not do.
    pub fn build(self) -> Result<Client, BuildError> {
        if self.url.scheme() != "https" {
            return Err(BuildError::NotHttps);
        }
        let config = tls_config(self.trust, self.certificate)?;
        let connector = Connector::new(&self.url, config, self.connect_timeout.min(self.timeout))
            .ok_or(BuildError::NoHost)?;
        Ok(Client::new(
            connector,
            self.session,
            self.timeout,
            self.observer,
        ))
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ClientBuilder")
            .field("url", &self.url.as_str())
            .field("trust", &self.trust)
            .finish_non_exhaustive()
    }
}

fn tls_config(
    trust: Trust,
    certificate: Option<ClientCertificate>,
) -> Result<ClientConfig, BuildError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = trust
        .into_verifier(Arc::clone(&provider))
        .ok_or(BuildError::NothingTrusted)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(BuildError::Tls)?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match certificate {
        Some(certificate) => builder
            .with_client_auth_cert(certificate.chain, certificate.key)
            .map_err(BuildError::ClientCertificate)?,
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
