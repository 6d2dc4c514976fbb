//! What administrators do with routers, by the set through which they look at them.

use super::draft;
use crate::app::App;
use crate::enrollments;
use crate::error::AppError;
use crate::listing::{self, Asked, Paging, Sight, kinds};
use crate::managed::{self, Create, Delete, For, Made as _, Read, Update};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{Router, RouterPatch, RouterSpec};
use portcullis_domain::view::ManagedRouterView;
use portcullis_index::Catalog;
use portcullis_storage::tables::{ROUTER, router_key};
use roaring::RoaringBitmap;
use std::ops::ControlFlow;

/// Through which set of routers an administrator looks at them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouterSet {
    /// Those to which clients connect; there are no others then.
    Edge,
    /// All; those to which clients connect cannot be changed then.
    All,
}

impl RouterSet {
    fn check_shown(self, router: &Router) -> Result<(), AppError> {
        if self == Self::All || router.spec.edge().is_some() {
            Ok(())
        } else {
            Err(unknown(&router.id))
        }
    }

    pub(super) fn check_changeable(self, router: &Router) -> Result<(), AppError> {
        self.check_shown(router)?;
        if self == Self::All && router.spec.edge().is_some() {
            Err(AppError::RouterUnfit)
        } else {
            Ok(())
        }
    }
}

fn unknown(id: &RouterId) -> AppError {
    AppError::not_found(RouterSpec::NOUN, id.as_str())
}

/// Creates a router with its enrollment.
pub async fn create(
    app: &App,
    permit: &Permit<impl For<Create<RouterSpec>>>,
    spec: RouterSpec,
) -> Result<RouterId, AppError> {
    let id = RouterId::generate(&*app.env().entropy)?;
    let number = app.number(ROUTER);
    let key = router_key(number);
    let draft = draft(app, &key, &id, spec.edge().is_some())?;
    managed::create_with(app, permit, (id, number), spec, move |rows, _key| {
        enrollments::insert(rows, &draft)
    })
    .await
}

/// Reads one router.
pub fn read(
    app: &App,
    permit: &Permit<impl For<Read<RouterSpec>>>,
    set: RouterSet,
    id: &RouterId,
) -> Result<ManagedRouterView, AppError> {
    let view = managed::read(app, permit, id)?;
    set.check_shown(&view.router)?;
    Ok(view)
}

/// Lists the routers of a set.
pub fn list(
    app: &App,
    permit: &Permit<impl For<Read<RouterSpec>>>,
    set: RouterSet,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(ManagedRouterView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let all = Sight::of_all(asked);
    let (listing, sight) = match set {
        RouterSet::Edge => (asked.of_roles::<Router>()?, all.of_marked(edge_routers)),
        RouterSet::All => {
            let listing = listing::read(&kinds::TRANSIT_ROUTERS, &asked.parameters)?;
            (listing, all)
        },
    };
    managed::answer::<RouterSpec>(app, permit.caller(), &listing, &sight, show)
}

fn edge_routers(routers: &Catalog<Router>) -> RoaringBitmap {
    routers.columns().edge().clone()
}

/// Replaces what administrators decide about a router.
pub async fn replace(
    app: &App,
    permit: &Permit<impl For<Update<RouterSpec>>>,
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

/// Changes the members of a router that `patch` sets. One that sets none changes nothing.
pub async fn merge(
    app: &App,
    permit: &Permit<impl For<Update<RouterSpec>>>,
    set: RouterSet,
    id: &RouterId,
    patch: RouterPatch,
) -> Result<(), AppError> {
    if patch == RouterPatch::default() {
        let found = managed::find::<RouterSpec>(app.snapshot()?.rows(), id)?;
        return set.check_changeable(&found.entity);
    }
    let now = app.env().now();
    managed::change(app, permit, id, move |router| {
        set.check_changeable(router)?;
        Ok(router.merge(patch.clone(), now)?)
    })
    .await
}

/// Deletes a router with everything that is its own.
pub async fn delete(
    app: &App,
    permit: &Permit<impl For<Delete<RouterSpec>>>,
    set: RouterSet,
    id: &RouterId,
) -> Result<(), AppError> {
    managed::delete_if(app, permit, id, move |router| set.check_changeable(router)).await
}
