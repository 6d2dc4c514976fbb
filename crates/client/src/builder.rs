//! Making a client.

use crate::client::Client;
use crate::connection::Connector;
use crate::exchange::Observer;
use crate::trust::Trust;
use rustls::ClientConfig;
use rustls::InconsistentKeys;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
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
    #[error("the address of a controller must begin with https://")]
    NotHttps,
    /// The address names no host.
    #[error("the address of the controller has no valid host")]
    NoHost,
    /// Nobody would be trusted.
    #[error("there is no CA certificate to trust")]
    NothingTrusted,
    /// The key to log in with is of a kind that cannot be used.
    #[error("this type of private key cannot be used; use ECDSA P-256 or P-384, or RSA")]
    ClientKey,
    /// The key to log in with is not the one of the certificate.
    #[error("the certificate does not match the key")]
    ClientKeyMismatch,
    /// The cryptographic library offers no version of TLS.
    #[error("TLS cannot be set up")]
    Tls,
}

/// A certificate to log in with.
pub struct ClientCertificate {
    /// The certificate and its intermediates, the certificate first.
    pub chain: Vec<CertificateDer<'static>>,
    /// The private key of the certificate.
    pub key: PrivateKeyDer<'static>,
}

impl ClientCertificate {
    /// Checks that the certificate can be shown: that its key can be used, and belongs to it.
    ///
    /// # Errors
    ///
    /// [`BuildError::ClientKey`] and [`BuildError::ClientKeyMismatch`].
    pub fn check(&self) -> Result<(), BuildError> {
        let chain = self.chain.clone();
        certified(chain, self.key.clone_key(), &aws_lc_rs::default_provider()).map(drop)
    }
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
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|_tls| BuildError::Tls)?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match certificate {
        Some(ClientCertificate { chain, key }) => {
            let certified = certified(chain, key, &provider)?;
            builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))
        },
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Puts a certificate and its key together.
fn certified(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, BuildError> {
    let key = provider.key_provider.load_private_key(key);
    let certified = CertifiedKey::new(chain, key.map_err(|_tls| BuildError::ClientKey)?);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(certified),
        // Certificates of X.509 version 1, for example, cannot be read there. They can be shown all
        // the same.
        Err(rustls::Error::InvalidCertificate(_)) if holds_its_key(&certified) => Ok(certified),
        Err(_) => Err(BuildError::ClientKeyMismatch),
    }
}

/// Whether the public key stands in the certificate, wherever that is.
fn holds_its_key(certified: &CertifiedKey) -> bool {
    let (Some(public), Some(leaf)) = (certified.key.public_key(), certified.cert.first()) else {
        return false;
    };
    leaf.windows(public.len())
        .any(|part| part == public.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls_pki_types::PrivatePkcs8KeyDer;

    fn pair(key: &rcgen::KeyPair, certificate: Vec<u8>) -> ClientCertificate {
        ClientCertificate {
            chain: vec![certificate.into()],
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        }
    }

    #[test]
    fn certificate_needs_its_own_key() {
        let (key, other) = (
            rcgen::KeyPair::generate().unwrap(),
            rcgen::KeyPair::generate().unwrap(),
        );
        let params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        let certificate = params.self_signed(&key).unwrap().der().to_vec();
        pair(&key, certificate.clone()).check().unwrap();
        let fault = pair(&other, certificate.clone()).check().unwrap_err();
        assert!(matches!(fault, BuildError::ClientKeyMismatch));
        assert!(!fault.to_string().contains("KeyMismatch"));

        // One that the TLS library cannot read: the version number stands in its first members.
        let version = [0xa0, 0x03, 0x02, 0x01, 0x02];
        let mut odd = certificate;
        let at = odd.windows(5).position(|part| part == version).unwrap();
        odd[at + 4] = 0;
        pair(&key, odd.clone()).check().unwrap();
        assert!(pair(&other, odd).check().is_err());
    }
}
