//! Peers of links: whether the router that dials is the one that it says.

use crate::app::App;
use crate::error::AppError;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::Router;
use portcullis_storage::tables::{Found, reference};

/// Why a link is refused to the router that dialed it.
#[derive(Debug, thiserror::Error)]
pub enum PeerRefusal {
    #[error("this network has no router with this id")]
    Unknown,
    #[error("the router is not enrolled")]
    NotEnrolled,
    #[error("the fingerprint is not that of the router's certificate")]
    OtherCertificate,
    #[error("the router is disabled")]
    Disabled,
    /// Nothing is known against the router. A router that is told of a failure drops the link and
    /// dials at once, so this is better not answered at all.
    #[error("the controller cannot look up the router at the moment")]
    Unavailable(#[from] AppError),
}

impl PeerRefusal {
    /// Whether asking again may be answered differently without anybody changing anything.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

/// Verifies that a peer whose certificates have these fingerprints, lower-case hex SHA-1, is the
/// router `id`. Only the first fingerprint counts: it is that of the certificate whose key the peer
/// holds, and others may be anybody's.
///
/// # Errors
///
/// [`PeerRefusal`].
pub fn verify_peer(app: &App, id: &RouterId, fingerprints: &[String]) -> Result<(), PeerRefusal> {
    let view = app.snapshot()?;
    let found: Option<Found<Router>> = view.rows().find(&reference(id)).map_err(AppError::from)?;
    let router = found.ok_or(PeerRefusal::Unknown)?.entity;
    let certificate = router.spec.certificate.as_ref();
    let certificate = certificate.ok_or(PeerRefusal::NotEnrolled)?;
    let first = fingerprints.first();
    if !first.is_some_and(|first| certificate.identifies(first)) {
        return Err(PeerRefusal::OtherCertificate);
    }
    if router.spec.disabled {
        return Err(PeerRefusal::Disabled);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
