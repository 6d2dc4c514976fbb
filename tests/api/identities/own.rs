//! What the caller is told of itself, again and again, while it changes.

use crate::entities::auth_policies::{made, patch as patch_policy, policy};
use crate::support::mfa;
use crate::support::{disable_identity, find_identity_id, get, log_in, merge, read, send, text};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{Harness, PASSWORD};
use serde_json::{Value, json};

struct Setting {
    controller: Harness,
    admin: String,
    id: String,
    session: String,
}

impl Setting {
    async fn new() -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        let session = controller.create_user(&admin, "anna", json!({})).await;
        let id = find_identity_id(&controller, &admin, "anna").await;
        Self {
            controller,
            admin,
            id,
            session,
        }
    }

    async fn change(&self, method: Method, path: &str, body: Value) {
        let reply = send(&self.controller, &self.admin, (method, path), &body).await;
        assert!(reply.status.is_success(), "{path}: {}", reply.json());
    }

    async fn own(&self) -> Value {
        let request = self.controller.request(Method::GET, "/current-identity");
        request.session(&self.session).send().await.data()
    }

    /// Checks that the caller is told twice what administrators are told, on either API.
    async fn check(&self, why: &str) -> Value {
        let mut shown = read(&self.controller, &self.admin, &self.id).await;
        let first = self.own().await;
        let request = get(&self.controller, &self.session, "/current-identity");
        assert_eq!(request.await.data(), first, "{why}");
        shown["_links"] = first["_links"].clone();
        assert_eq!(first, shown, "{why}");
        first
    }
}

#[tokio::test]
async fn caller_is_told_of_every_change_at_once() {
    let setting = Setting::new().await;
    let Setting {
        controller,
        admin,
        id,
        session,
    } = &setting;
    let path = format!("/identities/{id}");
    let before = setting.check("as it was made").await;

    for (member, value) in [
        ("name", json!("hanna")),
        ("roleAttributes", json!(["staff"])),
        ("tags", json!({"a": "<b>"})),
        ("appData", json!({"b": 2})),
        ("externalId", json!("e-1")),
        ("defaultHostingCost", json!(7)),
    ] {
        setting
            .change(Method::PATCH, &path, json!({member: value}))
            .await;
        let after = setting.check(member).await;
        assert_eq!(after[member], value);
        assert_ne!(after[member], before[member]);
    }

    let under = made(controller, admin, &policy("contractors")).await;
    setting
        .change(Method::PATCH, &path, json!({"authPolicyId": under}))
        .await;
    assert_eq!(
        setting.check("under another policy").await["authPolicy"]["name"],
        "contractors"
    );
    patch_policy(controller, admin, &under, json!({"name": "guests"})).await;
    assert_eq!(
        setting.check("its policy renamed").await["authPolicy"]["name"],
        "guests"
    );

    let mut more = json!({"identityId": id, "method": "ott"});
    merge(&mut more, json!({"expiresAt": "2100-01-01T00:00:00Z"}));
    setting.change(Method::POST, "/enrollments", more).await;
    let enrolling = setting.check("with an enrollment").await;
    let pending = &enrolling["enrollment"]["ott"];
    assert_eq!(text(pending, "jwt").split('.').count(), 3);
    let enrollment = format!("/enrollments/{}", text(pending, "id"));
    setting
        .change(Method::DELETE, &enrollment, Value::Null)
        .await;
    assert_eq!(setting.check("without it").await["enrollment"], json!({}));

    mfa::enroll(controller, session).await;
    assert_eq!(setting.check("enrolled").await["isMfaEnabled"], true);

    let login = controller.request(Method::POST, "/authenticate?method=password");
    let client = json!({"type": "a-client", "version": "1.2.3"});
    let body = json!({"username": "anna", "password": PASSWORD, "sdkInfo": client});
    login.json(&body).send().await.data();
    assert_eq!(
        setting.check("seen elsewhere").await["sdkInfo"]["type"],
        "a-client"
    );

    disable_identity(controller, admin, id).await;
    let request = controller.request(Method::GET, "/current-identity");
    let refused = request.session(session).send().await.error();
    assert_eq!(refused, (401, "UNAUTHORIZED".to_owned()));
}

#[tokio::test]
async fn everybody_is_told_of_themselves() {
    let setting = Setting::new().await;
    let (controller, admin) = (&setting.controller, &setting.admin);
    let barb = controller.create_user(admin, "barb", json!({})).await;
    for _ in 0..2 {
        for (session, name) in [(&setting.session, "anna"), (&barb, "barb")] {
            let own = get(controller, session, "/current-identity").await.data();
            assert_eq!(own["name"], name);
        }
    }
}

#[tokio::test]
async fn end_of_a_ban_shows() {
    let setting = Setting::new().await;
    let controller = &setting.controller;
    let path = format!("/identities/{}/disable", setting.id);
    let minute = json!({"durationMinutes": 1});
    setting.change(Method::POST, &path, minute).await;
    controller.clock.advance(SignedDuration::from_mins(2));
    let session = log_in(controller, "anna").await;
    let session = session.headers["zt-session"].to_str().unwrap();
    for _ in 0..2 {
        let own = get(controller, session, "/current-identity").await.data();
        assert_eq!(own["disabled"], false);
        assert!(own["disabledUntil"].is_string(), "{own}");
    }
}

#[tokio::test]
async fn answer_is_held_unless_it_has_a_token() {
    let setting = Setting::new().await;
    let controller = &setting.controller;
    let reads_of_one_more = async || {
        setting.own().await;
        let before = controller.reads();
        setting.own().await;
        controller.reads() - before
    };
    assert_eq!(reads_of_one_more().await, 0);

    let later = controller.app.env().now() + SignedDuration::from_mins(5);
    let enrollment = json!({"identityId": setting.id, "method": "ott", "expiresAt": later});
    setting
        .change(Method::POST, "/enrollments", enrollment)
        .await;
    assert_ne!(reads_of_one_more().await, 0);
}
