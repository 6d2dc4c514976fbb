//! TLS of the listener: versions, ALPN, resumption, the server's leaves and the client's chain.

mod client_certificates;
mod server_certificates;

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{InconsistentKeys, ServerConfig, SupportedProtocolVersion};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};

use self::client_certificates::ProveAndAccept;
use self::server_certificates::ServerCertificates;
use super::connection::{Alpn, TlsVersion};

/// TLS settings of a listener, with server certificates that can be replaced while it runs.
#[derive(Debug)]
pub struct ServerTls {
    config: Arc<ServerConfig>,
    certificates: Arc<ServerCertificates>,
}

/// Why TLS could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// There is nothing to serve.
    #[error("a TLS listener needs at least one certificate with its key")]
    NoCertificate,
    /// Certificate and key are not a pair, or one of them cannot be used.
    #[error("the server certificate cannot be used with its key")]
    UnusableCertificate(#[source] rustls::Error),
    /// The lowest version allowed lies above the highest.
    #[error("the minimum TLS version ({min:?}) is above the maximum ({max:?})")]
    NoVersion {
        /// Lowest version asked for.
        min: TlsVersion,
        /// Highest version asked for.
        max: TlsVersion,
    },
    /// The TLS library refused the settings.
    #[error("TLS could not be set up")]
    Setup(#[source] rustls::Error),
}

impl ServerTls {
    /// Sets up TLS that serves `certificates` in the versions from `min` to `max`.
    ///
    /// Which certificate a client sees is decided by the name it asks for: the first whose subject
    /// alternative names cover it, else the first of all. Sessions are resumed with tickets, so the
    /// server keeps nothing per session; a resumed session carries the client's chain.
    pub fn new(
        certificates: Vec<Arc<CertifiedKey>>,
        min: TlsVersion,
        max: TlsVersion,
    ) -> Result<Self, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let versions: Vec<&SupportedProtocolVersion> =
            [(TlsVersion::Tls12, &TLS12), (TlsVersion::Tls13, &TLS13)]
                .into_iter()
                .filter(|(version, _)| (min..=max).contains(version))
                .map(|(_, supported)| supported)
                .collect();
        if versions.is_empty() {
            return Err(TlsError::NoVersion { min, max });
        }
        let certificates = Arc::new(ServerCertificates::new(certificates)?);
        let verifier = ProveAndAccept::new(provider.signature_verification_algorithms);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(TlsError::Setup)?
            .with_client_cert_verifier(Arc::new(verifier))
            .with_cert_resolver(Arc::clone(&certificates) as _);
        config.alpn_protocols = Alpn::OFFERED.map(|each| each.name().into()).into();
        // Tickets instead of a session cache: a cache would keep chains of the client's choosing.
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(TlsError::Setup)?;
        Ok(Self {
            config: Arc::new(config),
            certificates,
        })
    }

    /// Pairs a chain, leaf first, with its private key.
    pub fn certified_key(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Arc<CertifiedKey>, TlsError> {
        let provider: CryptoProvider = aws_lc_rs::default_provider();
        match CertifiedKey::from_der(chain, key, &provider) {
            Ok(pair) => Ok(Arc::new(pair)),
            Err(rustls::Error::NoCertificatesPresented) => Err(TlsError::NoCertificate),
            Err(error) => Err(TlsError::UnusableCertificate(error)),
        }
    }

    /// Serves `certificates` from the next full handshake on; running connections stay.
    pub fn replace(&self, certificates: Vec<Arc<CertifiedKey>>) -> Result<(), TlsError> {
        self.certificates.replace(certificates)
    }

    /// Returns the settings in the form that a handshake takes.
    pub(super) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.config)
    }
}

/// Refuses a list without certificates, and pairs that do not belong together.
fn check(certificates: &[Arc<CertifiedKey>]) -> Result<(), TlsError> {
    if certificates.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    for pair in certificates {
        match pair.keys_match() {
            // A key held elsewhere may not tell its public half; the handshake will show.
            Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => {},
            Err(rustls::Error::NoCertificatesPresented) => return Err(TlsError::NoCertificate),
            Err(error) => return Err(TlsError::UnusableCertificate(error)),
        }
    }
    Ok(())
}
