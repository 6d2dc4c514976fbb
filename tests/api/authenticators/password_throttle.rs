//! Wrong passwords make whoever gives them wait, and lock nobody out.

use crate::entities::auth_policies::{made, policy};
use crate::support::credentials::{authenticator_of, send};
use crate::support::{
    current_session, find_identity_id, get, log_in_with_password, modify_store, revision,
};
use ::support::wait::DEFAULT_TIMEOUT;
use http::Method;
use portcullis_app::Settings;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::password_throttle::PasswordThrottle;
use portcullis_storage::tables::{Found, UniqueIndex, UniqueValue};
use portcullis_testkit::{Harness, HarnessOptions, PASSWORD, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Somewhere that nobody has logged in from. The tests' own address, 127.0.0.1, is known.
pub(crate) const STRANGER: &str = "192.0.2.1";

const WRONG: &str = "wrong-password";

async fn attempt(controller: &Harness, address: &str, username: &str, password: &str) -> Reply {
    let login = controller.request(Method::POST, "/authenticate?method=password");
    let body = json!({"username": username, "password": password});
    login.json(&body).from(address).send().await
}

pub(crate) async fn guess(controller: &Harness, address: &str, times: u32) {
    for _ in 0..times {
        let refused = attempt(controller, address, "user", WRONG).await;
        assert_eq!(refused.error(), (401, "INVALID_AUTH".to_owned()));
    }
}

/// Whether the right password lets in from an address.
pub(crate) async fn gets_in(controller: &Harness, address: &str) -> bool {
    let reply = attempt(controller, address, "user", PASSWORD).await;
    if reply.status != 200 {
        assert_eq!(reply.error(), (401, "INVALID_AUTH".to_owned()));
        assert!(!reply.headers.contains_key("retry-after"));
    }
    reply.status == 200
}

/// A controller with the user `user`, who has logged in from 127.0.0.1.
pub(crate) async fn start(more: Value) -> (Harness, String, String) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "user", more).await;
    let id = find_identity_id(&controller, &admin, "user").await;
    (controller, admin, id)
}

/// What the store remembers of attempts at the password of `user`.
async fn stored(controller: &Harness) -> PasswordThrottle {
    modify_store(controller, |rows| {
        let by_name = UniqueValue::new(UniqueIndex::AuthenticatorUsername, "user");
        let found: Found<Authenticator> = rows.rows().find(&by_name).unwrap().unwrap();
        found.entity.updb().unwrap().throttle.clone()
    })
    .await
}

#[tokio::test]
async fn wrong_passwords_make_their_source_wait_and_no_other() {
    let (controller, _, _) = start(json!({})).await;
    for (wrong, wait) in [(5, 1), (1, 2), (1, 4), (1, 8)] {
        guess(&controller, STRANGER, wrong).await;
        controller
            .clock
            .advance(SignedDuration::from_millis(wait * 1000 - 1));
        assert!(!gets_in(&controller, STRANGER).await, "{wait}");
        assert!(gets_in(&controller, "127.0.0.1").await);
        // The same network of 64 bits is one source, and IPv6 can write IPv4.
        assert!(!gets_in(&controller, "::ffff:192.0.2.1").await, "{wait}");
        controller.clock.advance(SignedDuration::from_millis(1));
    }
    assert!(gets_in(&controller, STRANGER).await);
    guess(&controller, STRANGER, 4).await;
    assert!(gets_in(&controller, STRANGER).await, "the count began anew");
}

#[tokio::test]
async fn many_addresses_are_slowed_down_together_and_the_owner_is_not() {
    let (controller, _, _) = start(json!({})).await;
    for last in 1..=20 {
        guess(&controller, &format!("2001:db8:0:{last}::1"), 1).await;
    }
    for _ in 0..2 {
        assert!(!gets_in(&controller, STRANGER).await);
        assert!(gets_in(&controller, "127.0.0.1").await);
    }
    controller.clock.advance(SignedDuration::from_secs(1));
    assert!(gets_in(&controller, STRANGER).await);
}

/// Neither the answer nor what it takes tells whether a name exists, whether it is held, and whether
/// the password was right.
#[tokio::test]
async fn whoever_has_to_wait_is_answered_like_everybody() {
    let (controller, _, _) = start(json!({})).await;
    let (mut answers, mut works) = (BTreeSet::new(), BTreeSet::new());
    for (username, password, times) in [
        ("user", WRONG, 8),
        ("user", PASSWORD, 1),
        ("nobody", WRONG, 8),
    ] {
        for _ in 0..times {
            let (commits, work) = (revision(&controller), controller.app.password_work());
            let reply = attempt(&controller, STRANGER, username, password).await;
            assert_eq!(revision(&controller), commits + 1, "{username} {password}");
            works.insert(controller.app.password_work() - work);
            let names: Vec<_> = reply.headers.keys().map(ToString::to_string).collect();
            let mut body = reply.json();
            body["error"]["requestId"] = Value::Null;
            answers.insert(format!("{} {names:?} {body}", reply.status));
        }
    }
    assert_eq!((answers.len(), works.len()), (1, 1), "{answers:?}");
}

#[tokio::test]
async fn a_wait_disables_nobody_and_policies_count_on() {
    let (controller, admin, id) = start(json!({})).await;
    let session = controller.login("user", PASSWORD).await;
    let path = format!("/identities/{id}");
    guess(&controller, STRANGER, 30).await;
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(shown["disabled"], false);
    assert_eq!(current_session(&controller, &session).await.status, 200);

    // Where a policy locks, it does so at the very attempt that it says, held or not.
    let mut body = policy("locking");
    body["primary"]["updb"]["maxAttempts"] = json!(8);
    let under = made(&controller, &admin, &body).await;
    let change = json!({"authPolicyId": under});
    send(&controller, &admin, (Method::PATCH, &path), &change)
        .await
        .data();
    for number in 1..=8 {
        assert_eq!(
            current_session(&controller, &session).await.status,
            200,
            "{number}"
        );
        guess(&controller, STRANGER, 1).await;
    }
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(shown["disabled"], true);
    assert_eq!(current_session(&controller, &session).await.status, 401);
}

#[tokio::test]
async fn a_good_login_is_one_commit_and_most_say_nothing_of_where_it_came_from() {
    let (controller, _, _) = start(json!({})).await;
    assert!(gets_in(&controller, STRANGER).await);
    let before = stored(&controller).await;
    let commits = revision(&controller);
    assert!(gets_in(&controller, STRANGER).await);
    assert_eq!(revision(&controller), commits + 1);
    assert_eq!(stored(&controller).await, before);
}

/// Whatever is guessed at once, no more is looked at than costs nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_made_together_count_each() {
    let (controller, _, _) = start(json!({})).await;
    let controller = Arc::new(controller);
    let mut guesses = JoinSet::new();
    for _ in 0..40 {
        let controller = controller.clone();
        guesses.spawn(async move { guess(&controller, STRANGER, 1).await });
    }
    tokio::time::timeout(DEFAULT_TIMEOUT, guesses.join_all())
        .await
        .unwrap();
    assert!(!gets_in(&controller, STRANGER).await);
    controller.clock.advance(SignedDuration::from_secs(1));
    assert!(gets_in(&controller, STRANGER).await, "five were looked at");
}

/// Guesses at the current password, by whoever has a session, are slowed down by the same counts.
#[tokio::test]
async fn guesses_at_the_current_password_wait_as_well() {
    let (controller, admin, id) = start(json!({})).await;
    let own = authenticator_of(&controller, &admin, &id, "updb").await;
    let session = controller.login("user", PASSWORD).await;
    let path = format!("/edge/management/v1/current-identity/authenticators/{own}");
    let change = async |current: &str| {
        let request = controller.request(Method::PATCH, &path).session(&session);
        let body = json!({"currentPassword": current, "password": "another-one-1"});
        request.json(&body).from(STRANGER).send().await
    };
    for _ in 0..3 {
        let refused = change(WRONG).await;
        assert_eq!(refused.error(), (401, "UNAUTHORIZED".to_owned()));
    }
    guess(&controller, STRANGER, 2).await;
    let before = stored(&controller).await;
    for password in [WRONG, PASSWORD] {
        let (commits, work) = (revision(&controller), controller.app.password_work());
        let held = change(password).await;
        assert_eq!(held.error(), (429, "SERVER_TOO_MANY_REQUESTS".to_owned()));
        assert_eq!(held.headers["retry-after"], "1");
        assert_eq!(revision(&controller), commits + 1, "{password}");
        // The new password and the current one.
        assert_eq!(controller.app.password_work() - work, 2 * 2 * 19 * 1024);
    }
    assert_eq!(stored(&controller).await, before);
    assert!(!gets_in(&controller, STRANGER).await);
    controller.clock.advance(SignedDuration::from_secs(1));
    change(PASSWORD).await.data();
    let reply = attempt(&controller, STRANGER, "user", "another-one-1").await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn another_password_ends_all_waits() {
    let (controller, admin, id) = start(json!({})).await;
    guess(&controller, STRANGER, 10).await;
    assert!(!gets_in(&controller, STRANGER).await);
    let own = authenticator_of(&controller, &admin, &id, "updb").await;
    let path = format!("/authenticators/{own}");
    let same = json!({"password": PASSWORD});
    send(&controller, &admin, (Method::PATCH, &path), &same)
        .await
        .data();
    assert!(gets_in(&controller, STRANGER).await);
}

#[tokio::test]
async fn without_rules_nobody_waits_and_nothing_is_noted() {
    let settings = Settings {
        password_throttle: None,
        ..Settings::default()
    };
    let controller = Harness::start_with(HarnessOptions {
        settings,
        ..HarnessOptions::default()
    })
    .await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "user", json!({})).await;
    guess(&controller, STRANGER, 30).await;
    assert_eq!(
        log_in_with_password(&controller, "user", PASSWORD)
            .await
            .status,
        200
    );
    assert!(stored(&controller).await.is_empty());
}
