//! Background deletion of service sessions that lost their grant.
//!
//! They are already invisible; this keeps them from filling the store.

use super::grant_evaluator::GrantEvaluator;
use crate::app::App;
use crate::blocking::run_blocking;
use crate::error::AppError;
use crate::metrics::Job;
use portcullis_domain::audit::Actor;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::session::Session;
use portcullis_index::Slot;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Rows, SESSION, identity_key};
use std::sync::Arc;

/// Number of sessions checked in one pass.
const BATCH: usize = 2000;

/// Maximum number of sessions that one transaction ends, since all other writes wait for it.
const MAX_PER_TRANSACTION: usize = 200;

/// Checks the next part of all service sessions and ends those that lost their grant; returns how
/// many.
pub async fn sweep(app: &Arc<App>) -> Result<usize, AppError> {
    if !app.projections().is_ready() {
        return Ok(0);
    }
    let _timing = app.metrics().jobs().run(Job::ServiceSessions);
    let judging = Arc::clone(app);
    let lapsed = run_blocking(move || find_lapsed(&judging, &next_batch(&judging))).await?;
    let mut ended = 0;
    for keys in lapsed.chunks(MAX_PER_TRANSACTION) {
        ended += end(app, keys.to_vec()).await?;
    }
    app.metrics()
        .jobs()
        .count_removed(Job::ServiceSessions, ended);
    Ok(ended)
}

/// Ends those sessions that are still without a grant; it may have come back since they were
/// checked.
///
/// The read model is that of the last group of commits. What the same group changes, such as a
/// policy, an identity or an API session, is not seen here; both become visible at once, as if the
/// service session had ended first.
async fn end(app: &Arc<App>, keys: Vec<RecordKey>) -> Result<usize, AppError> {
    let now = app.env().now();
    let judging = Arc::clone(app);
    let ended = app
        .commit(Actor::controller(), move |rows| {
            rows.set_removal_verb("expire");
            let grants = GrantEvaluator::new(&judging, now);
            let mut ended = 0;
            for key in select_ungranted(&grants, rows.rows(), &keys)? {
                if let Some(session) = rows.rows().get::<Session>(&key)? {
                    rows.remove(&key, &session)?;
                    ended += 1;
                }
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    Ok(ended)
}

/// Keys of the next sessions to check.
fn next_batch(app: &App) -> Vec<RecordKey> {
    // Slots are 32 bits; the cursor only holds what was a slot.
    let from = u32::try_from(app.service_session_cleanup_cursor.get()).unwrap_or(0);
    let catalog = app.projections().service_sessions();
    let slots: Vec<u32> = catalog.live().range(from..).take(BATCH).collect();
    let last = slots.last().filter(|_last| slots.len() == BATCH);
    let following = last.map_or(0, |last| last.saturating_add(1));
    app.service_session_cleanup_cursor.set(u64::from(following));
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

/// Those of the sessions that lost their grant.
fn find_lapsed(app: &App, keys: &[RecordKey]) -> Result<Vec<RecordKey>, AppError> {
    let view = app.snapshot()?;
    let grants = GrantEvaluator::new(app, app.env().now());
    select_ungranted(&grants, view.rows(), keys)
}

/// Those of the sessions that have no grant, or are gone.
fn select_ungranted(
    grants: &GrantEvaluator<'_>,
    rows: Rows<'_>,
    keys: &[RecordKey],
) -> Result<Vec<RecordKey>, AppError> {
    let mut without = Vec::new();
    for key in keys {
        if !grants.is_granted(rows, RecordNumber(key.id().1))? {
            without.push(*key);
        }
    }
    Ok(without)
}
