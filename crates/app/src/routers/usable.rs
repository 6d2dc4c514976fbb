//! Edge routers that a caller may use.

use super::ReadOwnRouters;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, ListPage, ListRequest, ListScope, Paging, kinds};
use crate::services::{self, ReadOwnServices};
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::{RecordNumber, ServiceId};
use portcullis_domain::router::Router;
use portcullis_domain::view::RouterView;
use portcullis_index::AccessGuard;
use portcullis_storage::tables::router_key;
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Lists the edge routers to which the caller may connect: those that are enrolled and that a
/// policy grants to it. Administrators may use all.
pub fn list_usable(
    app: &App,
    permit: &Permit<ReadOwnRouters>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(RouterView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse_with_roles_in(&kinds::CLIENT_EDGE_ROUTERS)?;
    listing::check_filter(&listing, permit.caller())?;
    let caller = permit.caller();
    let usable = |guard: &AccessGuard<'_>| usable_slots(guard, caller);
    let scope = ListScope::all(request).restricted_by_policies(&usable);
    let answer: ListPage<'_, Router> = ListPage::new(app, &listing, &scope)?;
    answer.for_each(&mut |found| {
        Ok(show(RouterView {
            connection: app.live_network().router(&found.entity.id),
            router: found.entity,
        }))
    })
}

/// Reads the edge routers through which the caller may use a service.
///
/// # Errors
///
/// "Not found" for a service that the caller may neither dial nor bind.
pub fn list_usable_for_service(
    app: &App,
    permit: &Permit<ReadOwnServices>,
    service: &ServiceId,
) -> Result<Vec<RouterView>, AppError> {
    let view = app.snapshot()?;
    let found = services::get_usable(app, view.rows(), permit.caller(), service)?;
    let routers = usable_for_service(app, permit.caller(), found.number())?;
    let mut shown = Vec::new();
    for number in routers {
        let router: Option<Router> = view.rows().get(&router_key(number))?;
        shown.extend(router.map(|router| RouterView {
            connection: app.live_network().router(&router.id),
            router,
        }));
    }
    Ok(shown)
}

/// The edge routers through which a caller may use a service: those that are enrolled and not
/// disabled.
fn usable_for_service(
    app: &App,
    caller: &Caller,
    service: RecordNumber,
) -> Result<BTreeSet<RecordNumber>, AppError> {
    let guard = app.require_lists()?.access();
    let Some((identity, service)) = guard.pair(caller.identity_number, service) else {
        return Ok(BTreeSet::new());
    };
    let common = guard
        .access()
        .common_routers(identity, service, guard.kinds());
    let columns = guard.routers().columns();
    let usable = (common & columns.verified()) - columns.disabled();
    Ok(listing::numbers(guard.routers(), [usable]))
}

/// The slots of the enrolled edge routers that a caller may use.
fn usable_slots(guard: &AccessGuard<'_>, caller: &Caller) -> RoaringBitmap {
    let columns = guard.routers().columns();
    if caller.is_admin {
        return columns.edge() & columns.verified();
    }
    let identity = guard.identities().slot(caller.identity_number);
    identity.map_or_else(RoaringBitmap::new, |identity| {
        guard.access().routers_of_identity(identity, guard.kinds()) & columns.verified()
    })
}
