//! For whom a terminator is created, and whether that is allowed.

use super::create::create;
use super::error::TerminatorError;
use super::offer::{Offer, check_cost, check_text, hash_secret};
use super::{EDGE_BINDING, TUNNEL_BINDING};
use crate::app::App;
use crate::error::AppError;
use crate::rights::{self, NamedService, PresentedSession, Refusal, Right};
use crate::routers::ConnectedRouter;
use portcullis_domain::FieldError;
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{RecordNumber, ServiceId, TerminatorId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_domain::terminator::{PeerData, Terminator, TerminatorHost, TerminatorSpec};
use portcullis_index::Slot;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, TERMINATOR, reference};
use secrecy::SecretSlice;
use std::sync::Arc;

/// Creates a terminator for a client that hosts the service of its service session.
///
/// # Errors
///
/// [`TerminatorError`], which says what the client had better do.
pub async fn create_for_client(
    app: &Arc<App>,
    router: &ConnectedRouter,
    presented: PresentedSession<'_>,
    offer: Offer,
) -> Result<(), TerminatorError> {
    let right = rights::judge(app, presented, ServiceGrant::Bind, router)?;
    create_by_right(app, router, EDGE_BINDING, &right, offer).await
}

/// Creates a terminator for the tunneler of the router.
///
/// # Errors
///
/// [`TerminatorError`].
pub async fn create_for_tunneler(
    app: &Arc<App>,
    router: &ConnectedRouter,
    service: &ServiceId,
    offer: Offer,
) -> Result<(), TerminatorError> {
    let right = judge_tunneler(app, router, NamedService::Id(service))?;
    create_by_right(app, router, TUNNEL_BINDING, &right, offer).await
}

/// A terminator of the configuration of a router.
#[derive(Debug, Clone)]
pub struct ConfiguredTerminator<'c> {
    /// Id or name of the service.
    pub service: &'c str,
    /// Component of the router that connects circuits to the service.
    pub binding: String,
    /// What the binding connects to.
    pub address: String,
    pub cost: u32,
    pub precedence: Precedence,
    /// Instance of the service; empty for none.
    pub instance_id: String,
    /// What the hosts of the instance share; may be empty.
    pub instance_secret: SecretSlice<u8>,
    /// Values for whoever dials.
    pub peer_data: PeerData,
}

/// Creates a terminator of the configuration of a router; returns its id. If the router has the same
/// one already, that is it.
///
/// # Errors
///
/// [`TerminatorError`].
pub async fn create_configured(
    app: &Arc<App>,
    router: &ConnectedRouter,
    configured: ConfiguredTerminator<'_>,
) -> Result<TerminatorId, TerminatorError> {
    let right = judge_tunneler(app, router, NamedService::IdOrName(configured.service))?;
    if [EDGE_BINDING, TUNNEL_BINDING].contains(&configured.binding.as_str()) {
        let reason = "is for terminators that are created otherwise";
        return Err(FieldError::new("binding", reason, configured.binding).into());
    }
    let host = needs_right(app, &right)?.then(|| host_of(&right));
    let address = check_text("address", &configured.address)?;
    let spec = TerminatorSpec {
        binding: check_text("binding", &configured.binding)?.to_owned(),
        cost: check_cost(configured.cost)?,
        precedence: configured.precedence,
        instance_secret: hash_secret(app, &configured.instance_id, &configured.instance_secret),
        instance_id: check_text("instanceId", &configured.instance_id)?.to_owned(),
        peer_data: configured.peer_data,
        host_id: host.as_ref().map(|host| host.identity.to_string()),
        host,
        ..TerminatorSpec::new(right.service.id.clone(), router.id().clone(), address)
    };
    let id = match find_same(app, router, &spec)? {
        Some(id) => id,
        None => TerminatorId::generate(&*app.env().entropy).map_err(AppError::from)?,
    };
    create(app, router, id.clone(), spec).await?;
    Ok(id)
}

/// Whether hosting the service takes a right: only the fabric API knows the others.
fn needs_right(app: &App, right: &Right) -> Result<bool, TerminatorError> {
    let view = app.snapshot()?;
    let service: Option<Found<Arc<Service>>> =
        view.rows().find_shared(&reference(&right.service.id))?;
    let service = service.ok_or(Refusal::InvalidService)?;
    Ok(!service.entity.spec.is_fabric_only)
}

/// The terminator that a router has already created with the same specification.
fn find_same(
    app: &App,
    router: &ConnectedRouter,
    spec: &TerminatorSpec,
) -> Result<Option<TerminatorId>, TerminatorError> {
    let numbers: Vec<RecordNumber> = {
        let catalog = app.require_lists()?.terminators();
        let columns = catalog.columns();
        let on_router = columns.routers().slots_with(router.id().as_str());
        let of_service = columns.services().slots_with(spec.service.as_str());
        let both = on_router.zip(of_service).map(|(left, right)| left & right);
        let slots = both.unwrap_or_default();
        let slots = slots.iter().map(Slot::from_bit);
        slots.filter_map(|slot| catalog.number(slot)).collect()
    };
    let view = app.snapshot()?;
    for number in numbers {
        let key = RecordKey::root(TERMINATOR, number.0);
        let found: Option<Arc<Terminator>> = view.rows().get_shared(&key)?;
        if let Some(found) = found
            && found.spec.is_same(spec)
        {
            return Ok(Some(found.id.clone()));
        }
    }
    Ok(None)
}

async fn create_by_right(
    app: &Arc<App>,
    router: &ConnectedRouter,
    binding: &str,
    right: &Right,
    offer: Offer,
) -> Result<(), TerminatorError> {
    let place = (&right.service.id, router.id());
    let spec = offer.spec(app, place, binding, host_of(right))?;
    create(app, router, offer.id, spec).await
}

/// Who hosts by a right.
fn host_of(right: &Right) -> TerminatorHost {
    let session = right.session.as_ref();
    TerminatorHost {
        identity: right.identity.clone(),
        session: session.and_then(|session| session.service_session.clone()),
        access_token: session.and_then(|session| session.access_token.clone()),
    }
}

/// Judges whether the router itself may host. Its tunneler is told of services that it may not host
/// as of those that do not exist.
pub(super) fn judge_tunneler(
    app: &App,
    router: &ConnectedRouter,
    service: NamedService<'_>,
) -> Result<Right, Refusal> {
    rights::judge_bind_by_router(app, service, router).map_err(|refusal| match refusal {
        Refusal::AccessDenied => Refusal::InvalidService,
        Refusal::RouterNotAllowed => Refusal::AccessDenied,
        other => other,
    })
}
