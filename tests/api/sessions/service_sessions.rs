//! Service sessions: who is granted one, who sees it, and how long it is there.

use crate::support::hold::{Hold, submitted};
use crate::support::mfa::{TestUser, advance_clock};
use crate::support::posture::{PostureFixture, add_router};
use crate::support::{add_policy, edit_entity, get, modify_store, revision, text};
use http::Method;
use portcullis_app::service_sessions::sweep;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Disabled, Identity};
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture_check::PostureCheck;
use portcullis_domain::router::Router;
use portcullis_pki::jwt;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, POSTURE_CHECK, UniqueIndex, reference};
use portcullis_testkit::Reply;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A stage on which the person may dial the service, the policy that lets it, and its session.
async fn connected() -> (PostureFixture, String, Value) {
    let stage = PostureFixture::new().await;
    let policy = stage.allow("dial", "Dial", &[]).await;
    let session = stage.connect(&stage.person.session, "Dial").await.data();
    (stage, policy, session)
}

async fn own(stage: &PostureFixture, session: &str, below: &str) -> Reply {
    let path = format!("/sessions{below}");
    stage.client(session, (Method::GET, &path)).await
}

/// The ids of the sessions that an administrator sees, and those in the store.
async fn all(stage: &PostureFixture) -> (Vec<String>, usize) {
    let data = get(&stage.controller, &stage.admin, "/sessions")
        .await
        .data();
    let sessions = data.as_array().unwrap().iter();
    let ids = sessions.map(|session| text(session, "id").to_owned());
    let stored = stage.controller.app.projections().service_sessions().len();
    (ids.collect(), stored)
}

#[tokio::test]
async fn token_says_what_was_granted_and_is_signed_by_the_server() {
    let (stage, _, session) = connected().await;
    let token = text(&session, "token");
    let claims: Value = claims(&stage, token);
    let now = stage.controller.app.env().now().as_second();
    assert_eq!(
        claims,
        json!({
            "iss": stage.controller.app.network().issuer(), "sub": stage.service,
            "aud": ["openziti"], "iat": now, "exp": now + 365 * 24 * 3600, "jti": session["id"],
            "z_asid": session["apiSessionId"], "z_iid": stage.person.id, "z_t": "s",
            "z_st": "Dial", "z_leg": true,
        })
    );
    assert_eq!(session["type"], json!("Dial"));
    assert_eq!(session["service"]["name"], json!("vault"));
    assert!(session["createdAt"].is_string());
    assert_eq!(session["identityId"], json!(stage.person.id));
    assert_eq!(session["edgeRouters"][0]["name"], json!("gate"));
    assert_eq!(session["edgeRouters"].as_array().unwrap().len(), 1);
}

fn claims(stage: &PostureFixture, token: &str) -> Value {
    jwt::verify(token, &stage.controller.server.public_key().unwrap()).unwrap()
}

#[tokio::test]
async fn who_asks_again_gets_the_same_session() {
    let (stage, _, first) = connected().await;
    let person = &stage.person;
    let before = revision(&stage.controller);
    let again = stage.connect(&person.session, "Dial").await.data();
    assert_eq!(again["id"], first["id"]);
    assert_eq!(revision(&stage.controller), before, "nothing is written");
    stage.allow("bind", "Bind", &[]).await;
    let bind = stage.connect(&person.session, "Bind").await.data();
    let other = person.log_in(&stage.controller).await;
    let other = stage.connect(&other, "Dial").await.data();
    assert_ne!(bind["id"], first["id"], "another use");
    assert_ne!(other["id"], first["id"], "another session");
    let listed = own(&stage, &person.session, "?sort=createdAt").await.data();
    assert_eq!(listed.as_array().unwrap().len(), 3, "those of the identity");
}

#[tokio::test]
async fn requests_at_the_same_time_get_one_session() {
    let stage = PostureFixture::new().await;
    stage.allow("dial", "Dial", &[]).await;
    let ask = || stage.connect(&stage.person.session, "Dial");
    let (one, two, three) = tokio::join!(ask(), ask(), ask());
    let [one, two, three] = [one, two, three].map(|reply| reply.data()["id"].clone());
    assert!(one == two && two == three);
    assert_eq!(all(&stage).await.1, 1);
}

#[tokio::test]
async fn refusals_say_why_and_change_nothing() {
    let stage = PostureFixture::new().await;
    let session = &stage.person.session;
    let before = |stage: &PostureFixture| revision(&stage.controller);
    let at = before(&stage);
    let not_found = (404, "NOT_FOUND".to_owned());
    for service in [stage.service.as_str(), "nope", ""] {
        let body = json!({"serviceId": service});
        let reply = stage.post(session, "/sessions", &body).await;
        assert_eq!(
            reply.error(),
            not_found,
            "{service}: as if it did not exist"
        );
    }
    for (field, body) in [
        ("type", json!({"serviceId": stage.service, "type": "dial"})),
        (
            "type",
            json!({"serviceId": stage.service, "type": "Invalid"}),
        ),
        (
            "tags.a",
            json!({"serviceId": stage.service, "tags": {"a": {}}}),
        ),
    ] {
        let reply = stage.post(session, "/sessions", &body).await;
        assert_eq!((reply.status.as_u16(), reply.field()), (400, field.into()));
    }
    assert_eq!(before(&stage), at);

    stage.allow("dial", "Dial", &[]).await;
    let at = before(&stage);
    let reply = stage.connect(session, "Bind").await;
    assert_eq!(
        (reply.status.as_u16(), reply.field()),
        (400, "ServiceId".into())
    );
    let stranger = TestUser::new(&stage.controller, &stage.admin, "stranger").await;
    let reply = stage.connect(&stranger.session, "Dial").await;
    assert_eq!(reply.error(), not_found);
    let reply = stage.connect(&stage.admin, "Dial").await;
    assert_eq!(
        reply.error(),
        not_found,
        "administrators use what policies grant them"
    );
    assert_eq!(all(&stage).await.1, 0);
    assert!(before(&stage) > at, "by the stranger alone");
}

#[tokio::test]
async fn it_takes_a_router_that_is_not_disabled() {
    let stage = PostureFixture::new().await;
    stage.allow("dial", "Dial", &[]).await;
    let disable = |disabled: bool| {
        let change = move |router: &mut Router| router.spec.disabled = disabled;
        edit_entity(&stage.controller, UniqueIndex::RouterId, "gate", change)
    };
    disable(true).await;
    let none = (400, "NO_EDGE_ROUTERS_AVAILABLE".to_owned());
    assert_eq!(
        stage.connect(&stage.person.session, "Dial").await.error(),
        none
    );
    add_router(&stage.controller, "another", false).await;
    let session = stage.connect(&stage.person.session, "Dial").await.data();
    assert_eq!(session["edgeRouters"][0]["name"], json!("another"));
    disable(false).await;
    let session = stage.connect(&stage.person.session, "Dial").await.data();
    assert_eq!(session["edgeRouters"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn sessions_of_others_are_not_found() {
    let (stage, _, session) = connected().await;
    let below = format!("/{}", text(&session, "id"));
    let path = format!("/sessions{below}");
    let stranger = TestUser::new(&stage.controller, &stage.admin, "stranger").await;
    for other in [&stranger.session, &stage.admin] {
        assert_eq!(own(&stage, other, "").await.data(), json!([]));
        for method in [Method::GET, Method::DELETE] {
            let reply = stage.client(other, (method, &path)).await;
            assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
        }
    }
    let holder = &stage.person.session;
    let shown = own(&stage, holder, &below).await.data();
    assert_eq!(own(&stage, holder, "").await.data(), json!([shown]));
    assert_eq!(shown["token"], session["id"], "the token was told once");
    let reply = stage.client(holder, (Method::DELETE, &path)).await;
    assert_eq!(reply.status, 200);
    let reply = stage.client(holder, (Method::DELETE, &path)).await;
    assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(all(&stage).await, (vec![], 0));
}

#[tokio::test]
async fn administrators_see_policies_and_no_token_and_end_sessions() {
    let (stage, policy, session) = connected().await;
    let id = text(&session, "id");
    let path = format!("/sessions/{id}");
    let shown = get(&stage.controller, &stage.admin, &path).await.data();
    assert_eq!(shown["token"], json!(id));
    assert_eq!(shown["servicePolicies"][0]["id"], json!(policy));
    assert_eq!(shown["service"]["name"], json!("vault"));
    let api_session = text(&session, "apiSessionId");
    for filter in [
        format!("token = \"{id}\""),
        format!("apiSession = \"{api_session}\""),
        format!("service = \"{}\" and type = \"Dial\"", stage.service),
    ] {
        let filter = crate::support::lists::encode(&filter);
        let path = format!("/sessions?filter={filter}");
        let listed = get(&stage.controller, &stage.admin, &path).await.data();
        assert_eq!(listed, json!([shown]), "{filter}");
    }
    let route = format!("{path}/route-path");
    let route = get(&stage.controller, &stage.admin, &route).await.data();
    assert_eq!(route, json!({"routePath": []}));
    let reply = stage.administer(Method::DELETE, &path, &Value::Null).await;
    assert_eq!(reply.status, 200);
    assert_eq!(all(&stage).await, (vec![], 0));
    let reply = get(&stage.controller, &stage.admin, &path).await;
    assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn sessions_go_with_their_api_session_their_service_and_their_identity() {
    let (stage, _, _) = connected().await;
    let person = &stage.person;
    let ended = (Method::DELETE, "/current-api-session");
    assert_eq!(stage.client(&person.session, ended).await.status, 200);
    assert_eq!(all(&stage).await, (vec![], 0));

    let again = person.log_in(&stage.controller).await;
    stage.connect(&again, "Dial").await.data();
    let service = format!("/services/{}", stage.service);
    let reply = stage
        .administer(Method::DELETE, &service, &Value::Null)
        .await;
    assert_eq!(reply.status, 200);
    assert_eq!(all(&stage).await, (vec![], 0));

    let (stage, _, _) = connected().await;
    let identity = format!("/identities/{}", stage.person.id);
    let reply = stage
        .administer(Method::DELETE, &identity, &Value::Null)
        .await;
    assert_eq!(reply.status, 200);
    assert_eq!(all(&stage).await, (vec![], 0));
}

#[tokio::test]
async fn sessions_are_gone_with_their_grant_and_swept_later() {
    let (stage, policy, session) = connected().await;
    let id = text(&session, "id").to_owned();
    assert_eq!(sweep(&stage.controller.app).await.unwrap(), 0);
    assert_eq!(all(&stage).await, (vec![id.clone()], 1));
    let path = format!("/service-policies/{policy}");
    let nobody = json!({"identityRoles": []});
    let reply = stage.administer(Method::PATCH, &path, &nobody).await;
    assert_eq!(reply.status, 200);
    let below = format!("/{id}");
    let reply = own(&stage, &stage.person.session, &below).await;
    assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(
        own(&stage, &stage.person.session, "").await.data(),
        json!([])
    );
    assert_eq!(all(&stage).await, (vec![], 1), "nobody sees it any more");
    assert_eq!(sweep(&stage.controller.app).await.unwrap(), 1);
    assert_eq!(all(&stage).await, (vec![], 0));
    assert_eq!(sweep(&stage.controller.app).await.unwrap(), 0);
}

#[tokio::test]
async fn sessions_end_when_posture_does() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "DOMAIN", "domains": ["a"]})).await;
    let session = &stage.person.session;
    let report = |domain: &str| json!({"id": id, "typeId": "DOMAIN", "domain": domain});
    stage.report(session, report("a")).await;
    assert!(stage.can_dial(session).await);
    stage.report(session, report("b")).await;
    assert_eq!(all(&stage).await, (vec![], 1));
    stage.report(session, report("a")).await;
    assert_eq!(all(&stage).await.0.len(), 1, "it was not swept in between");
    stage.report(session, report("b")).await;
    assert_eq!(sweep(&stage.controller.app).await.unwrap(), 1);
    stage.report(session, report("a")).await;
    assert_eq!(all(&stage).await, (vec![], 0));
    assert!(stage.can_dial(session).await, "it can be asked for anew");
}

#[tokio::test]
async fn session_whose_grant_comes_back_before_it_is_swept_stays() {
    let (stage, id) = PostureFixture::checked(json!({"typeId": "DOMAIN", "domains": ["a"]})).await;
    let session = &stage.person.session;
    let report = |domain: &str| json!({"id": id, "typeId": "DOMAIN", "domain": domain});
    stage.report(session, report("a")).await;
    assert!(stage.can_dial(session).await);
    stage.report(session, report("b")).await;
    let hold = Hold::take(&stage.controller);
    let before = stage.controller.submitted_transactions();
    let app = Arc::clone(&stage.controller.app);
    let sweeping = tokio::spawn(async move { sweep(&app).await.unwrap() });
    submitted(&stage.controller, before).await;
    stage.report(session, report("a")).await;
    drop(hold);
    assert_eq!(sweeping.await.unwrap(), 0);
    let (seen, stored) = all(&stage).await;
    assert_eq!((seen.len(), stored), (1, 1));
}

#[tokio::test]
async fn more_sessions_than_one_transaction_ends_are_swept_in_one_go() {
    let (stage, _policy, _session) = connected().await;
    stage.allow("bind", "Bind", &[]).await;
    for _ in 0..120 {
        let session = stage.person.log_in(&stage.controller).await;
        for grant in ["Dial", "Bind"] {
            assert_eq!(stage.connect(&session, grant).await.status, 201);
        }
    }
    let shut_out = |identity: &mut Identity| {
        let at = Timestamp::UNIX_EPOCH;
        identity.disabled = Some(Disabled { at, until: None });
    };
    edit_entity(
        &stage.controller,
        UniqueIndex::IdentityId,
        &stage.person.id,
        shut_out,
    )
    .await;
    assert_eq!(sweep(&stage.controller.app).await.unwrap(), 241);
    assert_eq!(all(&stage).await, (vec![], 0));
}

#[tokio::test]
async fn sessions_end_when_the_code_times_out() {
    let (stage, _) = PostureFixture::checked(json!({"typeId": "MFA", "timeoutSeconds": 60})).await;
    let session = &stage.person.session;
    crate::support::mfa::enroll(&stage.controller, session).await;
    assert!(stage.can_dial(session).await);
    advance_clock(&stage.controller, 29);
    assert_eq!(all(&stage).await.0.len(), 1);
    advance_clock(&stage.controller, 1);
    assert_eq!(all(&stage).await, (vec![], 1));
    assert_eq!(sweep(&stage.controller.app).await.unwrap(), 1);
}

/// Puts another posture check, which asks for the same, in the place of one, in one transaction;
/// answers its id.
async fn exchange_check(stage: &PostureFixture, id: &str, number: u64) -> String {
    let key = RecordKey::root(
        POSTURE_CHECK,
        stage.controller.engine.allocate(POSTURE_CHECK),
    );
    let (old, new) = (id.to_owned(), format!("check-{number}"));
    let made = new.clone();
    modify_store(&stage.controller, move |rows| {
        let by_id = reference(&PostureCheckId::from_wire(old.as_str()));
        let found: Found<PostureCheck> = rows.rows().find(&by_id).unwrap().unwrap();
        let mut other = found.entity.clone();
        other.id = PostureCheckId::from_wire(new.as_str());
        other.spec.name.clone_from(&new);
        rows.insert(&key, &other).unwrap();
        rows.remove(&found.key, &found.entity).unwrap();
    })
    .await;
    made
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_session_slips_through_while_checks_are_exchanged() {
    let stage = Arc::new(PostureFixture::new().await);
    let strict = json!({"typeId": "DOMAIN", "domains": ["a"], "roleAttributes": ["strict"]});
    let mut check = stage.check("check", strict).await;
    let policy = stage.allow("dial", "Dial", &[]).await;
    let strict = json!({"postureCheckRoles": ["#strict"]});
    let path = format!("/service-policies/{policy}");
    let changed = stage.administer(Method::PATCH, &path, &strict).await;
    assert_eq!(changed.status, 200);
    let is_over = Arc::new(AtomicBool::new(false));
    let clients = (0..3).map(|_| {
        let (stage, is_over) = (Arc::clone(&stage), Arc::clone(&is_over));
        tokio::spawn(async move {
            let mut refused = 0_u32;
            while !is_over.load(Ordering::SeqCst) {
                let reply = stage.connect(&stage.person.session, "Dial").await;
                assert_ne!(reply.status, 201, "it passes no check");
                refused += 1;
            }
            refused
        })
    });
    let clients: Vec<_> = clients.collect();
    for number in 0..300 {
        check = exchange_check(&stage, &check, number).await;
    }
    is_over.store(true, Ordering::SeqCst);
    for client in clients {
        assert!(client.await.unwrap() > 0);
    }
}

#[tokio::test]
async fn sessions_are_gone_when_their_api_session_opens_nothing_any_more() {
    let (stage, _policy, session) = connected().await;
    let id = text(&session, "id").to_owned();
    add_policy(&stage.controller, "closed", |policy| {
        policy.spec.primary.updb.allowed = false;
        policy.spec.primary.cert.allowed = false;
    })
    .await;
    let put_under = async |policy: &str| {
        let path = format!("/identities/{}", stage.person.id);
        let body = json!({"authPolicyId": policy});
        let reply = stage.administer(Method::PATCH, &path, &body).await;
        assert_eq!(reply.status, 200);
    };
    put_under("closed").await;
    let path = format!("/sessions/{id}");
    let reply = get(&stage.controller, &stage.admin, &path).await;
    assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(all(&stage).await, (vec![], 1), "nobody is let in by it");
    put_under("default").await;
    assert_eq!(all(&stage).await, (vec![id], 1), "it was not swept");
    put_under("closed").await;
    assert_eq!(sweep(&stage.controller.app).await.unwrap(), 1);
    assert_eq!(all(&stage).await, (vec![], 0));
}
