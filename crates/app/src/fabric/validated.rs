//! Routers and terminators that validations are about.

use super::OpenChannel;
use super::channel_operations::commit_on_channel;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, ListPage, ListRequest, ListScope, Parameters, RoleFilter, kinds};
use crate::{hosting, managed};
use portcullis_domain::access::Permit;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{IdentityId, RouterId, TerminatorId};
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_domain::view::{NamedRef, TerminatorView};
use portcullis_storage::tables::{Found, TERMINATOR, reference};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What an empty filter stands for: OpenZiti stops at the first ten.
const ALL: &str = "true limit none";

/// What an empty filter stands for where hosts are counted.
const NO_ADMINISTRATORS: &str = "not isAdmin limit none";

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
    let request = request(filter, ALL);
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

/// The terminators that a filter of lists selects, as for [`select_routers`].
///
/// # Errors
///
/// As there.
pub fn select_terminators(
    app: &App,
    permit: &Permit<OpenChannel>,
    filter: &str,
) -> Result<Vec<TerminatorView>, AppError> {
    let request = request(filter, ALL);
    let listing = request.parse::<Terminator>()?;
    let scope = ListScope::all(&request);
    let mut selected = Vec::new();
    managed::list_in_scope::<TerminatorSpec>(
        app,
        permit.caller(),
        &listing,
        &scope,
        &mut |view| {
            selected.push(view);
            ControlFlow::Continue(())
        },
    )?;
    Ok(selected)
}

/// The identities whose terminators are counted: those that a filter of lists selects, or all but administrators
/// if it is empty. It may take a while, so it belongs on a blocking thread.
///
/// # Errors
///
/// As for [`select_routers`].
pub fn select_hosts(
    app: &App,
    _permit: &Permit<OpenChannel>,
    filter: &str,
) -> Result<Vec<IdentityId>, AppError> {
    let request = request(filter, NO_ADMINISTRATORS);
    let listing = request.parse_with_roles::<Identity>()?;
    let page: ListPage<'_, Identity> = ListPage::new(app, &listing, &ListScope::all(&request))?;
    let mut selected = Vec::new();
    page.for_each(&mut |found| {
        selected.push(found.entity.id.clone());
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(selected)
}

/// Deletes terminators on behalf of the caller; returns how many were there.
pub async fn delete_terminators(
    app: &App,
    permit: &Permit<OpenChannel>,
    ids: Vec<TerminatorId>,
) -> Result<usize, AppError> {
    commit_on_channel(app, permit, move |rows| {
        hosting::remove_if(rows, &ids, |_found| true)
    })
    .await
}

/// A request for all that a filter selects, without pages.
fn request<'f>(filter: &'f str, default: &'f str) -> ListRequest<'f> {
    let is_empty = filter.trim().is_empty();
    ListRequest {
        parameters: Parameters {
            filter: Some(if is_empty { default } else { filter }),
            ..Parameters::default()
        },
        role_filter: RoleFilter::default(),
        is_cancelled: &|| false,
    }
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
