//! What sessions rest on: identities that are disabled, deleted, or put under another policy.

use crate::support::{
    STRICT, add_strict_policy, current_session, disable_identity, find_identity_id, get, log_in,
    modify_store, text,
};
use http::Method;
use portcullis_app::sessions;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::IDENTITY;
use portcullis_testkit::{Harness, PASSWORD};
use serde_json::{Value, json};
use std::ops::ControlFlow;

const SECOND: SignedDuration = SignedDuration::from_secs(1);

#[tokio::test]
async fn disabled_identity_is_out_until_it_is_enabled_or_the_time_is_over() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "user", json!({})).await;
    let id = find_identity_id(&controller, &admin, "user").await;
    let path = format!("/identities/{id}");
    disable_identity(&controller, &admin, &id).await;
    assert_eq!(current_session(&controller, &user).await.status, 401);
    assert_eq!(log_in(&controller, "user").await.status, 401);
    // Neither a merge nor a replacement lets it in again.
    let replacement = json!({"name": "user", "type": "Default", "isAdmin": false});
    for method in [Method::PATCH, Method::PUT] {
        let request = controller.manage(method, &path, &admin);
        request.json(&replacement).send().await.data();
        let shown = get(&controller, &admin, &path).await.data();
        assert_eq!(
            (&shown["disabled"], shown["disabledAt"].is_string()),
            (&json!(true), true)
        );
        assert_eq!(log_in(&controller, "user").await.status, 401);
    }
    let enable = || {
        controller
            .manage(Method::POST, &format!("{path}/enable"), &admin)
            .send()
    };
    enable().await.data();
    assert_eq!(
        current_session(&controller, &user).await.status,
        401,
        "old sessions stay dead"
    );
    let user = controller.login("user", PASSWORD).await;

    let request = controller.manage(Method::POST, &format!("{path}/disable"), &admin);
    request
        .json(&json!({"durationMinutes": 10}))
        .send()
        .await
        .data();
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(shown["disabledUntil"], "2031-04-05T06:17:08.009Z");
    controller.clock.advance(SECOND * 599);
    assert_eq!(log_in(&controller, "user").await.status, 401);
    controller.clock.advance(SECOND);
    assert_eq!(log_in(&controller, "user").await.status, 200);
    assert_eq!(current_session(&controller, &user).await.status, 401);
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(shown["disabled"], false);
    enable().await.data();
    let shown = get(&controller, &admin, &path).await.data();
    assert!(shown.get("disabledAt").is_none() && shown.get("disabledUntil").is_none());
}

#[tokio::test]
async fn open_factor_makes_a_session_partial_at_once() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_strict_policy(&controller).await;
    let user = controller
        .create_user(&admin, "user", json!({"isAdmin": true}))
        .await;
    get(&controller, &user, "/identities").await.data();
    let id = find_identity_id(&controller, &admin, "user").await;
    let path = format!("/identities/{id}");
    let request = controller.manage(Method::PATCH, &path, &admin);
    request
        .json(&json!({"authPolicyId": STRICT}))
        .send()
        .await
        .data();
    assert_eq!(get(&controller, &user, "/identities").await.status, 401);
    let shown = current_session(&controller, &user).await.data();
    let queries = shown["authQueries"].as_array().unwrap();
    assert_eq!((queries.len(), &queries[0]["typeId"]), (1, &json!("MFA")));
    assert_eq!(
        (&shown["isMfaRequired"], &shown["isMfaComplete"]),
        (&json!(false), &json!(false))
    );
    let login = log_in(&controller, "user").await.data();
    assert_eq!(login["authQueries"], shown["authQueries"]);
}

/// A step in the life of an identity with a password.
#[derive(Debug, Clone, Copy)]
enum Step {
    LogIn,
    LogOut,
    Disable,
    Enable,
    Delete,
    Wait,
}

const STEPS: [Step; 8] = [
    Step::LogIn,
    Step::LogIn,
    Step::LogIn,
    Step::LogOut,
    Step::Disable,
    Step::Enable,
    Step::Wait,
    Step::Delete,
];

/// What should be true of the identity: whether it exists, may log in, and which sessions live,
/// each with the minutes since its last use.
struct Model {
    exists: bool,
    is_enabled: bool,
    live: Vec<(String, i64)>,
    dead: Vec<String>,
}

impl Model {
    fn bury(&mut self, is_dead: impl Fn(&(String, i64)) -> bool) {
        let (dead, live) = std::mem::take(&mut self.live)
            .into_iter()
            .partition(is_dead);
        self.live = live;
        let dead: Vec<(String, i64)> = dead;
        self.dead.extend(dead.into_iter().map(|(token, _)| token));
    }
}

async fn take(
    controller: &Harness,
    model: &mut Model,
    (admin, name, id): (&str, &str, &str),
    step: Step,
) {
    let ask = async |method: Method, path: String, body: Value| {
        controller
            .manage(method, &path, admin)
            .json(&body)
            .send()
            .await
            .status
    };
    let ok = if model.exists { 200 } else { 404 };
    match step {
        Step::LogIn => {
            let reply = log_in(controller, name).await;
            assert_eq!(reply.status == 200, model.exists && model.is_enabled);
            if reply.status == 200 {
                model
                    .live
                    .push((text(&reply.data(), "token").to_owned(), 0));
            }
        },
        Step::LogOut => {
            if let Some((token, _)) = model.live.first().cloned() {
                let end = controller.request(Method::DELETE, "/current-api-session");
                end.session(&token).send().await.data();
                model.bury(|(live, _)| *live == token);
            }
        },
        Step::Disable => {
            let path = format!("/identities/{id}/disable");
            let status = ask(Method::POST, path, json!({"durationMinutes": 0})).await;
            assert_eq!(status, ok);
            model.is_enabled = false;
            model.bury(|_| true);
        },
        Step::Enable => {
            let status = ask(Method::POST, format!("/identities/{id}/enable"), json!({})).await;
            assert_eq!(status, ok);
            model.is_enabled = true;
        },
        Step::Delete => {
            let status = ask(Method::DELETE, format!("/identities/{id}"), json!({})).await;
            assert_eq!(status, ok);
            model.exists = false;
            model.bury(|_| true);
        },
        Step::Wait => {
            controller.clock.advance(SECOND * (11 * 60));
            current_session(controller, admin).await.data();
            for (_, idle) in &mut model.live {
                *idle += 11;
            }
            model.bury(|(_, idle)| *idle >= 30);
        },
    }
}

/// Random lives of identities: after each step every session is exactly as alive as it should be.
#[tokio::test]
async fn sessions_die_with_what_they_rest_on() {
    let controller = Harness::start().await;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let admin = controller.admin().await;
    for life in 0..12 {
        let name = format!("life {life}");
        let token = controller.create_user(&admin, &name, json!({})).await;
        let id = find_identity_id(&controller, &admin, &name).await;
        let mut model = Model {
            exists: true,
            is_enabled: true,
            live: vec![(token, 0)],
            dead: Vec::new(),
        };
        let mut history = Vec::new();
        for turn in 0..14 {
            // xorshift64, from a fixed seed.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // A life that ends at once has little to tell.
            let kinds = if turn < 9 { 7 } else { 8 };
            let step = STEPS[usize::try_from(random % kinds).unwrap()];
            history.push(step);
            take(&controller, &mut model, (&admin, &name, &id), step).await;
            if random & 0x100 == 0 {
                sessions::sweep(&controller.app).await.unwrap();
            }
            for dead in &model.dead {
                assert_eq!(
                    current_session(&controller, dead).await.status,
                    401,
                    "{life}: {history:?}"
                );
            }
            // Looking at a session uses it, so it is not done each time.
            if random & 0x200 == 0 {
                for (live, idle) in &mut model.live {
                    assert_eq!(
                        current_session(&controller, live).await.status,
                        200,
                        "{life}: {history:?}"
                    );
                    *idle = 0;
                }
            }
            if model.exists {
                let shown = get(&controller, &admin, &format!("/identities/{id}"))
                    .await
                    .data();
                assert!(shown["hasApiSession"] == true || model.live.is_empty());
            }
        }
    }
    // Nothing is left of those that were deleted.
    let rows = modify_store(&controller, |rows| {
        let mut identities = 0;
        rows.rows()
            .for_each_in::<Identity>(&RecordKey::all(IDENTITY), &mut |_| {
                identities += 1;
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        identities
    })
    .await;
    let total =
        get(&controller, &admin, "/identities").await.json()["meta"]["pagination"]["totalCount"]
            .clone();
    assert_eq!(total, json!(rows));
    assert!(rows < 13, "some were deleted");
}
