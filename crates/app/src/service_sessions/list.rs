//! Service sessions as their owners and as administrators see them.

use super::grant::Grants;
use super::{Delete, DeleteOwn, NOUN, Read, ReadOwn, routers};
use crate::app::App;
use crate::error::AppError;
use crate::listing::{Among, Answer, Asked, Paging, Sight};
use crate::sessions;
use portcullis_domain::access::Permit;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::{Number, SessionId};
use portcullis_domain::service::Service;
use portcullis_domain::session::Session;
use portcullis_domain::view::{Named, SessionView};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, reference};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Reads one service session.
pub fn read(app: &App, _permit: &Permit<Read>, id: &SessionId) -> Result<SessionView, AppError> {
    read_of(app, None, id)
}

/// Reads a service session of the caller's identity.
pub fn read_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    id: &SessionId,
) -> Result<SessionView, AppError> {
    read_of(app, Some(permit.caller().identity_number), id)
}

/// The routers that a session passes. They do not report to the controller yet; so it is empty for
/// every session, and for what is none.
pub fn read_route_path(_permit: &Permit<Read>, _id: &SessionId) -> Vec<String> {
    Vec::new()
}

/// Lists service sessions: shows those of the page one after the other, until `show` breaks.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(SessionView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    answer(app, asked, None, show)
}

/// Lists the service sessions of the caller's identity.
pub fn list_own(
    app: &App,
    permit: &Permit<ReadOwn>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(SessionView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let owner = Owner::Identity(permit.caller().identity_number);
    let own: BTreeSet<Number> = {
        let sessions = app.require_lists()?.service_sessions();
        sessions
            .owned_by(owner, 0, usize::MAX)
            .into_iter()
            .collect()
    };
    answer(app, asked, Some(&own), show)
}

/// Ends a service session of anybody.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &SessionId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), None, &wanted)?;
        sessions::check_endable(rows.rows(), caller, found.root_number())?;
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

fn read_of(app: &App, owner: Option<Number>, id: &SessionId) -> Result<SessionView, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), owner, id)?;
    let grants = Grants::new(app, app.env().now());
    if grants.hold(view.rows(), &found)? {
        look(app, view.rows(), &grants, found)
    } else {
        Err(AppError::not_found(NOUN, id.as_str()))
    }
}

fn answer(
    app: &App,
    asked: &Asked<'_>,
    among: Option<&BTreeSet<Number>>,
    show: &mut dyn FnMut(SessionView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of::<Session>()?;
    let grants = Grants::new(app, app.env().now());
    let sees = |rows: Rows<'_>, found: &Found<Session>| grants.hold(rows, found);
    let knows = |rows: Rows<'_>, session: Number| grants.known(rows, session);
    let sight = Sight {
        sees: Some(&sees),
        knows: Some(&knows),
        among: among.map_or(Among::All, Among::Numbered),
        is_over: asked.is_over,
    };
    let answer: Answer<'_, Session> = Answer::new(app, &listing, &sight)?;
    let rows = answer.view.rows();
    answer.each(&mut |found| Ok(show(look(app, rows, &grants, found)?)))
}

/// Finds a session by id; with an owner, one of that identity alone.
fn find(rows: Rows<'_>, owner: Option<Number>, id: &SessionId) -> Result<Found<Session>, AppError> {
    let found: Option<Found<Session>> = rows.find(&reference(id))?;
    found
        .filter(|found| owner.is_none_or(|owner| owner == found.root_number()))
        .ok_or_else(|| AppError::not_found(NOUN, id.as_str()))
}

/// Puts a session together with what belongs to it.
fn look(
    app: &App,
    rows: Rows<'_>,
    grants: &Grants<'_>,
    found: Found<Session>,
) -> Result<SessionView, AppError> {
    let service: Found<Service> = rows
        .find(&reference(&found.entity.service))?
        .ok_or_else(|| StoreError::corrupt("the service of a session is lost"))?;
    Ok(SessionView {
        service: Named::from(&service.entity),
        edge_routers: routers::common(app, rows, found.root_number(), service.number())?,
        policies: grants.policies(rows, &found)?,
        session: found.entity,
    })
}
