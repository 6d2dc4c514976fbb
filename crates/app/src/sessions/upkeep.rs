//! What happens to sessions in the background: unused ones end, activity is written down.

use crate::app::App;
use crate::audit;
use crate::error::AppError;
use crate::identities;
use crate::posture;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::Number;
use portcullis_storage::tables::{API_SESSION, identity_key};
use std::sync::Arc;

/// Most sessions that one transaction ends or updates.
const BATCH: usize = 500;

/// Ends sessions that were not used for longer than their timeout; returns how many. What sessions
/// reported that are gone is forgotten, and whose tracing has ended.
pub async fn sweep(app: &App) -> Result<usize, AppError> {
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
        .commit(move |rows| {
            let mut ended = Vec::new();
            for (owner, number) in &expired {
                let key = identity_key(*owner).dependent(API_SESSION, number.0);
                if let Some(session) = rows.rows().get::<ApiSession>(&key)? {
                    rows.remove(&key, &session)?;
                    ended.push(session.id);
                }
            }
            Ok::<_, AppError>(ended)
        })
        .await?;
    for session in &ended {
        audit::changed_by_controller("api-session.expire", session.as_str());
    }
    Ok(ended.len())
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
    app.commit(move |rows| {
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
