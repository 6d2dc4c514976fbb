//! Removal of terminators, by their router or because nothing answers there.

use super::error::TerminatorError;
use super::own::is_on;
use crate::app::App;
use crate::error::AppError;
use crate::routers::{ConnectedRouter, find_connected};
use portcullis_domain::audit::Actor;
use portcullis_domain::ids::{RouterId, TerminatorId};
use portcullis_domain::terminator::Terminator;
use portcullis_storage::tables::{Found, RowsMut, reference};

/// Maximum number of terminators that one transaction removes, since all other writes wait for it.
const BATCH: usize = 100;

/// Removes terminators of a router, because it wants it; returns how many. Those of others, and those
/// that do not exist, are skipped.
///
/// # Errors
///
/// [`TerminatorError`] for a router that may no longer be on the control channel.
pub async fn remove(
    app: &App,
    router: &ConnectedRouter,
    ids: &[TerminatorId],
) -> Result<usize, TerminatorError> {
    let mut removed = 0;
    for ids in ids.chunks(BATCH) {
        let (router, ids) = (router.clone(), ids.to_vec());
        removed += app
            .commit(router.actor(), move |rows| {
                find_connected(rows.rows(), &router)?;
                Ok::<_, TerminatorError>(remove_if(rows, &ids, |found| {
                    is_on(&found.spec, &router)
                })?)
            })
            .await?;
    }
    Ok(removed)
}

/// Removes terminators that their router was asked about and does not know, or that failed there as
/// invalid; returns how many. Those of other routers are skipped.
pub async fn remove_invalid(
    app: &App,
    router: &RouterId,
    ids: &[TerminatorId],
) -> Result<usize, AppError> {
    let mut removed = 0;
    for ids in ids.chunks(BATCH) {
        let (router, ids) = (router.clone(), ids.to_vec());
        removed += app
            .commit(Actor::controller(), move |rows| {
                remove_if(rows, &ids, |found| found.spec.router == router)
            })
            .await?;
    }
    Ok(removed)
}

/// Removes a terminator; whether it was there.
pub async fn delete(app: &App, id: &TerminatorId) -> Result<bool, AppError> {
    let ids = [id.clone()];
    let removed = app
        .commit(Actor::controller(), move |rows| {
            remove_if(rows, &ids, |_found| true)
        })
        .await?;
    Ok(removed > 0)
}

/// Removes those terminators that meet a condition; returns how many.
pub(crate) fn remove_if(
    rows: &mut RowsMut<'_>,
    ids: &[TerminatorId],
    condition: impl Fn(&Terminator) -> bool,
) -> Result<usize, AppError> {
    let mut removed = 0;
    for id in ids {
        let found: Option<Found<Terminator>> = rows.rows().find(&reference(id))?;
        if let Some(found) = found.filter(|found| condition(&found.entity)) {
            rows.remove(&found.key, &found.entity)?;
            removed += 1;
        }
    }
    Ok(removed)
}
