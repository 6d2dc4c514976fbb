//! Routers and terminators that validations are about.

use super::OpenChannel;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, ListRequest, ListScope, Parameters, RoleFilter, kinds};
use crate::managed;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::terminator::Terminator;
use portcullis_domain::view::NamedRef;
use portcullis_storage::tables::{Found, TERMINATOR, reference};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What an empty filter stands for: OpenZiti stops at the first ten.
const ALL: &str = "true limit none";

/// The routers, of both kinds, that a filter of lists selects; an empty one selects all. It may take a
/// while, so it belongs on a blocking thread.
///
/// # Errors
///
/// For a filter that cannot be parsed, or that the caller may not use.
pub fn select_routers(
    app: &App,
    permit: &Permit<OpenChannel>,
    filter: &str,
) -> Result<Vec<NamedRef<RouterId>>, AppError> {
    let filter = if filter.trim().is_empty() {
        ALL
    } else {
        filter
    };
    let request = ListRequest {
        parameters: Parameters {
            filter: Some(filter),
            ..Parameters::default()
        },
        role_filter: RoleFilter::default(),
        is_cancelled: &|| false,
    };
    let listing = listing::parse(&kinds::TRANSIT_ROUTERS, &request.parameters)?;
    let scope = ListScope::all(&request);
    let mut selected = Vec::new();
    managed::list_in_scope::<RouterSpec>(app, permit.caller(), &listing, &scope, &mut |view| {
        selected.push(NamedRef {
            id: view.router.id,
            name: view.router.spec.name,
        });
        ControlFlow::Continue(())
    })?;
    Ok(selected)
}

/// The terminators at a router, oldest first; none if there is no such router.
pub fn terminators_at(
    app: &App,
    _permit: &Permit<OpenChannel>,
    router: &RouterId,
) -> Result<Vec<Terminator>, AppError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let found: Option<Found<Arc<Router>>> = rows.find_shared(&reference(router))?;
    let Some(found) = found else {
        return Ok(Vec::new());
    };
    let mut terminators = Vec::new();
    for key in rows.referrers(&found.key, TERMINATOR, usize::MAX)? {
        terminators.extend(rows.get::<Terminator>(&key)?);
    }
    Ok(terminators)
}
