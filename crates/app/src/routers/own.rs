//! The edge routers to which a caller may connect.

use super::ReadOwnRouters;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{Answer, Asked, Paging, Sight};
use crate::managed;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ids::Number;
use portcullis_domain::router::Router;
use portcullis_domain::view::{RouterConnection, RouterView};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Lists the edge routers to which the caller may connect: those that have enrolled and that a policy
/// lets it use. An administrator may use all.
pub fn list_own(
    app: &App,
    permit: &Permit<ReadOwnRouters>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(RouterView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of_roles::<Router>()?;
    let usable = usable(app, permit.caller())?;
    let sight = Sight::of_all(asked).among(&usable);
    let answer: Answer<'_, Router> = Answer::new(app, &listing, &sight)?;
    answer.each(&mut |found| {
        Ok(show(RouterView {
            router: found.entity,
            // No control channel is served yet, so nothing was heard of any router.
            connection: RouterConnection::default(),
        }))
    })
}

fn usable(app: &App, caller: &Caller) -> Result<BTreeSet<Number>, AppError> {
    let guard = app.require_lists()?.access();
    let routers = guard.routers();
    let usable = if caller.is_admin {
        routers.columns().edge().clone()
    } else {
        match guard.identities().slot(caller.identity_number) {
            Some(identity) => guard.access().routers_of_identity(identity, guard.kinds()),
            None => return Ok(BTreeSet::new()),
        }
    };
    Ok(managed::numbers(
        routers,
        [usable & routers.columns().verified()],
    ))
}
