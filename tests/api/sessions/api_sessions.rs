//! API sessions: how long they live and what is known of their use.

use crate::support::{current_session, log_in, modify_store, revision, text};
use http::Method;
use portcullis_app::sessions;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::SignedDuration;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::IDENTITY;
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, PASSWORD};
use serde_json::json;
use std::ops::ControlFlow;

const SECOND: SignedDuration = SignedDuration::from_secs(1);
const TIMEOUT: SignedDuration = SignedDuration::from_secs(30 * 60);

/// The sessions as the store has them: when each was last used.
async fn stored(controller: &Harness) -> Vec<String> {
    modify_store(controller, |rows| {
        let mut found = Vec::new();
        rows.rows()
            .for_each_in::<ApiSession>(&RecordKey::all(IDENTITY), &mut |session| {
                found.push(session.entity.last_activity_at.to_string());
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        found
    })
    .await
}

#[tokio::test]
async fn session_lives_until_its_timeout_to_the_millisecond() {
    let controller = Harness::start().await;
    let token = controller.admin().await;
    let millisecond = SignedDuration::from_millis(1);

    // Each use begins the time anew.
    for _ in 0..3 {
        controller.clock.advance(TIMEOUT - millisecond);
        assert_eq!(current_session(&controller, &token).await.status, 200);
    }
    controller.clock.advance(TIMEOUT);
    assert_eq!(current_session(&controller, &token).await.status, 401);
    // A refused use is none.
    controller.clock.advance(-millisecond);
    assert_eq!(current_session(&controller, &token).await.status, 200);
}

#[tokio::test]
async fn timeout_is_the_configured_one() {
    let mut options = HarnessOptions::default();
    options.settings.session_timeout = SignedDuration::from_mins(1);
    let controller = Harness::start_with(options).await;
    let reply = log_in(&controller, ADMIN).await;
    assert_eq!(reply.data()["expirationSeconds"], 60);
    let token = reply.headers["zt-session"].to_str().unwrap();
    controller.clock.advance(SECOND * 59);
    assert_eq!(current_session(&controller, token).await.status, 200);
    controller.clock.advance(SECOND * 60);
    assert_eq!(current_session(&controller, token).await.status, 401);
}

#[tokio::test]
async fn sweep_removes_what_has_ended_and_nothing_else() {
    let controller = Harness::start().await;
    let idle = controller.admin().await;
    let used = controller.admin().await;
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 0);
    controller.clock.advance(TIMEOUT - SECOND);
    current_session(&controller, &used).await.data();
    controller.clock.advance(SECOND);
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 1);
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 0);
    assert_eq!(stored(&controller).await.len(), 1);
    current_session(&controller, &used).await.data();
    assert_eq!(current_session(&controller, &idle).await.status, 401);
    controller.clock.advance(-SECOND * 60);
    assert_eq!(
        current_session(&controller, &idle).await.status,
        401,
        "it does not come back"
    );
}

#[tokio::test]
async fn activity_is_kept_in_memory_until_it_is_flushed() {
    let controller = Harness::start().await;
    let token = controller.admin().await;
    let began = controller.app.env().now().to_string();
    controller.clock.advance(SECOND * 90);
    let at = revision(&controller);
    let shown = current_session(&controller, &token).await.data();
    assert_eq!(revision(&controller), at, "a read writes nothing");
    assert_eq!(stored(&controller).await, [began]);
    let used = controller.app.env().now().to_string();
    assert_eq!(text(&shown, "cachedLastActivityAt"), used);

    assert_eq!(sessions::flush_activity(&controller.app).await.unwrap(), 1);
    assert_eq!(stored(&controller).await, [used]);
    let at = revision(&controller);
    assert_eq!(sessions::flush_activity(&controller.app).await.unwrap(), 0);
    assert_eq!(
        revision(&controller),
        at,
        "what is known is not written again"
    );
}

#[tokio::test]
async fn both_apis_open_and_end_the_same_sessions() {
    let controller = Harness::start().await;
    for (open, end) in [
        ("/edge/client/v1", "/edge/management/v1"),
        ("/edge/management/v1", "/edge/client/v1"),
        ("", "/edge/v1"),
    ] {
        let path = format!("{open}/authenticate?method=password");
        let login = controller.request(Method::POST, &path);
        let login = login.json(&json!({"username": ADMIN, "password": PASSWORD}));
        let token = text(&login.send().await.data(), "token").to_owned();
        let other = controller.admin().await;
        let path = format!("{end}/current-api-session");
        let ended = controller.request(Method::DELETE, &path).session(&token);
        assert_eq!(ended.send().await.json(), json!({"data": {}, "meta": {}}));
        assert_eq!(current_session(&controller, &token).await.status, 401);
        assert_eq!(
            current_session(&controller, &other).await.status,
            200,
            "only its own"
        );
    }
}
