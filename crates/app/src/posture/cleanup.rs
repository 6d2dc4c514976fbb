//! Removal of posture data of ended sessions and deleted identities.

use crate::app::App;
use portcullis_domain::ids::RecordNumber;

/// Identities checked under one lock.
const BATCH: usize = 256;

/// Removes everything that belongs to ended sessions or deleted identities.
pub(crate) fn remove_stale(app: &App) {
    if !app.projections().is_ready() {
        return;
    }
    let mut from = RecordNumber(0);
    loop {
        let batch = app.posture.identities(from, BATCH);
        let Some(last) = batch.last() else {
            return;
        };
        from = RecordNumber(last.0.saturating_add(1));
        for identity in batch {
            remove_stale_of(app, identity);
        }
    }
}

fn remove_stale_of(app: &App, identity: RecordNumber) {
    if !app.projections().identities().contains(identity) {
        app.posture.remove_identity(identity);
        return;
    }
    let remembered = app.posture.sessions(identity);
    let gone: Vec<_> = {
        let sessions = app.projections().sessions();
        let is_gone = |session: &RecordNumber| sessions.get(*session).is_none();
        remembered.into_iter().filter(is_gone).collect()
    };
    if !gone.is_empty() {
        app.posture.remove_sessions(identity, &gone);
    }
}
