use super::*;
use crate::fixture::{Fixture, named, permit};
use crate::records::own_session_key;
use std::sync::Arc;

/// An administrator, and the session of somebody else.
async fn start() -> (Fixture, Arc<Caller>, Arc<Caller>) {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    fixture.add_identity(&admin, named("alice")).await;
    let alice = fixture.caller("alice").await;
    (fixture, admin, alice)
}

#[tokio::test]
async fn session_that_ends_while_it_is_deleted_is_not_found() {
    let (fixture, admin, alice) = start().await;
    let id = &alice.session;
    let permit = permit(&admin);
    let deleted = delete(&fixture.app, &permit, id);
    let ended = fixture.remove::<ApiSession>(own_session_key(&alice));
    let outcome = fixture.change_before_commit(ended, deleted).await;
    let error = outcome.unwrap_err();
    assert!(matches!(error, AppError::NotFound { .. }), "{error}");
}

#[tokio::test]
async fn deleted_session_is_neither_deleted_again_nor_read() {
    let (fixture, admin, alice) = start().await;
    let (app, id) = (&fixture.app, &alice.session);
    assert_eq!(read(app, &permit(&admin), id).unwrap().view.session.id, *id);
    delete(app, &permit(&admin), id).await.unwrap();
    let again = delete(app, &permit(&admin), id).await.unwrap_err();
    assert!(matches!(again, AppError::NotFound { .. }), "{again}");
    let gone = read(app, &permit(&admin), id).unwrap_err();
    assert!(matches!(gone, AppError::NotFound { .. }), "{gone}");
}

#[tokio::test]
async fn session_that_ended_since_it_was_selected_is_not_shown() {
    let (fixture, _admin, alice) = start().await;
    let row = {
        let sessions = fixture.app.projections().sessions();
        SessionRow::from(sessions.find_by_id(alice.session.as_str()).unwrap())
    };
    let is_shown = || {
        let view = fixture.app.snapshot().unwrap();
        load_view(&fixture.app, view.rows(), &row)
            .unwrap()
            .is_some()
    };
    assert!(is_shown());
    fixture.remove::<ApiSession>(own_session_key(&alice)).await;
    assert!(!is_shown());
}
