//! Management of edge routers and of all routers.

use super::draft_enrollment;
use crate::app::App;
use crate::enrollment_records;
use crate::error::{AppError, NotAllowedError};
use crate::listing::{self, ListRequest, ListScope, Paging, kinds};
use crate::managed::{self, Create, Delete, Read, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{Router, RouterSpec, RouterSpecPatch};
use portcullis_domain::view::ManagedRouterView;
use portcullis_index::Catalog;
use portcullis_storage::tables::{ManagedKind as _, ROUTER, router_key};
use roaring::RoaringBitmap;
use std::ops::ControlFlow;

/// The set of routers that an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouterSet {
    /// Edge routers; others do not exist for the operation.
    Edge,
    /// All routers; edge routers can be read but not changed.
    All,
}

impl RouterSet {
    fn check_visible(self, router: &Router) -> Result<(), AppError> {
        if self == Self::All || router.spec.edge().is_some() {
            Ok(())
        } else {
            Err(not_found(&router.id))
        }
    }

    pub(super) fn check_changeable(self, router: &Router) -> Result<(), AppError> {
        self.check_visible(router)?;
        if self == Self::All && router.spec.edge().is_some() {
            Err(NotAllowedError::UpdateEdgeRouter.into())
        } else {
            Ok(())
        }
    }
}

fn not_found(id: &RouterId) -> AppError {
    AppError::not_found(RouterSpec::NOUN, id.as_str())
}

/// Creates a router with its enrollment.
pub async fn create(
    app: &App,
    permit: &Permit<Create<RouterSpec>>,
    spec: RouterSpec,
) -> Result<RouterId, AppError> {
    let id = RouterId::generate(&*app.env().entropy)?;
    let number = app.next_number(ROUTER);
    let key = router_key(number);
    let draft = draft_enrollment(app, &key, &id, spec.edge().is_some())?;
    managed::create_with(app, permit, (id, number), spec, move |rows, _key| {
        enrollment_records::insert(rows, &draft)
    })
    .await
}

/// Reads one router.
pub fn read(
    app: &App,
    permit: &Permit<Read<RouterSpec>>,
    set: RouterSet,
    id: &RouterId,
) -> Result<ManagedRouterView, AppError> {
    let view = managed::read(app, permit, id)?;
    set.check_visible(&view.router)?;
    Ok(view)
}

/// Lists the routers of a set.
pub fn list(
    app: &App,
    permit: &Permit<Read<RouterSpec>>,
    set: RouterSet,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(ManagedRouterView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let all = ListScope::all(request);
    let (listing, scope) = match set {
        RouterSet::Edge => (
            request.parse_with_roles::<Router>()?,
            all.restricted_by_catalog(edge_routers),
        ),
        RouterSet::All => {
            let listing = listing::parse(&kinds::TRANSIT_ROUTERS, &request.parameters)?;
            (listing, all)
        },
    };
    managed::list_in_scope::<RouterSpec>(app, permit.caller(), &listing, &scope, show)
}

fn edge_routers(routers: &Catalog<Router>) -> RoaringBitmap {
    routers.columns().edge().clone()
}

/// Replaces the spec of a router.
pub async fn replace(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    set: RouterSet,
    id: &RouterId,
    spec: RouterSpec,
) -> Result<(), AppError> {
    let now = app.env().now();
    managed::change(app, permit, id, move |router| {
        set.check_changeable(router)?;
        Ok(router.replace(spec.clone(), now)?)
    })
    .await
}

/// Patches a router. An empty patch changes nothing.
pub async fn patch(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    set: RouterSet,
    id: &RouterId,
    patch: RouterSpecPatch,
) -> Result<(), AppError> {
    if patch == RouterSpecPatch::default() {
        let found = managed::get::<RouterSpec>(app.snapshot()?.rows(), id)?;
        return set.check_changeable(&found.entity);
    }
    let now = app.env().now();
    managed::change(app, permit, id, move |router| {
        set.check_changeable(router)?;
        Ok(router.patch(patch.clone(), now)?)
    })
    .await
}

/// Deletes a router with its dependents.
pub async fn delete(
    app: &App,
    permit: &Permit<Delete<RouterSpec>>,
    set: RouterSet,
    id: &RouterId,
) -> Result<(), AppError> {
    managed::delete_if(app, permit, id, move |router| set.check_changeable(router)).await
}
