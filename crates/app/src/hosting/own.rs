//! The terminators of a router.

use super::EDGE_BINDING;
use super::error::TerminatorError;
use crate::app::App;
use crate::routers::{ConnectedRouter, find_connected};
use portcullis_domain::ids::TerminatorId;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_storage::tables::{Found, Rows, TERMINATOR, reference};
use std::sync::Arc;

/// A terminator that a router is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTerminator {
    pub id: TerminatorId,
    pub binding: String,
    pub address: String,
}

/// The terminators of a router, oldest first, about which it may be asked whether it still has them.
pub fn list_for_router(
    app: &App,
    router: &ConnectedRouter,
) -> Result<Vec<ListedTerminator>, TerminatorError> {
    let view = app.snapshot()?;
    let rows = view.rows();
    let router = find_connected(rows, router)?;
    let mut listed = Vec::new();
    for key in rows.referrers(&router.key, TERMINATOR, usize::MAX)? {
        let found: Option<Terminator> = rows.get(&key)?;
        listed.extend(found.map(|found| ListedTerminator {
            id: found.id,
            binding: found.spec.binding,
            address: found.spec.address,
        }));
    }
    Ok(listed)
}

/// Checks that a health check that a router reports is one of a terminator that it hosts for a client.
/// Nothing is kept of it.
pub fn count_health_check(
    app: &App,
    router: &ConnectedRouter,
    id: &TerminatorId,
) -> Result<(), TerminatorError> {
    let view = app.snapshot()?;
    let found: Option<Found<Arc<Terminator>>> = view.rows().find_shared(&reference(id))?;
    let is_own = found.is_some_and(|found| {
        is_on(&found.entity.spec, router) && found.entity.spec.binding == EDGE_BINDING
    });
    is_own.then_some(()).ok_or(TerminatorError::Unknown)
}

/// Finds a terminator that is on the router and has the binding.
pub(super) fn find_own(
    rows: Rows<'_>,
    router: &ConnectedRouter,
    id: &TerminatorId,
) -> Result<Found<Terminator>, TerminatorError> {
    let found: Option<Found<Terminator>> = rows.find(&reference(id))?;
    found
        .filter(|found| is_on(&found.entity.spec, router))
        .ok_or(TerminatorError::Unknown)
}

pub(super) fn is_on(terminator: &TerminatorSpec, router: &ConnectedRouter) -> bool {
    terminator.router == *router.id()
}
