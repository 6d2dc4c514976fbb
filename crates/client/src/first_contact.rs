//! First contact with a controller that is not trusted yet.
//!
//! Results are unauthenticated claims of the server. They must be confirmed by the user, or match a
//! signed enrollment token, before they are trusted.

use crate::build_error::BuildError;
use crate::client::Client;
use crate::error::ClientError;
use crate::trust::Trust;
use rustls_pki_types::CertificateDer;
use std::time::Duration;
use url::Url;

/// First contact with a controller failed.
#[derive(Debug, thiserror::Error)]
pub enum FirstContactError {
    /// The address is not valid for a controller.
    #[error(transparent)]
    Address(#[from] BuildError),
    /// The request failed.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Unauthenticated claims of a controller.
#[derive(Debug, Clone)]
pub struct Probe {
    /// Certificate chain presented in TLS, leaf first.
    pub chain: Vec<CertificateDer<'static>>,
    /// CA certificates of its network: PKCS#7 in base64 (RFC 7030 section 4.1.3).
    pub ca_bundle: String,
}

/// Fetches the certificate chain and CA certificates of the controller at `url`, without trusting it.
///
/// # Errors
///
/// [`FirstContactError`] when it is unreachable, or responds with something else.
pub async fn probe(url: &Url, timeout: Duration) -> Result<Probe, FirstContactError> {
    let client = insecure_client(url, timeout)?;
    Ok(Probe {
        chain: client.peer_chain().await?,
        ca_bundle: client.ca_bundle().await?,
    })
}

/// Fetches the certificate chain of the server at `url`, leaf first, without trusting it.
///
/// # Errors
///
/// [`FirstContactError`] when it is unreachable.
pub async fn peer_chain(
    url: &Url,
    timeout: Duration,
) -> Result<Vec<CertificateDer<'static>>, FirstContactError> {
    Ok(insecure_client(url, timeout)?.peer_chain().await?)
}

fn insecure_client(url: &Url, timeout: Duration) -> Result<Client, BuildError> {
    Client::builder(url, Trust::accept_any())
        .timeout(timeout)
        .build()
}
