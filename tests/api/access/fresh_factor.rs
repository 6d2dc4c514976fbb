//! What gives power over the network asks for a fresh factor: the token of a session that was stolen some
//! time ago does not do, whatever it is used for.

use crate::support::credentials::{updb, with_password};
use crate::support::idp::Idp;
use crate::support::mfa::{CodePlacement, advance_clock, answer, begin, enroll, own_mfa, verify};
use crate::support::third_party::{self, Authority, common_name_claim};
use crate::support::{add_policy, create, get, log_in, merge, send, text};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, Reply};
use serde_json::{Value, json};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const LATER: &str = "2040-01-01T00:00:00Z";

/// A controller that asks for factors of the last five minutes, and a session of an administrator.
async fn start() -> (Harness, String) {
    let mut options = HarnessOptions::default();
    options.settings.fresh_factor = Some(MINUTE * 5);
    let controller = Harness::start_with(options).await;
    let token = controller.admin().await;
    (controller, token)
}

type Asked = (Method, String, Value);

/// What gives power over the network by identities: rights, and ways in to those that have them.
async fn by_identities(controller: &Harness, fresh: &str, round: usize) -> Vec<Asked> {
    let name = |what: &str| format!("{what} {round}");
    let of = |id: &str| format!("/identities/{id}");
    let person = async |what: &str, more: Value| create(controller, fresh, &name(what), more).await;
    let boss = |more: Value| {
        let mut body = json!({"isAdmin": true});
        merge(&mut body, more);
        body
    };
    let victim = person("victim", json!({})).await;
    let bare_boss = person("bare", boss(json!({}))).await;
    let helper = person("helper", json!({"permissions": ["identity"]})).await;
    let (out, _, _) = with_password(controller, fresh, &name("out"), boss(json!({}))).await;
    crate::support::disable_identity(controller, fresh, &out).await;
    let policy = format!("policy-{round}");
    add_policy(controller, &policy, |_policy| ()).await;
    let patch = |id: &str, body: Value| (Method::PATCH, of(id), body);
    vec![
        (
            Method::POST,
            "/identities".to_owned(),
            boss(json!({"name": name("admin")})),
        ),
        (
            Method::POST,
            "/identities".to_owned(),
            json!({"name": name("limited"), "isAdmin": false, "permissions": ["ca"]}),
        ),
        patch(&victim, json!({"permissions": ["ca"]})),
        patch(&victim, json!({"isAdmin": true})),
        patch(&bare_boss, json!({"externalId": name("boss")})),
        patch(&helper, json!({"externalId": name("helper")})),
        patch(&bare_boss, json!({"authPolicyId": policy})),
        (Method::POST, format!("{}/enable", of(&out)), json!({})),
        (Method::DELETE, format!("{}/mfa", of(&victim)), json!({})),
    ]
}

/// The same, by the credentials of others.
async fn by_credentials(controller: &Harness, fresh: &str, round: usize) -> Vec<Asked> {
    let name = |what: &str| format!("{what} {round}");
    let boss =
        async |what: &str| create(controller, fresh, &name(what), json!({"isAdmin": true})).await;
    let mut authenticators = Vec::new();
    for what in ["changed", "again", "gone"] {
        let (_, id, _) =
            with_password(controller, fresh, &name(what), json!({"isAdmin": true})).await;
        authenticators.push(format!("/authenticators/{id}"));
    }
    let [changed, again, gone] = &authenticators[..] else {
        panic!("{authenticators:?}")
    };
    let waiting = json!({"isAdmin": true, "enrollment": {"ott": true}});
    let waiting = create(controller, fresh, &name("waiting"), waiting).await;
    let pending = crate::support::pending_enrollment(controller, fresh, &waiting, "ott").await;
    let ott = |identity: &str| json!({"identityId": identity, "method": "ott", "expiresAt": LATER});
    let helper = json!({"permissions": ["identity"]});
    let helper = create(controller, fresh, &name("enrolled helper"), helper).await;
    let (with_password, enrolled) = (boss("with password").await, boss("enrolled").await);
    vec![
        (
            Method::POST,
            "/authenticators".to_owned(),
            updb(&with_password, &name("username")),
        ),
        (
            Method::PATCH,
            changed.clone(),
            json!({"password": "another-secret"}),
        ),
        (
            Method::POST,
            format!("{again}/re-enroll"),
            json!({"expiresAt": LATER}),
        ),
        (Method::DELETE, gone.clone(), json!({})),
        (Method::POST, "/enrollments".to_owned(), ott(&enrolled)),
        (Method::POST, "/enrollments".to_owned(), ott(&helper)),
        (
            Method::POST,
            format!("/enrollments/{}/refresh", text(&pending, "id")),
            json!({"expiresAt": LATER}),
        ),
    ]
}

/// The same, by what lets in whoever it names.
async fn by_trust(controller: &Harness, fresh: &str, round: usize) -> Vec<Asked> {
    let name = |what: &str| format!("{what} {round}");
    let enabled = Idp::new(controller, &format!("enabled-{round}"));
    let prepared = Idp::new(controller, &format!("prepared-{round}"));
    let off = json!({"enabled": false});
    let prepared = prepared.register(controller, fresh, off).await;
    let authority = |what: &str| Authority::root(&name(what));
    let mut claiming = third_party::creation(&name("claiming"), &authority("claiming"));
    merge(&mut claiming, common_name_claim());
    let trusted = (&*name("trusted"), &authority("trusted"));
    let claim = common_name_claim();
    let trusted = third_party::add_unverified(controller, fresh, trusted, claim).await;
    let trusted = format!("/cas/{trusted}");
    let off = authority("off");
    let no_logins = json!({"isAuthEnabled": false});
    let off = third_party::add(controller, fresh, (&name("off"), &off), no_logins).await;
    let is_first = json!({"primary": {"cert": {"allowExpiredCerts": round == 1}}});
    vec![
        (
            Method::POST,
            "/external-jwt-signers".to_owned(),
            enabled.signer(json!({})),
        ),
        (
            Method::PATCH,
            format!("/external-jwt-signers/{prepared}"),
            json!({"enabled": true}),
        ),
        (Method::POST, "/cas".to_owned(), claiming),
        (
            Method::PATCH,
            trusted.clone(),
            merged(common_name_claim(), json!({"isAuthEnabled": false})),
        ),
        (
            Method::PATCH,
            format!("/cas/{off}"),
            json!({"isAuthEnabled": true}),
        ),
        (Method::PATCH, "/auth-policies/default".to_owned(), is_first),
        (Method::POST, "/database/snapshot".to_owned(), json!({})),
    ]
}

fn merged(mut under: Value, over: Value) -> Value {
    merge(&mut under, over);
    under
}

/// Does everything that gives power with `token`, to what a session with a fresh factor has prepared.
async fn powerful(controller: &Harness, token: &str, round: usize) -> Vec<(String, Reply)> {
    let fresh = controller.admin().await;
    let mut asked = by_identities(controller, &fresh, round).await;
    asked.extend(by_credentials(controller, &fresh, round).await);
    asked.extend(by_trust(controller, &fresh, round).await);
    let mut replies = Vec::new();
    for (method, path, body) in asked {
        let reply = send(controller, token, (method.clone(), &path), &body).await;
        let what = format!("{method} {path} {body}: {}", reply.text());
        replies.push((what, reply));
    }
    let authority = Authority::root(&format!("proved {round}"));
    let unverified = (&*format!("proved {round}"), &authority);
    let id = third_party::add_unverified(controller, &fresh, unverified, common_name_claim()).await;
    let shown = get(controller, &fresh, &format!("/cas/{id}")).await.data();
    let proof = authority.leaf(text(&shown, "verificationToken")).to_pem();
    let proved = third_party::prove(controller, token, &id, &proof).await;
    replies.push((format!("POST /cas/{id}/verify"), proved));
    replies
}

fn assert_done(replies: Vec<(String, Reply)>) {
    for (what, reply) in replies {
        assert!(reply.status.is_success(), "{what}");
    }
}

fn assert_stale(replies: Vec<(String, Reply)>) {
    for (what, reply) in replies {
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()), "{what}");
        assert!(reply.text().contains("log in again"), "{what}");
    }
}

#[tokio::test]
async fn power_over_the_network_asks_for_a_fresh_factor() {
    let (controller, token) = start().await;
    assert_done(powerful(&controller, &token, 1).await);
    controller.clock.advance(MINUTE * 6);
    assert_stale(powerful(&controller, &token, 2).await);
    // Other changes are as before.
    create(&controller, &token, "harmless", json!({})).await;
    let plain = create(&controller, &token, "plain", json!({})).await;
    let ott = json!({"identityId": plain, "method": "ott", "expiresAt": LATER});
    let enrolled = send(&controller, &token, (Method::POST, "/enrollments"), &ott).await;
    assert_eq!(enrolled.status, 201, "it has no rights");

    let token = controller.admin().await;
    let (device, _) = enroll(&controller, &token).await;
    controller.clock.advance(MINUTE * 6);
    let make = async |name: &str| {
        let body = json!({"name": name, "isAdmin": true});
        send(&controller, &token, (Method::POST, "/identities"), &body).await
    };
    assert_eq!(make("before the code").await.status, 401);
    let code = device.code(&controller, 0);
    assert_eq!(answer(&controller, &token, &code).await.status, 200);
    assert_eq!(make("after the code").await.status, 201);
}

/// Whoever has the token alone is told the secret of an enrollment that it begins, and so has codes.
#[tokio::test]
async fn a_factor_that_the_session_made_for_itself_is_none() {
    let (controller, token) = start().await;
    let boss = json!({"name": "boss", "isAdmin": true});
    let make = async || send(&controller, &token, (Method::POST, "/identities"), &boss).await;
    let (device, _) = begin(&controller, &token).await;
    controller.clock.advance(MINUTE * 6);
    let code = device.code(&controller, 0);
    assert_eq!(verify(&controller, &token, &code).await.status, 401);
    assert_eq!(answer(&controller, &token, &code).await.status, 409);
    let nothing = CodePlacement::Omitted;
    let abandoned = own_mfa(&controller, &token, (Method::DELETE, ""), nothing).await;
    assert_eq!(abandoned.status, 200);
    let begun = own_mfa(&controller, &token, (Method::POST, ""), nothing).await;
    assert_eq!(begun.error(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(make().await.status, 401);

    // Finished in time, it is a second factor from the next code on, and not by itself.
    let token = controller.admin().await;
    controller.clock.advance(MINUTE * 4);
    enroll(&controller, &token).await;
    controller.clock.advance(MINUTE * 2);
    let refused = send(&controller, &token, (Method::POST, "/identities"), &boss).await;
    assert_eq!(refused.status, 401);
}

#[tokio::test]
async fn whoever_has_no_rights_enrolls_in_totp_at_any_time() {
    let (controller, admin) = start().await;
    let (_, _, plain) = with_password(&controller, &admin, "plain", json!({})).await;
    controller.clock.advance(MINUTE * 20);
    enroll(&controller, &plain).await;
}

#[tokio::test]
async fn tokens_of_those_with_rights_are_shown_to_fresh_sessions() {
    let (controller, token) = start().await;
    let ott = json!({"ott": true});
    let of = async |name: &str, more: Value| {
        let mut body = json!({"enrollment": ott});
        merge(&mut body, more);
        let id = create(&controller, &token, name, body).await;
        format!("/identities/{id}")
    };
    let boss = of("boss", json!({"isAdmin": true})).await;
    let helper = of("helper", json!({"permissions": ["ca"]})).await;
    let plain = of("plain", json!({})).await;
    let shown = async |path: &str| {
        let one = get(&controller, &token, path).await.data();
        one["enrollment"]["ott"]["token"].is_string()
    };
    for path in [&boss, &helper, &plain] {
        assert!(shown(path).await, "{path}");
    }
    controller.clock.advance(MINUTE * 6);
    for (path, is_shown) in [(&boss, false), (&helper, false), (&plain, true)] {
        assert_eq!(shown(path).await, is_shown, "{path}");
    }
    let list = get(&controller, &token, "/enrollments").await.data();
    let told = list.as_array().unwrap().iter();
    let told = told.filter(|one| one["jwt"].is_string()).count();
    assert_eq!(told, 1, "{list}");
}

/// A clock that was wrong and is set right does not make old factors fresh.
#[tokio::test]
async fn factors_of_the_future_are_not_fresh() {
    let (controller, _) = start().await;
    advance_clock(&controller, 3600);
    let login = log_in(&controller, ADMIN).await.data();
    let token = text(&login, "token");
    let make = async |name: &str| {
        let body = json!({"name": name, "isAdmin": true});
        send(&controller, token, (Method::POST, "/identities"), &body).await
    };
    advance_clock(&controller, -30);
    assert_eq!(make("within a minute").await.status, 201);
    advance_clock(&controller, -60);
    assert_eq!(make("an hour ahead").await.status, 401);
}

/// One's own way in is no exception.
#[tokio::test]
async fn no_stale_session_adds_a_way_in_to_its_own_identity() {
    let (controller, token) = start().await;
    let shown = get(&controller, &token, "/current-identity").await.data();
    let id = text(&shown, "id").to_owned();
    controller.clock.advance(MINUTE * 6);
    let ott = json!({"identityId": id, "method": "ott", "expiresAt": LATER});
    let path = format!("/identities/{id}");
    for (method, path, body) in [
        (Method::POST, "/enrollments", ott),
        (Method::PATCH, &*path, json!({"externalId": "thief"})),
    ] {
        let reply = send(&controller, &token, (method, path), &body).await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()), "{path}");
    }
}
