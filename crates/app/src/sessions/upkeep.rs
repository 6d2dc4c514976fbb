//! What happens to sessions in the background: unused ones end, activity is written down.

use crate::app::App;
use crate::error::AppError;
use crate::identities;
use crate::posture;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_index::{Direction, Slot};
use portcullis_storage::tables::{API_SESSION, identity_key};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most sessions that one transaction ends or updates.
const BATCH: usize = 500;

/// Most sessions whose age is looked at in one go.
const LOOKED_AT: usize = 2000;

/// How far the round has come in which the age of all sessions is looked at: the place of the next one
/// among their ids.
#[derive(Debug, Default)]
pub(crate) struct Round(AtomicU64);

/// Ends sessions that were not used for longer than their timeout, and such that have lived as long as
/// they may; returns how many. What sessions reported that are gone is forgotten, and whose tracing has
/// ended.
pub async fn sweep(app: &App) -> Result<usize, AppError> {
    Ok(end_unused(app).await? + end_outlived(app).await?)
}

/// Ends some of the sessions that have lived as long as they may. They let nobody in any more; this
/// keeps them from filling the store.
async fn end_outlived(app: &App) -> Result<usize, AppError> {
    let (now, lifetimes) = (app.env().now(), app.settings().session_lifetimes);
    if lifetimes.are_unlimited() {
        return Ok(0);
    }
    let suspects = old_sessions(app, now);
    if suspects.is_empty() {
        return Ok(0);
    }
    let ended = app
        .commit(Actor::controller(), move |rows| {
            rows.removal("expire");
            let mut ended = 0;
            for (owner, number) in &suspects {
                let key = identity_key(*owner).dependent(API_SESSION, number.0);
                let identity: Option<Identity> = rows.rows().get(&identity_key(*owner))?;
                let session: Option<ApiSession> = rows.rows().get(&key)?;
                if let (Some(identity), Some(session)) = (identity, session)
                    && let Some(end) = lifetimes.end(&session, identity.has_admin_rights())
                    && now >= end
                {
                    rows.remove(&key, &session)?;
                    ended += 1;
                }
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    Ok(ended)
}

/// Those of some sessions, others each time, that have lived as long as they may, going by the rank that
/// memory knows of.
fn old_sessions(app: &App, now: Timestamp) -> Vec<(Number, Number)> {
    let lifetimes = app.settings().session_lifetimes;
    let from = app.session_round.0.load(Ordering::Relaxed);
    let old: Vec<_> = {
        let sessions = app.projections().sessions();
        let page = sessions.page(Direction::Ascending, from, LOOKED_AT);
        let following = match u64::try_from(page.len()) {
            Ok(count) if page.len() == LOOKED_AT => from.saturating_add(count),
            _ => 0,
        };
        app.session_round.0.store(following, Ordering::Relaxed);
        page.into_iter()
            .filter_map(|number| sessions.get(number))
            .filter(|session| lifetimes.may_be_over(session.record, now))
            .map(|session| (session.owner, session.number, Arc::clone(session.record)))
            .collect()
    };
    // Those of others are old as well, day after day, and are not to stand in the way.
    let identities = app.projections().identities();
    let columns = identities.columns();
    let is_admin = |owner: Number| {
        let bit = identities.slot(owner).map(Slot::bit);
        bit.is_some_and(|bit| {
            columns.admins().contains(bit) || columns.default_admins().contains(bit)
        })
    };
    old.into_iter()
        .filter(|(owner, _, session)| {
            lifetimes
                .end(session, is_admin(*owner))
                .is_some_and(|end| now >= end)
        })
        .map(|(owner, number, _)| (owner, number))
        .take(BATCH)
        .collect()
}

async fn end_unused(app: &App) -> Result<usize, AppError> {
    posture::forget_what_is_gone(app);
    identities::forget_ended_traces(app);
    let now = app.env().now();
    let timeout = app.settings().session_timeout;
    let expired = app.projections().sessions().expired(now, timeout, BATCH);
    {
        let sessions = app.projections().sessions();
        app.service_updates
            .keep(|number| sessions.get(number).is_some());
    }
    if expired.is_empty() {
        return Ok(0);
    }
    let ended = app
        .commit(Actor::controller(), move |rows| {
            rows.removal("expire");
            let mut ended = 0;
            for (owner, number) in &expired {
                let key = identity_key(*owner).dependent(API_SESSION, number.0);
                if let Some(session) = rows.rows().get::<ApiSession>(&key)? {
                    rows.remove(&key, &session)?;
                    ended += 1;
                }
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    Ok(ended)
}

/// Writes down when sessions were last used; returns for how many.
///
/// What could not be written is tried again the next time.
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
        if let Err(error) = write_down(app, Arc::clone(&batch)).await {
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

/// Identity, session and last activity of each session of a batch.
type Seen = (Number, Number, Timestamp);

async fn write_down(app: &App, batch: Arc<[Seen]>) -> Result<(), AppError> {
    app.commit_silently(move |rows| {
        for &(owner, number, seen) in &*batch {
            let key = identity_key(owner).dependent(API_SESSION, number.0);
            if let Some(session) = rows.rows().get::<ApiSession>(&key)?
                && session.last_activity_at < seen
            {
                let after = ApiSession {
                    last_activity_at: seen,
                    ..session.clone()
                };
                rows.replace(&key, &session, &after)?;
            }
        }
        Ok(())
    })
    .await
}
