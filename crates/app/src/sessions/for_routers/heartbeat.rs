//! Activity of sessions that routers report.

use crate::app::App;
use crate::error::AppError;
use crate::routers::ConnectedRouter;
use crate::sessions::{idle_end_after, token_hash};

/// Sessions that are looked up under one lock.
const BATCH: usize = 1000;

/// Records that the sessions with these tokens are in use; returns the positions of the tokens whose
/// sessions are over.
///
/// Takes less than a microsecond for each token. Nothing is written; that is done in batches with all
/// other activity.
///
/// # Errors
///
/// [`AppError::NotReady`] while the sessions are still being loaded.
pub fn heartbeat(
    app: &App,
    _router: &ConnectedRouter,
    tokens: &[impl AsRef<str>],
) -> Result<Vec<usize>, AppError> {
    let projections = app.require_lists()?;
    let now = app.env().now();
    let mut over = Vec::new();
    let hashes: Vec<_> = tokens
        .iter()
        .map(|token| token_hash(app, token.as_ref()))
        .enumerate()
        .collect();
    for batch in hashes.chunks(BATCH) {
        let sessions = projections.sessions();
        for (position, hash) in batch {
            let used = sessions.find(*hash).filter(|session| {
                let end = idle_end_after(app, session.record, session.last_activity_at());
                end.is_none_or(|end| now < end)
            });
            match used {
                Some(session) => session.touch(now),
                None => over.push(*position),
            }
        }
    }
    Ok(over)
}

#[cfg(test)]
mod tests;
