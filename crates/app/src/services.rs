//! Services, which identities dial and bind.

mod config_types;
mod updates;
mod view_builder;

pub(crate) use config_types::RequestedConfigTypes;
pub use updates::last_change;
pub(crate) use view_builder::ServiceViewBuilder;

use crate::action::actions;
use crate::app::App;
use crate::configs;
use crate::error::AppError;
use crate::listing::{self, ListPage, ListRequest, ListScope, Listing, Paging};
use crate::managed::{Read, Resource, ViewContext, Writable, get_visible};
use crate::metrics::Timing;
use crate::privilege::check_admin;
use crate::records::get_identity;
use portcullis_domain::access::{Access, ApiSurface, Caller, Permit};
use portcullis_domain::config::ConfigTarget;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, RecordNumber, ServiceId};
use portcullis_domain::permission::Subject;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::view::{ServiceGrants, ServiceView};
use portcullis_index::{AccessGuard, Catalog};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{
    Found, ManagedKind as _, Rows, UniqueIndex, UniqueValue, reference,
};
use roaring::RoaringBitmap;
use std::ops::ControlFlow;

actions! {
    /// Reads the services that the caller may dial or bind.
    ReadOwnServices = Access::Full;
    /// Asks when the services that the caller sees last changed.
    ReadUpdates = Access::Full;
    /// Calls an operation that the API describes and no controller implements.
    CallUnsupported = Access::Full;
}

impl Writable for ServiceSpec {}

impl Resource for ServiceSpec {
    const SUBJECT: Subject = Subject::Service;
    type View = ServiceView;

    /// Fabric-only services do not exist on the edge APIs.
    fn is_visible(spec: &Self, surface: ApiSurface) -> bool {
        surface == ApiSurface::Fabric || !spec.is_fabric_only
    }

    /// Grants of the viewer are not included, unlike the state of its posture checks.
    fn build_view(
        context: ViewContext<'_>,
        found: Found<Service>,
    ) -> Result<ServiceView, AppError> {
        let number = found.number();
        let mut view = ServiceView::from_service(found.entity);
        if !context.app.require_lists()?.posture_checks().is_empty() {
            let (rows, identity) = (context.rows, context.caller.identity_number);
            let (_grants, posture) = context
                .evaluator()?
                .evaluate_service(rows, identity, number)?;
            view.posture = posture;
        }
        Ok(view)
    }

    fn validate(rows: Rows<'_>, before: Option<&Service>, after: &Service) -> Result<(), AppError> {
        // Existing configurations may be of a type that was changed since.
        let configs_changed = before.is_none_or(|before| before.spec.configs != after.spec.configs);
        if configs_changed {
            configs::validate_configs(rows, &after.spec.configs, ConfigTarget::Service)?;
        }
        Ok(())
    }
}

/// Parameters of service lists besides filter, order and page.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServiceListOptions<'q> {
    /// Id or name of the identity as which an administrator lists services.
    pub as_identity: Option<&'q str>,
    /// Ids or names of the config types whose data is requested; if empty, those given at login.
    pub config_types: &'q [&'q str],
}

/// Reads one service, as an administrator sees it.
pub fn read(
    app: &App,
    permit: &Permit<Read<ServiceSpec>>,
    id: &ServiceId,
) -> Result<ServiceView, AppError> {
    let view = app.snapshot()?;
    app.require_lists()?;
    let found = get_edge_service(view.rows(), id)?;
    let viewer = ServiceViewBuilder::for_caller(app, view.rows(), permit.caller())?;
    viewer.build(found, &RequestedConfigTypes::Nothing)
}

/// Lists all services, as an administrator sees them.
///
/// # Errors
///
/// [`AppError::Denied`] for a caller who is no administrator and lists services as another
/// identity, since the result discloses information about that identity.
pub fn list(
    app: &App,
    permit: &Permit<Read<ServiceSpec>>,
    request: &ListRequest<'_>,
    options: &ServiceListOptions<'_>,
    show: &mut dyn FnMut(ServiceView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse_with_roles::<Service>()?;
    let identity = options.as_identity.filter(|named| !named.is_empty());
    if identity.is_some() {
        let rule = "only administrators may list services as another identity";
        check_admin(permit.caller(), rule)?;
    }
    list_in_scope(
        app,
        permit.caller(),
        &listing,
        &ListScope::all(request).restricted_by_catalog(edge_services),
        (identity, options.config_types),
        show,
    )
}

fn edge_services(services: &Catalog<Service>) -> RoaringBitmap {
    services.columns().edge().clone()
}

/// Gets a service that is visible on the edge APIs.
pub(crate) fn get_edge_service(rows: Rows<'_>, id: &ServiceId) -> Result<Found<Service>, AppError> {
    get_visible::<ServiceSpec>(rows, id, ApiSurface::Edge)
}

/// Whether a service with this id is visible on the edge APIs.
pub(crate) fn edge_service_exists(rows: Rows<'_>, id: &ServiceId) -> Result<bool, StoreError> {
    let found = rows.find::<Service>(&reference(id))?;
    Ok(found.is_some_and(|found| ServiceSpec::is_visible(&found.entity.spec, ApiSurface::Edge)))
}

/// Lists the services that the caller may dial or bind, including those whose posture checks it
/// fails.
pub fn list_usable(
    app: &App,
    permit: &Permit<ReadOwnServices>,
    request: &ListRequest<'_>,
    config_types: &[&str],
    show: &mut dyn FnMut(ServiceView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let _timing = Timing::start(&app.metrics().services_listed);
    let listing = request.parse_with_roles::<Service>()?;
    updates::record_listing(app, permit.caller())?;
    let caller = permit.caller();
    let usable = |guard: &AccessGuard<'_>| {
        let identity = guard.identities().slot(caller.identity_number);
        identity.map_or_else(RoaringBitmap::new, |identity| {
            guard.access().services(None, identity, guard.kinds())
        })
    };
    let scope = ListScope::all(request).restricted_by_policies(&usable);
    list_in_scope(app, caller, &listing, &scope, (None, config_types), show)
}

/// Reads a service that the caller may dial or bind.
///
/// # Errors
///
/// "Not found" for one that the caller may neither dial nor bind, as for one that does not exist.
pub fn read_usable(
    app: &App,
    permit: &Permit<ReadOwnServices>,
    id: &ServiceId,
) -> Result<ServiceView, AppError> {
    let view = app.snapshot()?;
    let found = get_usable(app, view.rows(), permit.caller(), id)?;
    let viewer = ServiceViewBuilder::for_caller(app, view.rows(), permit.caller())?;
    let requested = viewer.requested_config_types(view.rows(), &[])?;
    viewer.build(found, &requested)
}

/// Gets a service that the caller may dial or bind.
pub(crate) fn get_usable(
    app: &App,
    rows: Rows<'_>,
    caller: &Caller,
    id: &ServiceId,
) -> Result<Found<Service>, AppError> {
    let found = get_edge_service(rows, id)?;
    let grants = grants(app, caller.identity_number, found.number())?;
    if grants.is_empty() {
        return Err(AppError::not_found(ServiceSpec::NOUN, id.as_str()));
    }
    Ok(found)
}

fn list_in_scope(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    scope: &ListScope<'_, Service>,
    (identity, config_types): (Option<&str>, &[&str]),
    show: &mut dyn FnMut(ServiceView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    listing::check_filter(listing, caller)?;
    let answer: ListPage<'_, Service> = ListPage::new(app, listing, scope)?;
    let rows = answer.view.rows();
    let viewer = ServiceViewBuilder::for_caller(app, rows, caller)?;
    let viewer = match identity {
        Some(named) => viewer.for_identity(get_named_identity(rows, named)?),
        None => viewer,
    };
    let requested = viewer.requested_config_types(rows, config_types)?;
    answer.for_each(&mut |found| Ok(show(viewer.build(found, &requested)?)))
}

/// Gets an identity by id, or else by name.
fn get_named_identity(rows: Rows<'_>, named: &str) -> Result<Found<Identity>, AppError> {
    match get_identity(rows, &IdentityId::from_wire(named)) {
        Err(AppError::NotFound { .. }) => {},
        found_or_failed => return found_or_failed,
    }
    rows.find(&UniqueValue::new(UniqueIndex::IdentityName, named))?
        .ok_or_else(|| AppError::not_found("identity", named))
}

/// The grants of an identity for a service, by record number.
pub(crate) fn grants(
    app: &App,
    identity: RecordNumber,
    service: RecordNumber,
) -> Result<ServiceGrants, AppError> {
    let guard = app.require_lists()?.access();
    let Some((identity, service)) = guard.pair(identity, service) else {
        return Ok(ServiceGrants::default());
    };
    let granted = |grant: &ServiceGrant| {
        let policies = guard
            .access()
            .granting(*grant, identity, service, guard.kinds());
        !policies.is_empty()
    };
    Ok(ServiceGrant::ALL.into_iter().filter(granted).collect())
}
