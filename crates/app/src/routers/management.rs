//! Management of edge routers and of all routers.

use super::draft_enrollment;
use crate::app::App;
use crate::enrollment_records;
use crate::error::{AppError, NotAllowedError};
use crate::listing::{self, ListRequest, ListScope, Paging, kinds};
use crate::managed::{self, Create, Delete, Read, Update};
use portcullis_domain::FieldError;
use portcullis_domain::access::{AccessDeniedError, Action, ApiSurface, Permit};
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{Router, RouterSpec, RouterSpecPatch};
use portcullis_domain::view::ManagedRouterView;
use portcullis_index::Catalog;
use portcullis_storage::tables::{ManagedKind as _, ROUTER, router_key};
use roaring::RoaringBitmap;
use std::ops::ControlFlow;

/// The fingerprint of a router's certificate to set; `None` leaves it, and `Some(None)` removes it.
pub type FingerprintChange = Option<Option<String>>;

/// The set of routers that an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouterSet {
    /// Edge routers; others do not exist for the operation.
    Edge,
    /// All routers; edge routers can be changed on the fabric API only.
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

    pub(super) fn check_changeable(
        self,
        surface: ApiSurface,
        router: &Router,
    ) -> Result<(), AppError> {
        self.check_visible(router)?;
        let is_separate = (self, surface) == (Self::All, ApiSurface::Edge);
        if is_separate && router.spec.edge().is_some() {
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

/// Creates a router on the fabric API with an id chosen by the caller. It has no enrollment: its
/// certificate, whose fingerprint is part of the spec, comes from elsewhere. The id becomes the
/// common name of the certificates that it gets later, so it must not be a name of the controller.
///
/// # Errors
///
/// [`AppError::Field`] for such an id, and the errors of [`managed::create`].
pub async fn register(
    app: &App,
    permit: &Permit<Create<RouterSpec>>,
    (id, spec): (RouterId, RouterSpec),
) -> Result<RouterId, AppError> {
    require_fabric(permit)?;
    let serving = app.network().serving_state();
    if serving.reserved_names.check(id.as_str()).is_err() {
        let reason = "must not be a name of the controller: the router's certificates have its id \
                      as common name";
        return Err(FieldError::new("id", reason, id.as_str()).into());
    }
    managed::create_with_id(app, permit, id, spec).await
}

/// Refuses what only the fabric API offers. Access to it is judged apart, so a permit for the edge
/// API is none for this.
fn require_fabric<A: Action>(permit: &Permit<A>) -> Result<(), AccessDeniedError> {
    match permit.surface() {
        ApiSurface::Fabric => Ok(()),
        ApiSurface::Edge => Err(AccessDeniedError),
    }
}

/// Replaces the spec of a router, and the fingerprint of its certificate if one is given. Members
/// that only edge routers have are kept if the spec is that of a transit router.
pub async fn replace(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    set: RouterSet,
    id: &RouterId,
    (spec, fingerprint): (RouterSpec, FingerprintChange),
) -> Result<(), AppError> {
    if fingerprint.is_some() {
        require_fabric(permit)?;
    }
    let (surface, now) = (permit.surface(), app.env().now());
    managed::change(app, permit, id, move |router: &mut Router| {
        set.check_changeable(surface, router)?;
        router.replace(spec.clone(), now)?;
        if let Some(fingerprint) = &fingerprint {
            router.set_fingerprint(fingerprint.clone(), now);
        }
        Ok(())
    })
    .await
}

/// Patches a router and the fingerprint of its certificate. An empty patch changes nothing.
pub async fn patch(
    app: &App,
    permit: &Permit<Update<RouterSpec>>,
    set: RouterSet,
    id: &RouterId,
    (patch, fingerprint): (RouterSpecPatch, FingerprintChange),
) -> Result<(), AppError> {
    if fingerprint.is_some() {
        require_fabric(permit)?;
    }
    let (surface, now) = (permit.surface(), app.env().now());
    if patch == RouterSpecPatch::default() && fingerprint.is_none() {
        let found = managed::get::<RouterSpec>(app.snapshot()?.rows(), id)?;
        return set.check_changeable(surface, &found.entity);
    }
    managed::change(app, permit, id, move |router: &mut Router| {
        set.check_changeable(surface, router)?;
        router.patch(patch.clone(), now)?;
        if let Some(fingerprint) = &fingerprint {
            router.set_fingerprint(fingerprint.clone(), now);
        }
        Ok(())
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
    let surface = permit.surface();
    managed::delete_if(app, permit, id, move |router| {
        set.check_changeable(surface, router)
    })
    .await
}
