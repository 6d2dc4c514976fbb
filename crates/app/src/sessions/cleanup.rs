//! Background cleanup of sessions: expiry, and persistence of activity.

use super::idle_end_after;
use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::metrics::Job;
use crate::posture;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_index::Direction;
use portcullis_storage::tables::{API_SESSION, identity_key};
use std::sync::Arc;

/// Maximum number of sessions that one transaction ends or updates.
const BATCH: usize = 500;

/// Number of sessions whose age is checked in one pass.
const SCAN_BATCH: usize = 2000;

/// Ends sessions that exceeded their idle timeout or lifetime, and returns how many. Also removes
/// posture data of ended sessions and ended traces.
pub async fn sweep(app: &App) -> Result<usize, AppError> {
    let _timing = app.metrics().jobs().run(Job::Sessions);
    let ended = end_idle(app).await? + end_over_lifetime(app).await?;
    app.metrics().jobs().count_removed(Job::Sessions, ended);
    Ok(ended)
}

/// Ends some of the sessions beyond their lifetime. They are already invalid; this keeps them from
/// filling the store.
async fn end_over_lifetime(app: &App) -> Result<usize, AppError> {
    let (now, lifetimes) = (app.env().now(), app.settings().session_lifetimes);
    if lifetimes.is_unlimited() {
        return Ok(0);
    }
    let candidates = find_over_lifetime(app, now);
    if candidates.is_empty() {
        return Ok(0);
    }
    let revocation = SessionRevocation::new(app);
    let ended = app
        .commit(Actor::controller(), move |rows| {
            rows.set_removal_verb("expire");
            let mut ended = 0;
            for (owner, number) in &candidates {
                let key = identity_key(*owner).dependent(API_SESSION, number.0);
                let identity: Option<Identity> = rows.rows().get(&identity_key(*owner))?;
                let session: Option<ApiSession> = rows.rows().get(&key)?;
                if let (Some(identity), Some(session)) = (identity, session)
                    && let Some(end) = lifetimes.expires_at(&session, identity.has_admin_rights())
                    && now >= end
                {
                    revocation.end(rows, &key, &session)?;
                    ended += 1;
                }
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    Ok(ended)
}

/// Sessions beyond their lifetime among the next part of all sessions, by the privileges that the
/// read model knows.
fn find_over_lifetime(app: &App, now: Timestamp) -> Vec<(RecordNumber, RecordNumber)> {
    let lifetimes = app.settings().session_lifetimes;
    let from = app.session_cleanup_cursor.get();
    let old: Vec<_> = {
        let sessions = app.projections().sessions();
        let page = sessions.page(Direction::Ascending, from, SCAN_BATCH);
        let following = match u64::try_from(page.len()) {
            Ok(count) if page.len() == SCAN_BATCH => from.saturating_add(count),
            _ => 0,
        };
        app.session_cleanup_cursor.set(following);
        page.into_iter()
            .filter_map(|number| sessions.get(number))
            .filter(|session| lifetimes.may_have_ended(session.record, now))
            .map(|session| (session.owner, session.number, Arc::clone(session.record)))
            .collect()
    };
    // Sessions with a longer lifetime stay in this state for days, and must not use up the batch.
    let identities = app.projections().identities();
    let columns = identities.columns();
    let is_admin = |owner: RecordNumber| {
        let slot = identities.slot(owner);
        slot.is_some_and(|slot| columns.has_admin_rights(slot))
    };
    old.into_iter()
        .filter(|(owner, _, session)| {
            lifetimes
                .expires_at(session, is_admin(*owner))
                .is_some_and(|end| now >= end)
        })
        .map(|(owner, number, _)| (owner, number))
        .take(BATCH)
        .collect()
}

async fn end_idle(app: &App) -> Result<usize, AppError> {
    posture::remove_stale(app);
    identities::forget_ended_traces(app);
    let expired = find_idle(app, app.env().now());
    {
        let sessions = app.projections().sessions();
        app.service_updates
            .retain(|number| sessions.get(number).is_some());
    }
    if expired.is_empty() {
        return Ok(0);
    }
    let revocation = SessionRevocation::new(app);
    let ended = app
        .commit(Actor::controller(), move |rows| {
            rows.set_removal_verb("expire");
            let mut ended = 0;
            for (owner, number) in &expired {
                let key = identity_key(*owner).dependent(API_SESSION, number.0);
                if let Some(session) = rows.rows().get::<ApiSession>(&key)? {
                    revocation.end(rows, &key, &session)?;
                    ended += 1;
                }
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    Ok(ended)
}

/// At most [`BATCH`] sessions that exceeded their idle timeout, each as identity and session.
fn find_idle(app: &App, now: Timestamp) -> Vec<(RecordNumber, RecordNumber)> {
    let timeout = app.settings().session_timeout;
    let sessions = app.projections().sessions();
    sessions
        .expired(now, timeout)
        .filter(|session| {
            let end = idle_end_after(app, session.record, session.last_activity_at());
            end.is_none_or(|end| now >= end)
        })
        .map(|session| (session.owner, session.number))
        .take(BATCH)
        .collect()
}

/// Saves when sessions were last used; returns how many were saved.
///
/// What could not be saved is retried the next time.
pub async fn flush_activity(app: &App) -> Result<usize, AppError> {
    let mut flushed = 0;
    loop {
        let batch: Arc<[_]> = app
            .projections()
            .sessions()
            .drain_dirty_activity(BATCH)
            .into();
        if batch.is_empty() {
            return Ok(flushed);
        }
        if let Err(error) = save_activity(app, Arc::clone(&batch)).await {
            let sessions = app.projections().sessions();
            for &(_, number, _) in &*batch {
                sessions.restore_dirty(number);
            }
            return Err(error);
        }
        flushed += batch.len();
        if batch.len() < BATCH {
            return Ok(flushed);
        }
    }
}

/// Identity, session and last activity.
type Activity = (RecordNumber, RecordNumber, Timestamp);

async fn save_activity(app: &App, batch: Arc<[Activity]>) -> Result<(), AppError> {
    app.commit_unaudited(move |rows| {
        for &(owner, number, seen) in &*batch {
            let key = identity_key(owner).dependent(API_SESSION, number.0);
            if let Some(session) = rows.rows().get::<ApiSession>(&key)?
                && session.last_activity_at < seen
            {
                let mut after = session.clone();
                after.last_activity_at = seen;
                rows.replace(&key, &session, &after)?;
            }
        }
        Ok(())
    })
    .await
}

#[cfg(test)]
mod tests;
