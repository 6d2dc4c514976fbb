//! Reading and ending of service sessions, by owners and administrators.

use super::grant_evaluator::{GrantEvaluator, SessionGrant};
use super::{Delete, DeleteOwn, NOUN, Read, ReadOwn, routers};
use crate::app::App;
use crate::error::AppError;
use crate::listing::{LazyRecord, ListPage, ListRequest, ListScope, Paging, Restriction};
use crate::sessions;
use portcullis_domain::access::Permit;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::{RecordNumber, SessionId};
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::view::{NamedRef, SessionView};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, reference};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

pub fn read(app: &App, _permit: &Permit<Read>, id: &SessionId) -> Result<SessionView, AppError> {
    read_for(app, None, id)
}

/// Reads a service session of the caller's identity.
pub fn read_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    id: &SessionId,
) -> Result<SessionView, AppError> {
    read_for(app, Some(permit.caller().identity_number), id)
}

/// The routers on the path of a session: empty for every id, since routers do not report to the
/// controller yet.
pub fn read_route_path(_permit: &Permit<Read>, _id: &SessionId) -> Vec<String> {
    Vec::new()
}

/// Lists service sessions, passing each row of the page to `show` until it breaks.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(SessionView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    list_rows(app, request, None, show)
}

/// Lists the service sessions of the caller's identity.
pub fn list_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(SessionView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let owner = Owner::Identity(permit.caller().identity_number);
    let own: BTreeSet<RecordNumber> = {
        let sessions = app.require_lists()?.service_sessions();
        sessions
            .owned_by(owner, 0, usize::MAX)
            .into_iter()
            .collect()
    };
    list_rows(app, request, Some(&own), show)
}

/// Ends a service session of any identity.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &SessionId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), None, &wanted)?;
        sessions::check_may_end(rows.rows(), caller, found.root_number())?;
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

/// Ends a service session of the caller's identity.
pub async fn delete_own(
    app: &App,
    permit: &Permit<DeleteOwn>,
    id: &SessionId,
) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), Some(caller.identity_number), &wanted)?;
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

fn read_for(
    app: &App,
    owner: Option<RecordNumber>,
    id: &SessionId,
) -> Result<SessionView, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), owner, id)?;
    let grants = GrantEvaluator::new(app, app.env().now());
    if grants.is_granted(view.rows(), found.number())? {
        build_view(app, view.rows(), &grants, found)
    } else {
        Err(AppError::not_found(NOUN, id.as_str()))
    }
}

fn list_rows(
    app: &App,
    request: &ListRequest<'_>,
    owned: Option<&BTreeSet<RecordNumber>>,
    show: &mut dyn FnMut(SessionView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse::<Session>()?;
    let grants = GrantEvaluator::new(app, app.env().now());
    // The read model knows grants, so that lists of many sessions need no records.
    let is_granted =
        |record: &LazyRecord<'_, Session>| grants.is_granted(record.rows(), record.number());
    let scope = ListScope {
        visibility: Some(&is_granted),
        restriction: owned.map_or(Restriction::All, Restriction::ByNumbers),
        ..ListScope::all(request)
    };
    let answer: ListPage<'_, Session> = ListPage::new(app, &listing, &scope)?;
    let rows = answer.view.rows();
    answer.for_each(&mut |found| Ok(show(build_view(app, rows, &grants, found)?)))
}

/// Finds a session by id, restricted to one owner if given.
fn find(
    rows: Rows<'_>,
    owner: Option<RecordNumber>,
    id: &SessionId,
) -> Result<Found<Session>, AppError> {
    let found: Option<Found<Session>> = rows.find(&reference(id))?;
    found
        .filter(|found| owner.is_none_or(|owner| owner == found.root_number()))
        .ok_or_else(|| AppError::not_found(NOUN, id.as_str()))
}

fn build_view(
    app: &App,
    rows: Rows<'_>,
    grants: &GrantEvaluator<'_>,
    found: Found<Session>,
) -> Result<SessionView, AppError> {
    let service: Found<Service> = rows
        .find(&reference(&found.entity.service))?
        .ok_or_else(|| StoreError::corrupt("the service of a session is missing"))?;
    let grant = SessionGrant::from_record(&found, service.number());
    Ok(SessionView {
        service: NamedRef::from(&service.entity),
        edge_routers: routers::list_common(app, rows, found.root_number(), service.number())?,
        policies: grants.passed_policies(rows, &grant)?,
        session: found.entity,
    })
}
