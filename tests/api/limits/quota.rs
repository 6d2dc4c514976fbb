//! What one identity makes for itself takes bounded room in the store, however often it makes it.

use crate::support::mfa::begin;
use crate::support::posture::PostureFixture;
use crate::support::{current_session, text};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::quota::StorageQuota;
use portcullis_pki::{KeyType, SigningKey, Subject, create_csr};
use portcullis_storage::engine::KeyRange;
use portcullis_storage::key::META_TAG;
use portcullis_testkit::{Harness, HarnessOptions};
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Bytes of all rows of the store.
fn stored_bytes(controller: &Harness) -> usize {
    let snapshot = controller.engine.snapshot().unwrap();
    let mut bytes = 0;
    snapshot
        // Without the rows of the store itself, among them the events that nobody writes out here.
        .scan(&KeyRange::starting(&[META_TAG + 1]), &mut |key, value| {
            bytes += key.len() + value.len();
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    bytes
}

/// A certificate request with the longest subject that is granted.
fn large_csr() -> String {
    let key = SigningKey::generate(KeyType::P256).unwrap();
    create_csr(&key, &Subject::new().common_name(&"x".repeat(1024))).unwrap()
}

/// The largest tags that a service session may have. A control character takes most room.
fn large_tags() -> Value {
    let tag = |number: usize| (format!("{number:02}"), json!("\u{1}".repeat(19)));
    (0..32).map(tag).collect::<serde_json::Map<_, _>>().into()
}

/// Logs the person in and has it write whatever it may write with the new session.
async fn write_everything(stage: &PostureFixture, authenticator: &str) -> String {
    let controller = &stage.controller;
    let longest = |count: usize| "\u{1}".repeat(count);
    let body = json!({
        "configTypes": ["all"],
        "envInfo": {
            "arch": longest(255), "domain": longest(253), "hostname": longest(253),
            "os": longest(255), "osRelease": longest(255), "osVersion": longest(255),
        },
        "sdkInfo": {
            "appId": longest(255), "appVersion": longest(255), "branch": longest(255),
            "revision": longest(255), "type": longest(255), "version": longest(255),
        },
    });
    let request = controller.request(Method::POST, "/authenticate?method=cert");
    let request = request.certificates(&stage.person.chain).json(&body);
    let session = text(&request.send().await.data(), "token").to_owned();
    for grant in ["Dial", "Bind"] {
        let body = json!({"serviceId": stage.service, "type": grant, "tags": large_tags()});
        assert_eq!(stage.post(&session, "/sessions", &body).await.status, 201);
    }
    for _ in 0..3 {
        let path = "/current-api-session/certificates";
        let made = stage
            .post(&session, path, &json!({"csr": large_csr()}))
            .await;
        assert_eq!(made.status, 201, "{}", made.text());
    }
    let path = format!("/current-identity/authenticators/{authenticator}/extend");
    let extended = controller
        .request(Method::POST, &format!("/edge/client/v1{path}"))
        .certificates(&stage.person.chain)
        .session(&session)
        .json(&json!({"clientCertCsr": large_csr()}));
    assert_eq!(extended.send().await.status, 200);
    begin(controller, &session).await;
    let path = "/current-identity/mfa";
    let abandoned = stage.client(&session, (Method::DELETE, path)).await;
    assert_eq!(abandoned.status, 200);
    session
}

#[tokio::test]
async fn what_an_identity_writes_for_itself_takes_no_more_than_its_quota() {
    let mut options = HarnessOptions::default();
    options.settings.storage_quota = StorageQuota::new(StorageQuota::MIN_BYTES);
    let stage = PostureFixture::with(options).await;
    stage.allow("dial", "Dial", &[]).await;
    stage.allow("bind", "Bind", &[]).await;
    let path = format!("/identities/{}", stage.person.id);
    let shown = crate::support::get(&stage.controller, &stage.admin, &path).await;
    let authenticator = text(&shown.data()["authenticators"]["cert"], "id").to_owned();
    let before = stored_bytes(&stage.controller);
    let mut newest = String::new();
    for _ in 0..150 {
        // Slowly enough that its changes are not too many for an identity.
        stage.controller.clock.advance(SignedDuration::from_secs(6));
        newest = write_everything(&stage, &authenticator).await;
        let grown = stored_bytes(&stage.controller) - before;
        assert!(grown <= StorageQuota::MIN_BYTES, "{grown} bytes");
    }
    let grown = stored_bytes(&stage.controller) - before;
    assert!(
        grown > StorageQuota::MIN_BYTES / 2,
        "the quota was not reached: {grown}"
    );

    // Who comes last is served; others have lost nothing.
    for session in [&newest, &stage.admin] {
        assert_eq!(
            current_session(&stage.controller, session).await.status,
            200
        );
    }
    let list = stage.client(&newest, (Method::GET, "/sessions")).await;
    assert!(!list.data().as_array().unwrap().is_empty());
}

#[tokio::test]
async fn long_subjects_of_certificate_requests_are_refused() {
    let stage = PostureFixture::new().await;
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let csr = create_csr(&key, &Subject::new().common_name(&"x".repeat(1025))).unwrap();
    let path = "/current-api-session/certificates";
    let body = json!({"csr": csr});
    let refused = stage.post(&stage.person.session, path, &body).await;
    assert_eq!(refused.error().1, "COULD_NOT_PROCESS_CSR");
    assert!(
        refused.text().contains("at most 1024"),
        "{}",
        refused.text()
    );
}
