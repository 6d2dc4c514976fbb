//! When something that a controller needs is missing: randomness, room in a queue, the read model,
//! a record.

use crate::support::{
    add_policy, create, edit_entity, get, identities_and_enrollments, modify_store,
    one_password_at_a_time, ott_enrollment, pending_enrollment, redeem, revision, text,
};
use crate::wire::opaque_errors::World;
use ::support::wait::DEFAULT_TIMEOUT;
use http::Method;
use portcullis_app::sessions;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_storage::engine::TxBody;
use portcullis_storage::tables::{Found, UniqueIndex, UniqueValue};
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, PASSWORD, Reply, client_key_and_csr};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

async fn log_in(controller: &Harness) -> Reply {
    controller
        .request(Method::POST, "/authenticate?method=password")
        .json(&json!({"username": ADMIN, "password": PASSWORD}))
        .send()
        .await
}

/// Whether an answer says only that it did not work, and when to try again.
#[track_caller]
fn assert_unavailable(reply: &Reply, status: u16, code: &str) {
    assert_eq!(reply.error(), (status, code.to_owned()), "{}", reply.text());
    assert!(
        reply.json()["error"]
            .get("cause")
            .is_none_or(Value::is_null),
        "{}",
        reply.text()
    );
    let seconds = reply.headers["retry-after"].to_str().unwrap();
    assert!(seconds.parse::<u32>().unwrap() > 0, "{seconds}");
}

#[tokio::test]
async fn without_randomness_nothing_secret_is_made() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let ott = create(&controller, &admin, "x", ott_enrollment()).await;
    let ott = pending_enrollment(&controller, &admin, &ott, "ott").await;
    let updb = create(
        &controller,
        &admin,
        "y",
        json!({"enrollment": {"updb": "someone"}}),
    )
    .await;
    let updb = pending_enrollment(&controller, &admin, &updb, "updb").await;
    let bare = create(&controller, &admin, "z", json!({})).await;
    let later = "2032-01-01T00:00:00Z";
    let (_key, csr) = client_key_and_csr();
    let before = identities_and_enrollments(&controller, &admin).await;
    let at = revision(&controller);

    controller.entropy.set_exhausted(true);
    let refresh = format!("/enrollments/{}/refresh", text(&ott, "id"));
    for (path, body) in [
        ("/identities", json!({"name": "n", "isAdmin": false})),
        (
            "/identities",
            json!({"name": "n", "isAdmin": false, "enrollment": {"ott": true}}),
        ),
        (
            "/enrollments",
            json!({"identityId": bare, "method": "ott", "expiresAt": later}),
        ),
        (refresh.as_str(), json!({"expiresAt": later})),
    ] {
        let request = controller.manage(Method::POST, path, &admin);
        assert_unavailable(&request.json(&body).send().await, 503, "UNHANDLED");
    }
    assert_unavailable(&log_in(&controller).await, 503, "UNHANDLED");
    assert_unavailable(
        &redeem(&controller, text(&ott, "token"), &csr).await,
        503,
        "UNHANDLED",
    );
    let path = format!("/enroll?method=updb&token={}", text(&updb, "token"));
    let chosen = controller
        .request(Method::POST, &path)
        .json(&json!({"password": PASSWORD}));
    assert_unavailable(&chosen.send().await, 503, "UNHANDLED");
    // What needs none goes on.
    assert_eq!(revision(&controller), at);
    assert_eq!(
        identities_and_enrollments(&controller, &admin).await,
        before
    );

    controller.entropy.set_exhausted(false);
    redeem(&controller, text(&ott, "token"), &csr).await.data();
    log_in(&controller).await.data();
}

/// Whatever draws something: what it makes is not made weaker, it is not made.
#[tokio::test]
async fn whatever_draws_waits_for_randomness() {
    let world = World::new(HarnessOptions::default()).await;
    let controller = world.controller();
    let mut drawing = BTreeSet::new();
    for operation in &world.operations {
        let (asked, at) = (controller.entropy.call_count(), revision(controller));
        controller.entropy.set_exhausted(true);
        let reply = operation.ask(controller).await;
        controller.entropy.set_exhausted(false);
        let what = format!("{} {}", operation.method, operation.path);
        if controller.entropy.call_count() == asked {
            assert!(reply.status.as_u16() < 500, "{what}: {}", reply.text());
            continue;
        }
        assert_unavailable(&reply, 503, "UNHANDLED");
        assert_eq!(revision(controller), at, "{what} is half-done");
        // With randomness it gets on, and whoever is refused is refused for something else.
        let reply = operation.ask(controller).await;
        assert!(reply.status.as_u16() < 500, "{what}: {}", reply.text());
        drawing.insert(what.split(['?', '=']).next().unwrap().to_owned());
    }
    assert!(drawing.len() >= 20, "{drawing:#?}");
}

#[tokio::test]
async fn excess_passwords_are_turned_away() {
    let controller = Arc::new(one_password_at_a_time().await);
    let admin = controller.admin().await;
    let mut tasks = JoinSet::new();
    for _ in 0..64 {
        let controller = controller.clone();
        tasks.spawn(async move { log_in(&controller).await });
    }
    // Whoever holds a session is served meanwhile.
    get(&controller, &admin, "/identities").await.data();
    let replies = tasks.join_all().await;
    let (welcome, refused): (Vec<_>, Vec<_>) =
        replies.into_iter().partition(|reply| reply.status == 200);
    assert!(
        !welcome.is_empty() && refused.len() > 32,
        "{} refused",
        refused.len()
    );
    for reply in refused {
        assert_unavailable(&reply, 429, "SERVER_TOO_MANY_REQUESTS");
    }
}

/// However much one address asks for, others are served: what it has no place for is its own.
#[tokio::test]
async fn one_address_keeps_no_other_from_logging_in() {
    let options = HarnessOptions {
        password_threads: 1,
        password_queue: 8,
        ..HarnessOptions::default()
    };
    let controller = Arc::new(Harness::start_with(options).await);
    let mut flood = JoinSet::new();
    for number in 0..200 {
        let controller = controller.clone();
        let address = ["2001:db8::1", "2001:db8::2", "192.0.2.1"][number % 3];
        flood.spawn(async move {
            let login = controller.request(Method::POST, "/authenticate?method=password");
            let body = json!({"username": "nobody", "password": "a wrong one"});
            login.json(&body).from(address).send().await
        });
    }
    for address in ["2001:db8:1::1", "192.0.2.2", "127.0.0.2"] {
        let login = controller.request(Method::POST, "/authenticate?method=password");
        let body = json!({"username": ADMIN, "password": PASSWORD});
        let reply = login.json(&body).from(address).send().await;
        assert_eq!(reply.status, 200, "{address}: {}", reply.text());
    }
    let replies = flood.join_all().await;
    let refused = replies.iter().filter(|reply| reply.status == 429).count();
    assert!(refused > 100, "{refused} refused");
}

/// Keeps the writer busy until the sender is used or dropped.
fn occupy(controller: &Harness) -> Sender<()> {
    let (release, released) = channel::<()>();
    let (started, has_started) = channel();
    let body: TxBody<_> = Box::new(move |_| {
        started.send(()).unwrap();
        // The sender being gone is as good as a word from it.
        let _ = released.recv();
        Ok(())
    });
    drop(controller.engine.submit(body).unwrap());
    has_started.recv().unwrap();
    release
}

#[tokio::test]
async fn full_store_queue_is_said_to_be_passing() {
    let options = HarnessOptions {
        store_queue: 4,
        ..HarnessOptions::default()
    };
    let controller = Harness::start_with(options).await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", ott_enrollment()).await;
    let token = text(
        &pending_enrollment(&controller, &admin, &id, "ott").await,
        "token",
    )
    .to_owned();
    let (_key, csr) = client_key_and_csr();
    controller.clock.advance(SignedDuration::from_secs(60));
    get(&controller, &admin, "/identities").await.data();

    let release = occupy(&controller);
    let mut waiting = 0;
    while controller.engine.submit(Box::new(|_| Ok(()))).is_ok() {
        waiting += 1;
    }
    assert!(waiting >= 4, "{waiting}");
    let code = "SERVER_TOO_MANY_REQUESTS";
    let request = controller.manage(Method::POST, "/identities", &admin);
    let reply = request
        .json(&json!({"name": "n", "isAdmin": false}))
        .send()
        .await;
    assert_unavailable(&reply, 503, code);
    let path = format!("/identities/{id}");
    let reply = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_unavailable(&reply, 503, code);
    assert_unavailable(&log_in(&controller).await, 503, code);
    assert_unavailable(&redeem(&controller, &token, &csr).await, 503, code);
    assert!(sessions::flush_activity(&controller.app).await.is_err());
    // Reading needs no writer.
    get(&controller, &admin, "/identities").await.data();

    drop(release);
    // The queue is in order: once this is through, all before it is.
    let begin = Instant::now();
    loop {
        if let Ok(ticket) = controller.engine.submit(Box::new(|_| Ok(()))) {
            ticket.await.unwrap();
            break;
        }
        assert!(begin.elapsed() < DEFAULT_TIMEOUT, "the queue stays full");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    redeem(&controller, &token, &csr).await.data();
    let flushed = sessions::flush_activity(&controller.app).await.unwrap();
    assert_eq!(
        flushed, 1,
        "activity that could not be written is written later"
    );
}

#[tokio::test]
async fn lists_wait_for_the_read_model_and_nothing_else_does() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", ott_enrollment()).await;
    let token = text(
        &pending_enrollment(&controller, &admin, &id, "ott").await,
        "token",
    )
    .to_owned();
    let (_key, csr) = client_key_and_csr();
    controller.app.projections().begin_load();
    redeem(&controller, &token, &csr).await.data();
    log_in(&controller).await.data();
    get(&controller, &admin, &format!("/identities/{id}"))
        .await
        .data();

    // From here on nothing runs on other threads, so the waiting takes no time.
    tokio::time::pause();
    for path in [
        "/identities",
        "/enrollments",
        "/identities?filter=isAdmin%3Dtrue",
    ] {
        let began = tokio::time::Instant::now();
        let reply = get(&controller, &admin, path).await;
        assert_unavailable(&reply, 503, "TIMEOUT");
        assert_eq!(began.elapsed().as_secs(), 5, "{path}");
    }
    get(&controller, &admin, "/identity-types").await.data();
}

#[tokio::test]
async fn damage_is_refused_without_a_word_about_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "lost", |_policy| ()).await;
    let user = controller
        .create_user(&admin, "user", json!({"authPolicyId": "lost"}))
        .await;
    modify_store(&controller, |rows| {
        let by_id = UniqueValue::new(UniqueIndex::AuthPolicyId, "lost");
        let policy: Found<AuthPolicy> = rows.rows().find(&by_id).unwrap().unwrap();
        rows.remove(&policy.key, &policy.entity).unwrap();
    })
    .await;
    let session = controller
        .request(Method::GET, "/current-identity")
        .session(&user);
    let login = controller.request(Method::POST, "/authenticate?method=password");
    let login = login.json(&json!({"username": "user", "password": PASSWORD}));
    for reply in [session.send().await, login.send().await] {
        assert_eq!(reply.error(), (500, "UNHANDLED".to_owned()));
        let error = reply.json()["error"].clone();
        let members: Vec<_> = error
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert!(
            members
                .iter()
                .all(|name| ["code", "message", "requestId"].contains(name)),
            "{error}"
        );
        for told in ["policy", "lost", "record", "store", "0x", "/"] {
            assert!(!text(&error, "message").contains(told), "{error}");
        }
    }
}

#[tokio::test]
async fn absence_of_an_authenticator_is_no_permission() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "user", json!({})).await;
    edit_entity(
        &controller,
        UniqueIndex::IdentityName,
        "user",
        |one: &mut Identity| {
            one.attached.authenticators = 0;
        },
    )
    .await;
    let login = controller.request(Method::POST, "/authenticate?method=password");
    let login = login.json(&json!({"username": "user", "password": PASSWORD}));
    assert_eq!(login.send().await.error(), (500, "UNHANDLED".to_owned()));
}
