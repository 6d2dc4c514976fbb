//! TLS of the listener: versions, ALPN, resumption, server certificates and client chains.

mod client_certificates;
mod server_certificates;

use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use rustls::{InconsistentKeys, ServerConfig, SupportedProtocolVersion};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use self::client_certificates::PossessionVerifier;
use self::server_certificates::ServerCertificates;
use crate::connection::{Alpn, Connection, TlsVersion};

/// TLS settings of a listener, with server certificates that can be replaced while it runs.
#[derive(Debug)]
pub struct ServerTls {
    config: Arc<ServerConfig>,
    certificates: Arc<ServerCertificates>,
    versions: RangeInclusive<TlsVersion>,
}

/// Whether clients are asked for certificates.
#[derive(Clone, Copy, Debug)]
enum ClientAuth {
    Requested,
    Off,
}

/// Errors of setting up TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// There is no certificate.
    #[error("a TLS listener needs at least one certificate with its key")]
    NoCertificate,
    /// Certificate and key do not match, or one of them cannot be used.
    #[error("the server certificate cannot be used with its key")]
    UnusableCertificate(#[source] rustls::Error),
    /// The minimum version is above the maximum.
    #[error("the minimum TLS version ({min:?}) is above the maximum ({max:?})")]
    NoVersion {
        /// Lowest version asked for.
        min: TlsVersion,
        /// Highest version asked for.
        max: TlsVersion,
    },
    /// Rustls refused the settings.
    #[error("TLS could not be set up")]
    Setup(#[source] rustls::Error),
}

impl ServerTls {
    /// Sets up TLS that serves `certificates` in the versions from `min` to `max`.
    ///
    /// The client's server name selects the certificate: the first one whose subject alternative
    /// names cover it, else the first of all. Sessions are resumed with tickets, so the server
    /// keeps no state per session; a resumed session carries the client's chain.
    pub fn new(
        certificates: Vec<Arc<CertifiedKey>>,
        min: TlsVersion,
        max: TlsVersion,
    ) -> Result<Self, TlsError> {
        let certificates = Arc::new(ServerCertificates::new(certificates)?);
        Self::with_resolver(certificates, min..=max, ClientAuth::Requested)
    }

    /// The same certificates, also after [`Self::replace`], in other versions.
    pub fn in_versions(&self, min: TlsVersion, max: TlsVersion) -> Result<Self, TlsError> {
        let certificates = Arc::clone(&self.certificates);
        Self::with_resolver(certificates, min..=max, ClientAuth::Requested)
    }

    /// The same certificates, also after [`Self::replace`], for clients that are not asked for theirs.
    /// Browsers would ask their users which one to show.
    pub fn without_client_certificates(&self) -> Result<Self, TlsError> {
        let certificates = Arc::clone(&self.certificates);
        Self::with_resolver(certificates, self.versions.clone(), ClientAuth::Off)
    }

    fn with_resolver(
        certificates: Arc<ServerCertificates>,
        range: RangeInclusive<TlsVersion>,
        client_auth: ClientAuth,
    ) -> Result<Self, TlsError> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let versions: Vec<&SupportedProtocolVersion> =
            [(TlsVersion::Tls12, &TLS12), (TlsVersion::Tls13, &TLS13)]
                .into_iter()
                .filter(|(version, _)| range.contains(version))
                .map(|(_, supported)| supported)
                .collect();
        if versions.is_empty() {
            let (min, max) = range.into_inner();
            return Err(TlsError::NoVersion { min, max });
        }
        let verifier = PossessionVerifier::new(provider.signature_verification_algorithms);
        let config = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&versions)
            .map_err(TlsError::Setup)?;
        let config = match client_auth {
            ClientAuth::Requested => config.with_client_cert_verifier(Arc::new(verifier)),
            ClientAuth::Off => config.with_no_client_auth(),
        };
        let mut config = config.with_cert_resolver(Arc::clone(&certificates) as _);
        // Tickets instead of a session cache: a cache would store chains that clients choose.
        config.ticketer = aws_lc_rs::Ticketer::new().map_err(TlsError::Setup)?;
        Ok(Self {
            config: Arc::new(config),
            certificates,
            versions: range,
        })
    }

    /// Negotiates TLS within a stream that `connection` carries, such as that of a WebSocket. What is known
    /// of the client then is returned as well; as with any connection, its certificates are not verified.
    pub async fn accept_within<S>(
        &self,
        stream: S,
        connection: &Connection,
    ) -> io::Result<(TlsStream<S>, Connection)>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let stream = TlsAcceptor::from(Arc::clone(&self.config))
            .accept(stream)
            .await?;
        let (peer, local) = (connection.peer, connection.local);
        let inner = Connection::from_handshake(stream.get_ref().1, &[], peer, local);
        Ok((stream, inner))
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

    /// Serves `certificates` from the next full handshake on; existing connections stay.
    pub fn replace(&self, certificates: Vec<Arc<CertifiedKey>>) -> Result<(), TlsError> {
        self.certificates.replace(certificates)
    }

    /// The settings with these protocols on offer, the preferred one first. They serve the same
    /// certificates, also after [`Self::replace`].
    pub(crate) fn offering(&self, protocols: &[Alpn]) -> Arc<ServerConfig> {
        let mut config = (*self.config).clone();
        config.alpn_protocols = protocols.iter().map(|each| each.name().into()).collect();
        Arc::new(config)
    }
}

/// Refuses an empty list, and keys that do not match their certificates.
fn validate_certificates(certificates: &[Arc<CertifiedKey>]) -> Result<(), TlsError> {
    if certificates.is_empty() {
        return Err(TlsError::NoCertificate);
    }
    for pair in certificates {
        match pair.keys_match() {
            // An external key may not reveal its public half; the handshake will show.
            Ok(()) | Err(rustls::Error::InconsistentKeys(InconsistentKeys::Unknown)) => {},
            Err(rustls::Error::NoCertificatesPresented) => return Err(TlsError::NoCertificate),
            Err(error) => return Err(TlsError::UnusableCertificate(error)),
        }
    }
    Ok(())
}
