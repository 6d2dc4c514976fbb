//! Services: what identities dial and bind.

mod config_types;
mod updates;
mod viewer;

pub(crate) use config_types::Wanted;
pub(crate) use updates::ServiceUpdates;
pub use updates::last_change;
pub(crate) use viewer::Viewer;

use crate::action::actions;
use crate::app::App;
use crate::configs;
use crate::error::AppError;
use crate::identities;
use crate::listing::{self, Answer, Asked, Listing, Paging, Sight};
use crate::managed::{Beside, Face, Made, Read, find_seen};
use crate::rank::check_admin;
use portcullis_domain::access::{Access, Caller, Permit};
use portcullis_domain::config::Target;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, Number, ServiceId};
use portcullis_domain::permission::Subject;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::view::{ServiceGrants, ServiceView};
use portcullis_index::{AccessGuard, Catalog};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Index, Rows, UniqueValue, reference};
use roaring::RoaringBitmap;
use std::ops::ControlFlow;

actions! {
    /// Reads the services that the caller may dial or bind.
    ReadOwnServices = Access::Full;
    /// Asks when the services that the caller sees last changed.
    ReadUpdates = Access::Full;
    /// Asks for what the API describes and no controller does.
    Ask = Access::Full;
}

impl Made for ServiceSpec {
    const NOUN: &'static str = "service";
    const SUBJECT: Subject = Subject::Service;
    type View = ServiceView;

    /// The edge does not know what is the fabric's alone.
    fn is_seen(spec: &Self, face: Face) -> bool {
        face == Face::Fabric || !spec.is_fabric_only
    }

    /// What the viewer may do with it is not shown there; how its posture stands is.
    fn view(beside: Beside<'_>, found: Found<Service>) -> Result<ServiceView, AppError> {
        let number = found.number();
        let mut view = ServiceView::alone(found.entity);
        if !beside.app.require_lists()?.posture_checks().is_empty() {
            let (rows, identity) = (beside.rows, beside.caller.identity_number);
            let (_grants, posture) = beside.judge()?.stand(rows, identity, number)?;
            view.posture = posture;
        }
        Ok(view)
    }

    fn check(rows: Rows<'_>, before: Option<&Service>, after: &Service) -> Result<(), AppError> {
        // What it has already may be of a type whose meaning was changed since.
        let has_other = before.is_none_or(|before| before.spec.configs != after.spec.configs);
        if has_other {
            configs::check_of(rows, &after.spec.configs, Target::Service)?;
        }
        Ok(())
    }
}

/// What is asked of services besides filter, order and page.
#[derive(Debug, Clone, Copy, Default)]
pub struct ServicesAsked<'q> {
    /// Through whose eyes an administrator wants to see them: an id or a name.
    pub as_identity: Option<&'q str>,
    /// The types of configurations whose data is wanted, by id or name; none for those that were
    /// named at the login.
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
    let found = find_of_the_edge(view.rows(), id)?;
    let viewer = Viewer::of_caller(app, view.rows(), permit.caller())?;
    viewer.look(found, &Wanted::Nothing)
}

/// Lists all services, as an administrator sees them.
///
/// # Errors
///
/// [`AppError::Denied`] for who wants to see them through somebody else's eyes and is no administrator:
/// what is shown then tells about that identity.
pub fn list(
    app: &App,
    permit: &Permit<Read<ServiceSpec>>,
    asked: &Asked<'_>,
    more: &ServicesAsked<'_>,
    show: &mut dyn FnMut(ServiceView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of_roles::<Service>()?;
    let identity = more.as_identity.filter(|named| !named.is_empty());
    if identity.is_some() {
        let rule = "only administrators may list services as another identity";
        check_admin(permit.caller(), rule)?;
    }
    answer(
        app,
        permit.caller(),
        &listing,
        &Sight::of_all(asked).of_marked(of_the_edge),
        (identity, more.config_types),
        show,
    )
}

fn of_the_edge(services: &Catalog<Service>) -> RoaringBitmap {
    services.columns().edge().clone()
}

/// Finds one that the edge knows.
pub(crate) fn find_of_the_edge(rows: Rows<'_>, id: &ServiceId) -> Result<Found<Service>, AppError> {
    find_seen::<ServiceSpec>(rows, id, Face::Edge)
}

/// Whether there is one that the edge knows.
pub(crate) fn is_of_the_edge(rows: Rows<'_>, id: &ServiceId) -> Result<bool, StoreError> {
    let found = rows.find::<Service>(&reference(id))?;
    Ok(found.is_some_and(|found| ServiceSpec::is_seen(&found.entity.spec, Face::Edge)))
}

/// Lists the services that the caller may dial or bind. One whose posture checks the caller does not
/// pass is listed all the same.
pub fn list_own(
    app: &App,
    permit: &Permit<ReadOwnServices>,
    asked: &Asked<'_>,
    config_types: &[&str],
    show: &mut dyn FnMut(ServiceView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of_roles::<Service>()?;
    updates::note_listing(app, permit.caller())?;
    let caller = permit.caller();
    let usable = |guard: &AccessGuard<'_>| {
        let identity = guard.identities().slot(caller.identity_number);
        identity.map_or_else(RoaringBitmap::new, |identity| {
            guard.access().services(None, identity, guard.kinds())
        })
    };
    let sight = Sight::of_all(asked).of_ruled(&usable);
    answer(app, caller, &listing, &sight, (None, config_types), show)
}

/// Reads a service that the caller may dial or bind.
///
/// # Errors
///
/// "Not found" for one that the caller may neither dial nor bind, as for one that does not exist.
pub fn read_own(
    app: &App,
    permit: &Permit<ReadOwnServices>,
    id: &ServiceId,
) -> Result<ServiceView, AppError> {
    let view = app.snapshot()?;
    let found = find_own(app, view.rows(), permit.caller(), id)?;
    let viewer = Viewer::of_caller(app, view.rows(), permit.caller())?;
    let wanted = viewer.wanted(view.rows(), &[])?;
    viewer.look(found, &wanted)
}

/// Finds a service that a caller may dial or bind.
pub(crate) fn find_own(
    app: &App,
    rows: Rows<'_>,
    caller: &Caller,
    id: &ServiceId,
) -> Result<Found<Service>, AppError> {
    let found = find_of_the_edge(rows, id)?;
    let grants = grants(app, caller.identity_number, found.number())?;
    if grants.is_empty() {
        return Err(AppError::not_found(ServiceSpec::NOUN, id.as_str()));
    }
    Ok(found)
}

fn answer(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    sight: &Sight<'_, Service>,
    (identity, config_types): (Option<&str>, &[&str]),
    show: &mut dyn FnMut(ServiceView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    listing::check_filter(listing, caller)?;
    let answer: Answer<'_, Service> = Answer::new(app, listing, sight)?;
    let rows = answer.view.rows();
    let viewer = Viewer::of_caller(app, rows, caller)?;
    let viewer = match identity {
        Some(named) => viewer.become_other(find_identity(rows, named)?),
        None => viewer,
    };
    let wanted = viewer.wanted(rows, config_types)?;
    answer.each(&mut |found| Ok(show(viewer.look(found, &wanted)?)))
}

/// Finds an identity by id, or else by name.
fn find_identity(rows: Rows<'_>, named: &str) -> Result<Found<Identity>, AppError> {
    match identities::find(rows, &IdentityId::from_wire(named)) {
        Err(AppError::NotFound { .. }) => {},
        found_or_failed => return found_or_failed,
    }
    rows.find(&UniqueValue::new(Index::IdentityName, named))?
        .ok_or_else(|| AppError::not_found("identity", named))
}

/// What an identity may do with a service, by the numbers of their records.
pub(crate) fn grants(
    app: &App,
    identity: Number,
    service: Number,
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
