//! Meeting a controller of which nothing is known yet.
//!
//! What comes from here is what somebody claims who may be anyone. It becomes worth something when
//! a person confirms it, or when a signed enrollment token turns out to fit it.

use crate::builder::BuildError;
use crate::client::Client;
use crate::error::ClientError;
use crate::trust::Trust;
use rustls_pki_types::CertificateDer;
use std::time::Duration;
use url::Url;

/// A controller could not be met.
#[derive(Debug, thiserror::Error)]
pub enum FirstContactError {
    /// The address is none of a controller.
    #[error(transparent)]
    Address(#[from] BuildError),
    /// No answer came that can be understood.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// What a controller claims about itself.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The certificates that it shows in TLS, its own first.
    pub chain: Vec<CertificateDer<'static>>,
    /// The authorities of its network: PKCS#7 in base64 (RFC 7030 section 4.1.3).
    pub ca_bundle: String,
}

/// Asks the controller at `url` for its certificates and authorities, believing nothing.
///
/// # Errors
///
/// [`FirstContactError`] when it is not reached, or answers something else.
pub async fn probe(url: &Url, timeout: Duration) -> Result<Probe, FirstContactError> {
    let client = gullible(url, timeout)?;
    Ok(Probe {
        chain: client.peer_chain().await?,
        ca_bundle: client.ca_bundle().await?,
    })
}

/// Asks the server at `url` for the certificates that it shows in TLS, its own first, believing
/// nothing.
///
/// # Errors
///
/// [`FirstContactError`] when it is not reached.
pub async fn peer_chain(
    url: &Url,
    timeout: Duration,
) -> Result<Vec<CertificateDer<'static>>, FirstContactError> {
    Ok(gullible(url, timeout)?.peer_chain().await?)
}

fn gullible(url: &Url, timeout: Duration) -> Result<Client, BuildError> {
    Client::builder(url, Trust::anyone())
        .timeout(timeout)
        .build()
}
