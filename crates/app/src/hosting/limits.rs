//! How many terminators there may be.

use super::error::TerminatorError;
use crate::app::App;
use portcullis_domain::terminator::TerminatorSpec;

/// Maximum number of terminators on a router.
const MAX_PER_ROUTER: u64 = 20_000;

/// Maximum number of terminators of an identity, on all routers together.
const MAX_PER_IDENTITY: u64 = 10_000;

/// Checks by the read model that there may be another terminator. What is created at the same time
/// is not counted yet.
pub(super) fn check_number(app: &App, terminator: &TerminatorSpec) -> Result<(), TerminatorError> {
    let catalog = app.require_lists()?.terminators();
    let columns = catalog.columns();
    let on_router = columns.routers().slots_with(terminator.router.as_str());
    if on_router.is_some_and(|slots| slots.len() >= MAX_PER_ROUTER) {
        return Err(TerminatorError::TooMany(
            "the router has too many terminators",
        ));
    }
    let host = terminator.host.as_ref();
    let of_host = host.and_then(|host| columns.hosts().slots_with(host.identity.as_str()));
    if of_host.is_some_and(|slots| slots.len() >= MAX_PER_IDENTITY) {
        return Err(TerminatorError::TooMany(
            "the identity has too many terminators",
        ));
    }
    Ok(())
}
