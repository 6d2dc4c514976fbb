//! Whether policies give a router to an identity and a service.

use super::Refusal;
use crate::app::App;
use crate::routers::{ConnectedRouter, RouterRefusal, find_connected};
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::tables::Rows;

/// Checks that a router may be on the control channel, and that an identity may use a service through
/// it.
pub(super) fn check_router(
    app: &App,
    rows: Rows<'_>,
    router: &ConnectedRouter,
    (identity, service): (RecordNumber, RecordNumber),
) -> Result<(), Refusal> {
    check_connected(rows, router)?;
    let guard = app.require_lists()?.access();
    let slots = guard
        .routers()
        .slot(router.number())
        .zip(guard.pair(identity, service));
    let is_allowed = slots.is_some_and(|(router, (identity, service))| {
        let common = guard
            .access()
            .common_routers(identity, service, guard.kinds());
        common.contains(router.bit())
    });
    if is_allowed {
        Ok(())
    } else {
        Err(Refusal::RouterNotAllowed)
    }
}

/// Checks that a router may be on the control channel: it could have been disabled since it connected.
pub(super) fn check_connected(rows: Rows<'_>, router: &ConnectedRouter) -> Result<(), Refusal> {
    match find_connected(rows, router) {
        Ok(_found) => Ok(()),
        Err(RouterRefusal::Unavailable(error)) => Err(error.into()),
        Err(_) => Err(Refusal::RouterNotAllowed),
    }
}
