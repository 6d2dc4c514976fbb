//! Service sessions that lost their grant are ended.
//!
//! Nobody is shown them any more; this keeps them from filling the store.

use super::grant::Grants;
use crate::app::App;
use crate::aside::aside;
use crate::error::AppError;
use portcullis_domain::audit::Actor;
use portcullis_domain::change::Owner;
use portcullis_domain::session::Session;
use portcullis_index::Slot;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, SESSION, identity_key};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Most sessions that are looked at in one go.
const BATCH: usize = 2000;

/// Most sessions that one transaction ends: all others stand behind it.
const AT_ONCE: usize = 200;

/// How far the round has come in which all sessions are looked at: the place of the next one.
#[derive(Debug, Default)]
pub(crate) struct Round(AtomicU32);

/// Looks at some of the service sessions, at others each time, and ends those that lost their grant;
/// returns how many.
pub async fn sweep(app: &Arc<App>) -> Result<usize, AppError> {
    if !app.projections().is_ready() {
        return Ok(0);
    }
    let judging = Arc::clone(app);
    let lapsed = aside(move || lapsed(&judging, &next(&judging))).await?;
    let mut ended = 0;
    for keys in lapsed.chunks(AT_ONCE) {
        ended += end(app, keys.to_vec()).await?;
    }
    Ok(ended)
}

/// Ends those of some sessions that still are without their grant: it may have come back since they
/// were looked at.
///
/// The transaction has the records as they are now, and the read model as of the last group of
/// commits. A policy that comes in the same group as the end of a session is not known here; both
/// show at once, as if the session had ended first.
async fn end(app: &Arc<App>, keys: Vec<RecordKey>) -> Result<usize, AppError> {
    let now = app.env().now();
    let judging = Arc::clone(app);
    let ended = app
        .commit(Actor::controller(), move |rows| {
            rows.removal("expire");
            let grants = Grants::new(&judging, now);
            let mut ended = Vec::new();
            for found in without_grant(&grants, rows.rows(), &keys)? {
                rows.remove(&found.key, &found.entity)?;
                ended.push(found.entity.id);
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    Ok(ended.len())
}

/// The records of the sessions that are to be looked at now.
fn next(app: &App) -> Vec<RecordKey> {
    let from = app.service_session_round.0.load(Ordering::Relaxed);
    let catalog = app.projections().service_sessions();
    let slots: Vec<u32> = catalog.live().range(from..).take(BATCH).collect();
    let last = slots.last().filter(|_last| slots.len() == BATCH);
    let following = last.map_or(0, |last| last.saturating_add(1));
    app.service_session_round
        .0
        .store(following, Ordering::Relaxed);
    slots
        .into_iter()
        .map(Slot::from_bit)
        .filter_map(|slot| match (catalog.owner(slot)?, catalog.number(slot)?) {
            (Owner::Identity(owner), number) => {
                Some(identity_key(owner).dependent(SESSION, number.0))
            },
            (Owner::Router(_), _) => None,
        })
        .collect()
}

/// Those of some sessions that have lost their grant.
fn lapsed(app: &App, keys: &[RecordKey]) -> Result<Vec<RecordKey>, AppError> {
    let view = app.snapshot()?;
    let grants = Grants::new(app, app.env().now());
    let lapsed = without_grant(&grants, view.rows(), keys)?;
    Ok(lapsed.into_iter().map(|found| found.key).collect())
}

/// Those of some sessions that are there and have lost their grant.
fn without_grant(
    grants: &Grants<'_>,
    rows: Rows<'_>,
    keys: &[RecordKey],
) -> Result<Vec<Found<Session>>, AppError> {
    let mut without = Vec::new();
    for key in keys {
        let Some(entity) = rows.get::<Session>(key)? else {
            continue;
        };
        let found = Found { key: *key, entity };
        if !grants.hold(rows, &found)? {
            without.push(found);
        }
    }
    Ok(without)
}
