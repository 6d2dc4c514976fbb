//! Routers: what carries the traffic of the network.
//!
//! Edge routers and transit routers are one kind of record under one space of names. The operations
//! on edge routers know nothing of others; those on transit routers show all routers, and change
//! those that are no edge routers.

mod certificates;
mod extend;
pub mod fabric;
mod operate;
mod own;
mod re_enroll;
mod tunneler;

pub use certificates::{RouterCertificates, RouterProof};
pub(crate) use certificates::{check_admitted, issue};
pub use extend::extend;
pub use operate::{RouterSet, create, delete, list, merge, read, replace};
pub use own::{list_own, read_of_service};
pub use re_enroll::re_enroll;
pub(crate) use tunneler::has;

use crate::action::actions;
use crate::app::App;
use crate::configs;
use crate::enrollments::{Draft, secrets};
use crate::error::AppError;
use crate::managed::{Belongings, Beside, Made, Update};
use portcullis_domain::access::{Access, Action as _, Caller};
use portcullis_domain::clock;
use portcullis_domain::config::Target;
use portcullis_domain::enrollment::{Enrollment, EnrollmentSecrets, Purpose};
use portcullis_domain::ids::RouterId;
use portcullis_domain::permission::Subject;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::view::{ManagedRouterView, RouterConnection};
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{
    EDGE_ROUTER_POLICY, Found, IDENTITY, Rows, RowsMut, StoredEnrollment,
};

actions! {
    /// Reads the edge routers that the caller may use.
    ReadOwnRouters = Access::Full;
}

impl Made for RouterSpec {
    const NOUN: &'static str = "router";
    const SUBJECT: Subject = Subject::Router;
    type View = ManagedRouterView;

    fn view(beside: Beside<'_>, found: Found<Router>) -> Result<ManagedRouterView, AppError> {
        Ok(ManagedRouterView {
            enrollment: pending(&beside, &found.key)?,
            router: found.entity,
            // No control channel is served yet, so nothing was heard of any router.
            connection: RouterConnection::default(),
        })
    }

    fn check(rows: Rows<'_>, before: Option<&Router>, after: &Router) -> Result<(), AppError> {
        // What it has already may be of a type whose meaning was changed since.
        if before.is_none_or(|before| before.spec.configs != after.spec.configs) {
            configs::check_of(rows, &after.spec.configs, Target::Router)?;
        }
        Ok(())
    }

    const BELONGINGS: &'static [Kind] = &[IDENTITY, EDGE_ROUTER_POLICY];

    fn follow(
        rows: &mut RowsMut<'_>,
        before: Option<&Router>,
        after: &Found<Router>,
        belongings: &Belongings,
        caller: &Caller,
    ) -> Result<(), AppError> {
        tunneler::follow(rows, before, &after.entity, belongings, caller)
    }

    fn remove(
        rows: &mut RowsMut<'_>,
        found: &Found<Router>,
        caller: &Caller,
    ) -> Result<(), AppError> {
        tunneler::remove(rows, &found.entity, caller)?;
        Ok(rows.remove_router(found)?)
    }
}

/// The pending enrollment of a router.
fn pending(
    beside: &Beside<'_>,
    router: &RecordKey,
) -> Result<Option<(Enrollment, Option<EnrollmentSecrets>)>, AppError> {
    let pending: Vec<Found<StoredEnrollment>> = beside.rows.dependents(router)?;
    let newest = pending.into_iter().next_back();
    let shown = shows_secrets(beside.caller);
    newest
        .map(|found| secrets::unseal_if(beside.app, found, shown))
        .transpose()
}

/// Whether a caller sees what redeems the enrollments of routers, which is worth as much as a router:
/// those do who may have any router enroll anew.
pub(crate) fn shows_secrets(caller: &Caller) -> bool {
    caller.may(Update::<RouterSpec>::ACCESS)
}

/// An enrollment of a router, ready for the store.
fn draft(app: &App, key: &RecordKey, id: &RouterId, is_edge: bool) -> Result<Draft, AppError> {
    let purpose = Purpose::Router {
        router: id.clone(),
        is_edge,
    };
    let duration = app.settings().router_enrollment_duration;
    Draft::under(app, key, purpose, clock::later(app.env().now(), duration))
}
