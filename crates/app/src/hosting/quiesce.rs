//! Routers that no more clients are to come to, as before they are shut down.

use super::error::TerminatorError;
use super::list_for_router;
use super::own::is_on;
use crate::app::App;
use crate::error::AppError;
use crate::routers::{ConnectedRouter, find_connected};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::terminator::Terminator;
use portcullis_storage::tables::{Found, reference};

/// Maximum number of terminators that one transaction changes, since all other writes wait for it.
const BATCH: usize = 100;

/// Lets clients use the terminators of a router only where nothing else is left. Its circuits go on, and
/// terminators that it creates from now on are not concerned.
///
/// # Errors
///
/// [`TerminatorError`] for a router that may no longer be on the control channel, and for one that asks too
/// often.
pub async fn quiesce(app: &App, router: &ConnectedRouter) -> Result<(), TerminatorError> {
    change_all(app, router, "router.quiesce", Terminator::quiesce).await
}

/// Takes [`quiesce`] back: each terminator gets the precedence that it had, or was given meanwhile.
///
/// # Errors
///
/// As [`quiesce`].
pub async fn dequiesce(app: &App, router: &ConnectedRouter) -> Result<(), TerminatorError> {
    change_all(app, router, "router.dequiesce", Terminator::dequiesce).await
}

async fn change_all(
    app: &App,
    router: &ConnectedRouter,
    operation: &'static str,
    change: fn(&mut Terminator, Timestamp) -> bool,
) -> Result<(), TerminatorError> {
    let now = app.env().now();
    app.router_limits.count_terminator(router.number(), now)?;
    let terminators = list_for_router(app, router)?;
    let ids: Vec<_> = terminators.into_iter().map(|one| one.id).collect();
    for ids in ids.chunks(BATCH) {
        let (router, ids) = (router.clone(), ids.to_vec());
        app.commit(router.actor(), move |rows| {
            find_connected(rows.rows(), &router)?;
            rows.set_operation(operation, router.id().as_str());
            for id in &ids {
                let found: Option<Found<Terminator>> =
                    rows.rows().find(&reference(id)).map_err(AppError::from)?;
                let Some(found) = found.filter(|found| is_on(&found.entity.spec, &router)) else {
                    continue;
                };
                let mut after = found.entity.clone();
                if change(&mut after, now) {
                    rows.replace(&found.key, &found.entity, &after)
                        .map_err(AppError::from)?;
                }
            }
            Ok::<_, TerminatorError>(())
        })
        .await?;
    }
    Ok(())
}
