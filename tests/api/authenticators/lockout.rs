//! Too many wrong passwords lock an identity, durably and whatever its spelling.

use crate::entities::auth_policies::{made, patch, policy};
use crate::support::credentials::{
    add_authority, authenticator_of, cert, client_of, send, token_by,
};
use crate::support::{current_session, find_identity_id, get, log_in, modify_store, revision};
use http::Method;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{Found, UniqueIndex, UniqueValue};
use portcullis_testkit::{Harness, HarnessOptions, PASSWORD, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Makes the user `user` under a policy with so many attempts and minutes; answers its id.
async fn start(attempts: u32, minutes: u32) -> (Harness, String, String) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut body = policy("locking");
    body["primary"]["updb"]["maxAttempts"] = json!(attempts);
    body["primary"]["updb"]["lockoutDurationMinutes"] = json!(minutes);
    let under = made(&controller, &admin, &body).await;
    controller
        .create_user(&admin, "user", json!({"authPolicyId": under}))
        .await;
    let id = find_identity_id(&controller, &admin, "user").await;
    (controller, admin, id)
}

async fn attempt(controller: &Harness, username: &str, password: &str) -> Reply {
    let login = controller.request(Method::POST, "/authenticate?method=password");
    let body = json!({"username": username, "password": password});
    login.json(&body).send().await
}

async fn wrong(controller: &Harness) {
    let refused = attempt(controller, "user", "wrong-password").await;
    assert_eq!(refused.error(), (401, "INVALID_AUTH".to_owned()));
}

async fn shown(controller: &Harness, admin: &str, id: &str) -> Value {
    get(controller, admin, &format!("/identities/{id}"))
        .await
        .data()
}

#[tokio::test]
async fn wrong_passwords_in_a_row_lock_for_the_time_of_the_policy() {
    let (controller, admin, id) = start(3, 1).await;
    let session = controller.login("user", PASSWORD).await;
    for _ in 0..2 {
        wrong(&controller).await;
        wrong(&controller).await;
        // A right one in between begins the count anew.
        assert_eq!(log_in(&controller, "user").await.status, 200);
    }
    wrong(&controller).await;
    wrong(&controller).await;
    assert_eq!(shown(&controller, &admin, &id).await["disabled"], false);
    assert_eq!(current_session(&controller, &session).await.status, 200);
    wrong(&controller).await;
    let locked = shown(&controller, &admin, &id).await;
    assert_eq!(locked["disabled"], true);
    assert_eq!(locked["disabledUntil"], "2031-04-05T06:08:08.009Z");
    assert_eq!(current_session(&controller, &session).await.status, 401);
    // Neither the right password nor wrong ones change anything now.
    for _ in 0..5 {
        let refused = log_in(&controller, "user").await;
        assert_eq!(refused.error(), (401, "INVALID_AUTH".to_owned()));
        wrong(&controller).await;
    }
    assert_eq!(shown(&controller, &admin, &id).await, locked);
    controller.clock.advance(SignedDuration::from_secs(60));
    assert_eq!(log_in(&controller, "user").await.status, 200);
    assert_eq!(current_session(&controller, &session).await.status, 401);
}

#[tokio::test]
async fn lock_without_an_end_lasts_until_an_administrator_lifts_it() {
    let (controller, admin, id) = start(1, 0).await;
    wrong(&controller).await;
    let locked = shown(&controller, &admin, &id).await;
    assert_eq!(locked["disabled"], true);
    assert!(locked.get("disabledUntil").is_none());
    controller.clock.advance(SignedDuration::from_hours(10_000));
    assert_eq!(log_in(&controller, "user").await.status, 401);
    let admin = controller.admin().await;
    let path = format!("/identities/{id}/enable");
    let request = controller.manage(Method::POST, &path, &admin);
    request.send().await.data();
    assert_eq!(log_in(&controller, "user").await.status, 200);
}

#[tokio::test]
async fn policy_without_a_limit_counts_nothing() {
    let (controller, admin, id) = start(0, 5).await;
    for _ in 0..20 {
        wrong(&controller).await;
    }
    assert_eq!(shown(&controller, &admin, &id).await["disabled"], false);
    assert_eq!(failures(&controller).await, 0);
}

/// What is counted against `user` in the store.
async fn failures(controller: &Harness) -> u32 {
    modify_store(controller, |rows| {
        let by_name = UniqueValue::new(UniqueIndex::IdentityName, "user");
        let found: Option<Found<Identity>> = rows.rows().find(&by_name).unwrap();
        found.unwrap().entity.wrong_passwords
    })
    .await
}

/// S-17: good logins are no failures, and no spelling has a count of its own.
#[tokio::test]
async fn counter_belongs_to_the_identity_and_good_logins_leave_it_alone() {
    let (controller, _, _) = start(3, 0).await;
    for _ in 0..50 {
        assert_eq!(log_in(&controller, "user").await.status, 200);
    }
    assert_eq!(failures(&controller).await, 0);
    for spelling in [
        "User",
        "USER",
        " user",
        "user ",
        "us\u{65}\u{301}r",
        "\u{ff55}ser",
        "user\u{200b}",
    ] {
        let refused = attempt(&controller, spelling, "wrong-password").await;
        assert_eq!(refused.error(), (401, "INVALID_AUTH".to_owned()));
        let refused = attempt(&controller, spelling, PASSWORD).await;
        assert_eq!(refused.status, 401, "{spelling:?} is nobody");
    }
    assert_eq!(failures(&controller).await, 0);
    wrong(&controller).await;
    assert_eq!(failures(&controller).await, 1);
}

/// However many guess at once, no more are looked at than the policy grants: the right one among
/// them is refused if it comes too late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_made_together_count_each() {
    let (controller, admin, id) = start(5, 0).await;
    let guesses = (0..40).map(|_| attempt(&controller, "user", "wrong-password"));
    for refused in all(guesses).await {
        assert_eq!(refused.status, 401);
    }
    assert_eq!(shown(&controller, &admin, &id).await["disabled"], true);
    assert_eq!(log_in(&controller, "user").await.status, 401);
}

async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(Box::pin).collect();
    let mut done = Vec::new();
    std::future::poll_fn(|context| {
        waiting.retain_mut(|future| match future.as_mut().poll(context) {
            std::task::Poll::Ready(output) => {
                done.push(output);
                false
            },
            std::task::Poll::Pending => true,
        });
        if waiting.is_empty() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    done
}

/// S-19: whatever is refused takes one hash, as much work as any other, and one commit.
#[tokio::test]
async fn every_refused_password_takes_the_same_way() {
    let (controller, admin, _) = start(100, 0).await;
    for name in ["imported", "disabled", "imported and disabled"] {
        controller.create_user(&admin, name, json!({})).await;
        if name.contains("imported") {
            import_hash(&controller, name).await;
        }
        if name.contains("disabled") {
            let id = find_identity_id(&controller, &admin, name).await;
            crate::support::disable_identity(&controller, &admin, &id).await;
        }
    }
    let mut body = policy("certificates only");
    body["primary"]["updb"]["allowed"] = json!(false);
    let strict = made(&controller, &admin, &body).await;
    controller.create_user(&admin, "strict", json!({})).await;
    let id = find_identity_id(&controller, &admin, "strict").await;
    let path = format!("/identities/{id}");
    let request = controller.manage(Method::PATCH, &path, &admin);
    request
        .json(&json!({"authPolicyId": strict}))
        .send()
        .await
        .data();
    let (mut bodies, mut works) = (BTreeSet::new(), BTreeSet::new());
    for (username, password) in [
        ("user", "wrong-password"),
        ("nobody", "wrong-password"),
        ("disabled", "wrong-password"),
        ("disabled", PASSWORD),
        ("strict", "wrong-password"),
        ("strict", PASSWORD),
        ("imported", "wrong-password"),
        ("imported and disabled", "wrong-password"),
        ("imported and disabled", "correct horse"),
    ] {
        let (commits, hashes) = (revision(&controller), controller.app.passwords_hashed());
        let work = controller.app.password_work();
        let refused = attempt(&controller, username, password).await;
        assert_eq!(refused.error(), (401, "INVALID_AUTH".to_owned()));
        assert_eq!(revision(&controller), commits + 1, "{username} {password}");
        assert_eq!(
            controller.app.passwords_hashed(),
            hashes + 1,
            "{username} {password}"
        );
        works.insert(controller.app.password_work() - work);
        let mut body = refused.json();
        body["error"]["requestId"] = Value::Null;
        bodies.insert(body.to_string());
    }
    assert_eq!(bodies.len(), 1);
    assert_eq!(works.len(), 1, "{works:?}");
}

/// Stores the password of a user under a hash of OpenZiti's costs.
async fn import_hash(controller: &Harness, username: &str) {
    let username = username.to_owned();
    modify_store(controller, move |rows| {
        let by_name = UniqueValue::new(UniqueIndex::AuthenticatorUsername, &*username);
        let found: Found<Authenticator> = rows.rows().find(&by_name).unwrap().unwrap();
        let mut after = found.entity.clone();
        let Credential::Updb(updb) = &mut after.credential else {
            unreachable!()
        };
        (
            updb.password.memory,
            updb.password.passes,
            updb.password.lanes,
        ) = (3072, 1, 4);
        // Argon2id of "correct horse" with the salt "0123456789".
        "MDEyMzQ1Njc4OQ==".clone_into(&mut updb.password.salt);
        "2V0TwqXU7sK4zwcrqJxc4pMgJOo32t+2bHG9FvgMaYA=".clone_into(&mut updb.password.hash);
        rows.replace(&found.key, &found.entity, &after).unwrap();
    })
    .await;
}

/// Each of them renews the hash; that changes no password.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn logins_that_renew_a_hash_together_all_succeed() {
    let controller = Harness::start_with(HarnessOptions::default()).await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "user", json!({})).await;
    import_hash(&controller, "user").await;
    let replies = all((0..16).map(|_| attempt(&controller, "user", "correct horse"))).await;
    for reply in replies {
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}

/// Who has a session and guesses the password for a change of it is counted like everybody.
#[tokio::test]
async fn guesses_at_the_current_password_count_under_every_policy() {
    let (controller, admin, id) = start(3, 0).await;
    let authenticator = authenticator_of(&controller, &admin, &id, "updb").await;
    let certificate = client_of(
        &controller,
        &add_authority(&controller, "others", true).await.1,
    );
    let body = cert(&id, &certificate);
    send(
        &controller,
        &admin,
        (Method::POST, "/authenticators"),
        &body,
    )
    .await
    .id();
    let under = shown(&controller, &admin, &id).await["authPolicyId"].clone();
    let forbid = json!({"primary": {"updb": {"allowed": false}}});
    patch(&controller, &admin, under.as_str().unwrap(), forbid)
        .await
        .data();
    let token = token_by(&controller, &[certificate]).await;
    let path = format!("/current-identity/authenticators/{authenticator}");
    for number in 1..=3 {
        assert_eq!(
            current_session(&controller, &token).await.status,
            200,
            "{number}"
        );
        let body = json!({"currentPassword": "wrong", "password": "another one"});
        let reply = send(&controller, &token, (Method::PATCH, &path), &body).await;
        assert_eq!(reply.status, 401, "{}", reply.text());
    }
    assert_eq!(current_session(&controller, &token).await.status, 401);
    assert_eq!(shown(&controller, &admin, &id).await["disabled"], true);
}

/// A hash of OpenZiti's costs lets in, and is replaced by one of ours as it does.
#[tokio::test]
async fn imported_hash_is_renewed_at_the_first_good_login() {
    let controller = Harness::start_with(HarnessOptions::default()).await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "user", json!({})).await;
    let costs = || {
        modify_store(&controller, |rows| {
            let by_name = UniqueValue::new(UniqueIndex::AuthenticatorUsername, "user");
            let found: Found<Authenticator> = rows.rows().find(&by_name).unwrap().unwrap();
            match found.entity.credential {
                Credential::Updb(updb) => (updb.password.memory, updb.password.passes),
                Credential::Cert(_) => unreachable!(),
            }
        })
    };
    import_hash(&controller, "user").await;
    assert_eq!(
        attempt(&controller, "user", "correct hors").await.status,
        401
    );
    assert_eq!(costs().await, (3072, 1));
    let session = attempt(&controller, "user", "correct horse").await;
    let session = session.data()["token"].as_str().unwrap().to_owned();
    assert_eq!(costs().await, (19 * 1024, 2));
    assert_eq!(
        attempt(&controller, "user", "correct horse").await.status,
        200
    );
    assert_eq!(current_session(&controller, &session).await.status, 200);
}
