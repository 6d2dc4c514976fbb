//! What is remembered of sessions and identities that are gone is forgotten.

use crate::app::App;
use portcullis_domain::ids::Number;

/// Identities that are looked at while others wait.
const BATCH: usize = 256;

/// Forgets what is remembered of what is gone.
pub(crate) fn forget_what_is_gone(app: &App) {
    if !app.projections().is_ready() {
        return;
    }
    let mut from = Number(0);
    loop {
        let batch = app.posture.identities(from, BATCH);
        let Some(last) = batch.last() else {
            return;
        };
        from = Number(last.0.saturating_add(1));
        for identity in batch {
            forget_gone(app, identity);
        }
    }
}

fn forget_gone(app: &App, identity: Number) {
    if !app.projections().identities().contains(identity) {
        app.posture.forget_identity(identity);
        return;
    }
    let remembered = app.posture.sessions(identity);
    let gone: Vec<_> = {
        let sessions = app.projections().sessions();
        let is_gone = |session: &Number| sessions.get(*session).is_none();
        remembered.into_iter().filter(is_gone).collect()
    };
    if !gone.is_empty() {
        app.posture.forget_sessions(identity, &gone);
    }
}
