//! Routers on the control channel: who is let in, and whether it still may be there.

use super::tunneler::is_tunneler;
use crate::app::App;
use crate::audit::{RefusalEvent, record_refusal};
use crate::error::AppError;
use crate::network::ClientChainError;
use portcullis_domain::access::Origin;
use portcullis_domain::audit::Actor;
use portcullis_domain::ids::{RecordNumber, RouterId};
use portcullis_domain::router::{Router, RouterCertificate, judges_posture};
use portcullis_pki::{Certificate, Sha256Fingerprint};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, reference, router_key};

/// A router on the control channel, which has proved by its certificate who it is. Only
/// [`admit`] makes one.
///
/// Whatever a router asks for is judged by this, never by what its messages say about it.
#[derive(Debug, Clone)]
pub struct ConnectedRouter {
    number: RecordNumber,
    id: RouterId,
    /// That of the certificate of the connection.
    fingerprint: String,
    /// The enrollment that the certificate goes back to.
    enrollment: String,
    /// The key of that certificate.
    key: Sha256Fingerprint,
    is_edge: bool,
    is_tunneler_enabled: bool,
    judges_posture: bool,
    origin: Origin,
}

impl ConnectedRouter {
    /// Number of the router's record.
    pub fn number(&self) -> RecordNumber {
        self.number
    }

    pub fn id(&self) -> &RouterId {
        &self.id
    }

    /// Lower-case hex SHA-1 of the certificate of its connection.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The key that it has proved to hold.
    pub(super) fn key(&self) -> &Sha256Fingerprint {
        &self.key
    }

    /// Whether it is an edge router, or else a transit router.
    pub fn is_edge(&self) -> bool {
        self.is_edge
    }

    /// Whether its tunneler was enabled when it connected.
    pub fn is_tunneler_enabled(&self) -> bool {
        self.is_tunneler_enabled
    }

    /// The same with the capabilities of its hello; before, it has none.
    #[must_use]
    pub fn with_capabilities(self, capabilities: u64) -> Self {
        Self {
            judges_posture: judges_posture(capabilities),
            ..self
        }
    }

    /// Whether it judges clients by what they report to it about their machines.
    pub(crate) fn judges_posture(&self) -> bool {
        self.judges_posture
    }

    /// The router in the audit trail.
    pub(crate) fn actor(&self) -> Actor {
        Actor::connected_router(&self.origin, self.id.as_str())
    }
}

/// Why a router may not be on the control channel, as its operator reads it.
#[derive(Debug, thiserror::Error)]
pub enum RouterRefusal {
    #[error("the router presented no client certificate")]
    NoCertificate,
    #[error("the router's certificate was not issued by this network's authority: {0}")]
    Untrusted(ClientChainError),
    #[error(
        "the router's certificate, or that of the authority which issued it, is not valid at this \
         time; compare the clocks, or re-enroll the router"
    )]
    OutsideValidity,
    #[error("this network has no router with this id")]
    Unknown,
    #[error("the router is not enrolled")]
    NotEnrolled,
    #[error(
        "the router's certificate is not the one that it enrolled with; if it was enrolled again, \
         use the files of the last enrollment"
    )]
    OtherCertificate,
    #[error("the router is disabled")]
    Disabled,
    /// Nothing is known against the router.
    #[error("the controller cannot look up the router at the moment")]
    Unavailable(#[from] AppError),
}

impl RouterRefusal {
    /// Whether the router may be let in soon without anybody changing anything.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

impl From<StoreError> for RouterRefusal {
    fn from(error: StoreError) -> Self {
        Self::Unavailable(error.into())
    }
}

/// Lets in the router with the id `claimed_id`, if the certificate is its own.
///
/// `chain` is what it presented, DER with the leaf first; TLS has proved that it holds the key of
/// the leaf. Everything else in the chain may have come from anybody, and only helps the leaf to
/// the network's authority.
///
/// # Errors
///
/// [`RouterRefusal`]. Refusals are in the audit trail, as many as its limits let through.
pub fn admit(
    app: &App,
    origin: &Origin,
    chain: &[&[u8]],
    claimed_id: &str,
) -> Result<ConnectedRouter, RouterRefusal> {
    let admitted = judge(app, origin, chain, claimed_id);
    if let Err(refusal) = &admitted
        && !refusal.is_temporary()
    {
        let reason = refusal.to_string();
        let event = RefusalEvent {
            operation: "router.refused",
            origin,
            caller: None,
            login_method: None,
            name: Some(claimed_id),
            request: None,
            reason: &reason,
        };
        record_refusal(app, &event);
    }
    admitted
}

fn judge(
    app: &App,
    origin: &Origin,
    chain: &[&[u8]],
    claimed_id: &str,
) -> Result<ConnectedRouter, RouterRefusal> {
    let now = app.env().now();
    let leaf = chain.first().ok_or(RouterRefusal::NoCertificate)?;
    let proved = app
        .network()
        .find_client_chain(chain, now)
        .map_err(RouterRefusal::Untrusted)?;
    if !proved.validity.contains(now) {
        return Err(RouterRefusal::OutsideValidity);
    }
    let view = app.snapshot()?;
    let found: Found<Router> = view
        .rows()
        .find(&reference(&RouterId::from_wire(claimed_id)))?
        .ok_or(RouterRefusal::Unknown)?;
    let router = &found.entity;
    let certificate = enrolled_certificate(router)?;
    // Fingerprints are public, so comparing them may take as long as it takes.
    if !certificate.identifies(&proved.fingerprint.to_string()) {
        return Err(RouterRefusal::OtherCertificate);
    }
    let leaf = Certificate::from_der(*leaf).map_err(ClientChainError::from);
    let leaf = leaf.map_err(RouterRefusal::Untrusted)?;
    // Who is disabled is told to the router itself only.
    check_enabled(router)?;
    Ok(ConnectedRouter {
        number: found.number(),
        id: router.id.clone(),
        fingerprint: proved.fingerprint.to_string(),
        enrollment: certificate.enrollment().to_owned(),
        key: leaf.key_fingerprint(),
        is_edge: router.spec.edge().is_some(),
        is_tunneler_enabled: is_tunneler(router),
        judges_posture: false,
        origin: origin.clone(),
    })
}

/// Checks that a router may still be on the control channel: it exists, is enabled, and was not
/// enrolled anew. If its certificate was extended, its connection stays; the next one needs the new
/// certificate.
///
/// # Errors
///
/// [`RouterRefusal`].
pub fn recheck(app: &App, router: &ConnectedRouter) -> Result<(), RouterRefusal> {
    find_connected(app.snapshot()?.rows(), router)?;
    Ok(())
}

/// The record of a router that may still be on the control channel; see [`recheck`].
pub(crate) fn find_connected(
    rows: Rows<'_>,
    router: &ConnectedRouter,
) -> Result<Found<Router>, RouterRefusal> {
    let key = router_key(router.number);
    let entity: Router = rows.get(&key)?.ok_or(RouterRefusal::Unknown)?;
    let certificate = enrolled_certificate(&entity)?;
    if certificate.enrollment() != router.enrollment {
        return Err(RouterRefusal::OtherCertificate);
    }
    check_enabled(&entity)?;
    Ok(Found { key, entity })
}

fn enrolled_certificate(router: &Router) -> Result<&RouterCertificate, RouterRefusal> {
    let certificate = router.spec.certificate.as_ref();
    certificate.ok_or(RouterRefusal::NotEnrolled)
}

fn check_enabled(router: &Router) -> Result<(), RouterRefusal> {
    if router.spec.disabled {
        return Err(RouterRefusal::Disabled);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
