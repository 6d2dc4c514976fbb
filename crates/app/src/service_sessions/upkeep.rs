//! Service sessions that lost their grant are ended.
//!
//! Nobody is shown them any more; this keeps them from filling the store.

use super::grant::Grants;
use crate::app::App;
use crate::audit;
use crate::error::AppError;
use portcullis_domain::change::Owner;
use portcullis_domain::session::Session;
use portcullis_index::Slot;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, SESSION, identity_key};
use std::sync::atomic::{AtomicU32, Ordering};

/// Most sessions that are looked at in one go.
const BATCH: usize = 2000;

/// How far the round has come in which all sessions are looked at: the place of the next one.
#[derive(Debug, Default)]
pub(crate) struct Round(AtomicU32);

/// Looks at some of the service sessions, at others each time, and ends those that lost their grant;
/// returns how many.
pub async fn sweep(app: &App) -> Result<usize, AppError> {
    if !app.projections().is_ready() {
        return Ok(0);
    }
    let lapsed = lapsed(app, &next(app))?;
    if lapsed.is_empty() {
        return Ok(0);
    }
    let ended = app
        .commit(move |rows| {
            let mut ended = Vec::new();
            for key in &lapsed {
                if let Some(session) = rows.rows().get::<Session>(key)? {
                    rows.remove(key, &session)?;
                    ended.push(session.id);
                }
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    for session in &ended {
        audit::changed_by_controller("session.expire", session.as_str());
    }
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

/// Those of some sessions that are there and have lost their grant.
fn lapsed(app: &App, keys: &[RecordKey]) -> Result<Vec<RecordKey>, AppError> {
    let view = app.snapshot()?;
    let grants = Grants::new(app);
    let mut lapsed = Vec::new();
    for key in keys {
        let Some(entity) = view.rows().get::<Session>(key)? else {
            continue;
        };
        let found = Found { key: *key, entity };
        if !grants.hold(view.rows(), &found)? {
            lapsed.push(*key);
        }
    }
    Ok(lapsed)
}
