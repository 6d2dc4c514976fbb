//! Client builder.

use super::{Client, Shared};
use crate::build_error::{BuildError, certificates_from_pem};
use crate::connection::Connector;
use crate::exchange::Observer;
use crate::retry::RetryPolicy;
use crate::trust::Trust;
use rustls::ClientConfig;
use rustls::InconsistentKeys;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use secrecy::SecretString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Default timeout for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Default timeout of a request, including the connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A client certificate with its private key.
pub struct ClientCertificate {
    /// The certificate followed by its intermediates.
    pub chain: Vec<CertificateDer<'static>>,
    pub key: PrivateKeyDer<'static>,
}

impl ClientCertificate {
    /// Reads the certificate, followed by its intermediates, and the private key from PEM texts, which
    /// may be the same one.
    ///
    /// # Errors
    ///
    /// [`BuildError::Pem`] when a text is damaged or lacks what it should contain.
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, BuildError> {
        let chain = certificates_from_pem(chain)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_pem| BuildError::Pem)?;
        if chain.is_empty() {
            return Err(BuildError::Pem);
        }
        Ok(Self { chain, key })
    }

    /// Checks that the key is supported and belongs to the certificate.
    ///
    /// # Errors
    ///
    /// [`BuildError::ClientKey`] and [`BuildError::ClientKeyMismatch`].
    pub fn validate(&self) -> Result<(), BuildError> {
        let chain = self.chain.clone();
        certified_key(chain, self.key.clone_key(), &aws_lc_rs::default_provider()).map(drop)
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

/// Builder of a [`Client`].
pub struct ClientBuilder {
    url: Url,
    trust: Trust,
    certificate: Option<ClientCertificate>,
    session: Option<SecretString>,
    connect_timeout: Duration,
    timeout: Duration,
    retry: RetryPolicy,
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
            retry: RetryPolicy::never(),
            observer: None,
        }
    }

    /// Presents this certificate in TLS.
    #[must_use]
    pub fn certificate(mut self, certificate: ClientCertificate) -> Self {
        self.certificate = Some(certificate);
        self
    }

    /// Sends this session token with each request.
    #[must_use]
    pub fn session(mut self, token: SecretString) -> Self {
        self.session = Some(token);
        self
    }

    /// Sets the timeout for establishing a connection, 10 seconds by default.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets the timeout of a request including the connection, 30 seconds by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets when requests are sent again; by default, they are not.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// Calls `observer` after each request, and after each attempt of one.
    #[must_use]
    pub fn observe(mut self, observer: Observer) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Builds the client, without connecting.
    ///
    /// # Errors
    ///
    /// [`BuildError`] when the address, the trust anchors or the client certificate are invalid.
    pub fn build(self) -> Result<Client, BuildError> {
        if self.url.scheme() != "https" {
            return Err(BuildError::NotHttps);
        }
        let provider = Arc::new(aws_lc_rs::default_provider());
        let random = provider.secure_random;
        let config = tls_config(self.trust, self.certificate, &provider)?;
        let connector = Connector::new(&self.url, config, self.connect_timeout.min(self.timeout))
            .ok_or(BuildError::NoHost)?;
        let shared = Shared {
            connector,
            timeout: self.timeout,
            random,
            observer: self.observer,
        };
        Ok(Client::new(shared, self.session, self.retry))
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
    provider: &Arc<CryptoProvider>,
) -> Result<ClientConfig, BuildError> {
    let verifier = trust
        .into_verifier(Arc::clone(provider))
        .ok_or(BuildError::NoTrustAnchors)?;
    let builder = ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .map_err(|_tls| BuildError::Tls)?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match certificate {
        Some(ClientCertificate { chain, key }) => {
            let certified = certified_key(chain, key, provider)?;
            builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))
        },
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Combines a certificate with its key.
fn certified_key(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, BuildError> {
    let key = provider.key_provider.load_private_key(key);
    let certified = CertifiedKey::new(chain, key.map_err(|_tls| BuildError::ClientKey)?);
    match certified.keys_match() {
        Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => Ok(certified),
        // X.509 version 1 certificates, for example, cannot be parsed there, but can be presented.
        Err(rustls::Error::InvalidCertificate(_)) if contains_public_key(&certified) => {
            Ok(certified)
        },
        Err(_) => Err(BuildError::ClientKeyMismatch),
    }
}

/// Whether the certificate contains the public key at any position.
fn contains_public_key(certified: &CertifiedKey) -> bool {
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
        pair(&key, certificate.clone()).validate().unwrap();
        let fault = pair(&other, certificate.clone()).validate().unwrap_err();
        assert!(matches!(fault, BuildError::ClientKeyMismatch));
        assert!(!fault.to_string().contains("KeyMismatch"));

        // One that the TLS library cannot read: the version number stands in its first members.
        let version = [0xa0, 0x03, 0x02, 0x01, 0x02];
        let mut odd = certificate;
        let at = odd.windows(5).position(|part| part == version).unwrap();
        odd[at + 4] = 0;
        pair(&key, odd.clone()).validate().unwrap();
        assert!(pair(&other, odd).validate().is_err());
    }
}
