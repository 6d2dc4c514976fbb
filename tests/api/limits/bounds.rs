//! What one caller can hold or say is bounded.

use crate::support::hold::{Hold, drawn};
use crate::support::mfa::enroll;
use crate::support::oidc::Flow;
use crate::support::{
    add_policy, bad_request, create, create_with_enrollment, current_session, edit_entity,
    find_identity_id, get, log_in, modify_store, pending_enrollment, read, redeem,
    redeem_with_password, revision, text,
};
use http::Method;
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, AuthenticatorId, IdentityId};
use portcullis_pki::{Certificate, certificates_from_pem};
use portcullis_storage::tables::{
    API_SESSION, AUTHENTICATOR, Found, RowsMut, UniqueIndex, UniqueValue,
};
use portcullis_testkit::{ADMIN, Harness, PASSWORD, Reply, client_key_and_csr};
use serde_json::{Value, json};
use std::sync::Arc;

const LATER: &str = "2040-01-01T00:00:00Z";
const VALIDATE: &str = "COULD_NOT_VALIDATE";
/// What fits into the share of API sessions of the usual quota.
const MOST_SESSIONS: usize = 440;

async fn post(controller: &Harness, token: &str, path: &str, body: &Value) -> Reply {
    let request = controller.manage(Method::POST, path, token);
    request.json(body).send().await
}

fn identity(rows: &RowsMut<'_>, id: &str) -> Found<Identity> {
    let by_id = UniqueValue::new(UniqueIndex::IdentityId, id);
    rows.rows().find(&by_id).unwrap().unwrap()
}

#[tokio::test]
async fn configuration_types_that_do_not_exist_are_not_kept() {
    let controller = Harness::start().await;
    let many: Vec<_> = (0..1000).map(|number| format!("type {number}")).collect();
    for (named, kept) in [
        (json!(["nope", "neither"]), json!([])),
        (json!(many), json!([])),
        (json!(["all"]), json!(["all"])),
        (json!(["nope", "all", "all", "more"]), json!(["all"])),
        (json!([]), json!([])),
        (json!(["ALL"]), json!([])),
        (
            json!(["intercept.v1", "nope", "NH5p4FpGR", "host.v1"]),
            json!(["NH5p4FpGR", "g7cIWbcGg"]),
        ),
    ] {
        let body = json!({"username": ADMIN, "password": PASSWORD, "configTypes": named});
        let request = controller.request(Method::POST, "/authenticate?method=password");
        let opened = request.json(&body).send().await.data();
        assert_eq!(opened["configTypes"], kept, "{named}");
        let shown = current_session(&controller, text(&opened, "token"))
            .await
            .data();
        assert_eq!(shown["configTypes"], kept, "{named}");
    }
}

#[tokio::test]
async fn whatever_is_accepted_can_be_read_again() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let nested = |depth: usize| {
        let text = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        serde_json::from_str::<Value>(&text).unwrap()
    };
    for depth in [99, 100, 101, 110, 120, 124] {
        let name = format!("depth {depth}");
        let body = json!({"name": name, "isAdmin": false, "appData": nested(depth)});
        let made = post(&controller, &admin, "/identities", &body).await;
        if depth <= 100 {
            let shown = read(&controller, &admin, &made.id()).await;
            assert_eq!(shown["appData"], nested(depth));
            let path = format!("/identities/{}", made.id());
            let request = controller.manage(Method::PATCH, &path, &admin);
            let patched = request.json(&json!({"appData": nested(101)})).send().await;
            assert_eq!(patched.error(), bad_request(VALIDATE));
        } else {
            assert_eq!(made.error(), bad_request(VALIDATE), "{depth}");
            assert_eq!(made.field(), "appData");
        }
    }

    let id = create(&controller, &admin, "shut out", json!({})).await;
    for minutes in [1, 4_193_000_000_i64, 4_200_000_000, i64::MAX / 60, i64::MAX] {
        let path = format!("/identities/{id}/disable");
        let body = json!({"durationMinutes": minutes});
        assert_eq!(post(&controller, &admin, &path, &body).await.status, 200);
        let shown = read(&controller, &admin, &id).await;
        assert!(shown["disabledUntil"].is_string(), "{minutes}: {shown}");
    }
    assert_eq!(
        read(&controller, &admin, &id).await["disabledUntil"],
        "9999-12-30T22:00:00.000Z"
    );

    for (number, end) in ["9999-12-30T22:00:00Z", "9999-12-31T23:59:59Z"]
        .into_iter()
        .enumerate()
    {
        let id = create(&controller, &admin, &format!("never {number}"), json!({})).await;
        let body = json!({"identityId": id, "method": "ott", "expiresAt": end});
        let made = post(&controller, &admin, "/enrollments", &body).await;
        let shown = get(&controller, &admin, &format!("/enrollments/{}", made.id())).await;
        assert_eq!(shown.data()["expiresAt"], "9999-12-30T22:00:00.000Z");
    }
    for list in ["/identities?limit=500", "/enrollments?limit=500"] {
        assert_eq!(get(&controller, &admin, list).await.status, 200, "{list}");
    }
}

/// Gives an identity sessions until it has `wanted`, all like the one that it has.
async fn fill(controller: &Harness, id: &str, wanted: usize) {
    let id = id.to_owned();
    let numbers: Vec<_> = (1..wanted)
        .map(|_| controller.engine.allocate(API_SESSION))
        .collect();
    modify_store(controller, move |rows| {
        let owner = identity(rows, &id);
        let present = rows.rows().dependents::<ApiSession>(&owner.key).unwrap();
        assert_eq!(present.len(), 1);
        for number in &numbers {
            let mut session = present[0].entity.clone();
            session.id = ApiSessionId::from_wire(format!("0-filler-{number}"));
            session.token_hash = TokenHash(u128::from(*number).to_be_bytes());
            let key = owner.key.dependent(API_SESSION, *number);
            rows.insert(&key, &session).unwrap();
        }
    })
    .await;
}

async fn sessions_of(controller: &Harness, id: &str) -> usize {
    let id = id.to_owned();
    modify_store(controller, move |rows| {
        let owner = identity(rows, &id);
        let sessions = rows.rows().dependents::<ApiSession>(&owner.key).unwrap();
        sessions.len()
    })
    .await
}

#[tokio::test]
async fn sessions_of_an_identity_are_bounded_and_the_newest_counts() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let used = controller.create_user(&admin, "busy", json!({})).await;
    let id = find_identity_id(&controller, &admin, "busy").await;
    fill(&controller, &id, MOST_SESSIONS).await;
    assert_eq!(sessions_of(&controller, &id).await, MOST_SESSIONS);

    controller.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(current_session(&controller, &used).await.status, 200);
    for _ in 0..3 {
        let newest = controller.login("busy", PASSWORD).await;
        assert_eq!(current_session(&controller, &newest).await.status, 200);
        assert_eq!(sessions_of(&controller, &id).await, MOST_SESSIONS);
        assert_eq!(
            current_session(&controller, &used).await.status,
            200,
            "room is made by what is not used"
        );
    }
    assert_eq!(
        current_session(&controller, &admin).await.status,
        200,
        "others keep theirs"
    );
}

/// Number of sessions of an identity that were opened with a TOTP code.
async fn complete_sessions(controller: &Harness, id: &str) -> usize {
    let id = id.to_owned();
    modify_store(controller, move |rows| {
        let owner = identity(rows, &id);
        let sessions = rows.rows().dependents::<ApiSession>(&owner.key).unwrap();
        let complete = |session: &&Found<ApiSession>| !session.entity.is_unfinished();
        sessions.iter().filter(complete).count()
    })
    .await
}

#[tokio::test]
async fn logins_without_a_code_make_room_for_each_other() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let own = controller.create_user(&admin, "busy", json!({})).await;
    enroll(&controller, &own).await;
    let id = find_identity_id(&controller, &admin, "busy").await;
    fill(&controller, &id, MOST_SESSIONS).await;
    let begin_both = async || {
        controller.clock.advance(SignedDuration::from_secs(1));
        controller.login("busy", PASSWORD).await;
        let flow = Flow::begin(&controller).await;
        let open = flow.password("busy").await.json();
        assert_eq!(open["authQueries"][0]["typeId"], "TOTP");
    };
    // Those with a TOTP code are larger, so that the first logins make more room.
    for _login in 0..8 {
        begin_both().await;
    }
    let (all, complete) = (
        sessions_of(&controller, &id).await,
        complete_sessions(&controller, &id).await,
    );
    assert!(complete < all && complete > MOST_SESSIONS / 2, "{complete}");
    for _login in 0..8 {
        begin_both().await;
    }
    assert_eq!(complete_sessions(&controller, &id).await, complete);
}

#[tokio::test]
async fn sessions_that_are_opened_together_make_room_for_each_other() {
    const TOGETHER: usize = 24;
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    controller.create_user(&admin, "busy", json!({})).await;
    let id = find_identity_id(&controller, &admin, "busy").await;
    let chain = certify(&controller, &admin, &id).await;
    fill(&controller, &id, MOST_SESSIONS).await;

    let hold = Hold::take(&controller);
    let first = controller.engine.allocate(API_SESSION);
    let logins: Vec<_> = (0..TOGETHER)
        .map(|_| {
            let (controller, chain) = (Arc::clone(&controller), chain.clone());
            tokio::spawn(async move {
                let request = controller.request(Method::POST, "/authenticate?method=cert");
                request.certificates(&chain).send().await.status
            })
        })
        .collect();
    drawn(&controller, API_SESSION, TOGETHER as u64, first).await;
    drop(hold);
    for login in logins {
        assert_eq!(login.await.unwrap(), 200);
    }
    assert_eq!(sessions_of(&controller, &id).await, MOST_SESSIONS);
}

/// Gives an identity a certificate.
async fn certify(controller: &Harness, admin: &str, id: &str) -> Vec<Certificate> {
    let body = json!({"identityId": id, "method": "ott", "expiresAt": LATER});
    post(controller, admin, "/enrollments", &body).await.id();
    let token = pending_enrollment(controller, admin, id, "ott").await;
    let (_key, csr) = client_key_and_csr();
    let redeemed = redeem(controller, text(&token, "token"), &csr).await.data();
    certificates_from_pem(text(&redeemed, "cert")).unwrap()
}

/// Logs an identity in by its password and by a certificate.
async fn both_ways(controller: &Harness, admin: &str, name: &str, more: Value) -> [String; 2] {
    let by_password = controller.create_user(admin, name, more).await;
    let id = find_identity_id(controller, admin, name).await;
    let chain = certify(controller, admin, &id).await;
    let request = controller.request(Method::POST, "/authenticate?method=cert");
    let session = request.certificates(&chain).send().await.data();
    [by_password, text(&session, "token").to_owned()]
}

async fn live(controller: &Harness, tokens: &[String; 2]) -> [bool; 2] {
    let mut live = [false; 2];
    for (is_live, token) in live.iter_mut().zip(tokens) {
        *is_live = current_session(controller, token).await.status == 200;
    }
    live
}

#[tokio::test]
async fn session_ends_with_the_authenticator_that_opened_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let tokens = both_ways(&controller, &admin, "somebody", json!({})).await;
    let id = find_identity_id(&controller, &admin, "somebody").await;
    assert_eq!(live(&controller, &tokens).await, [true, true]);
    for (is_gone, expected) in [
        (
            (|credential: &Credential| matches!(credential, Credential::Cert(_)))
                as fn(&Credential) -> bool,
            [true, false],
        ),
        (
            |credential| matches!(credential, Credential::Updb(_)),
            [false, false],
        ),
    ] {
        let id = id.clone();
        modify_store(&controller, move |rows| {
            let owner = identity(rows, &id);
            rows.remove_dependents::<Authenticator>(&owner.key, |one| is_gone(&one.credential))
                .unwrap();
        })
        .await;
        assert_eq!(live(&controller, &tokens).await, expected);
    }
}

#[tokio::test]
async fn session_ends_when_its_policy_no_longer_allows_the_mechanism() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "changing", |_policy| {}).await;
    let more = json!({"authPolicyId": "changing"});
    let tokens = both_ways(&controller, &admin, "somebody", more).await;
    for (updb, cert) in [(true, false), (false, true), (true, true), (false, false)] {
        edit_entity(
            &controller,
            UniqueIndex::AuthPolicyId,
            "changing",
            move |policy: &mut AuthPolicy| {
                policy.spec.primary.updb.allowed = updb;
                policy.spec.primary.cert.allowed = cert;
            },
        )
        .await;
        assert_eq!(live(&controller, &tokens).await, [updb, cert]);
    }
    assert_eq!(current_session(&controller, &admin).await.status, 200);
}

#[tokio::test]
async fn an_identity_has_one_password() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let taken = (409, "MAX_AUTHENTICATOR_METHODS_REACHED".to_owned());
    controller.create_user(&admin, "somebody", json!({})).await;
    let id = find_identity_id(&controller, &admin, "somebody").await;
    let at = revision(&controller);
    let body = json!({"identityId": id, "method": "updb", "username": "other", "expiresAt": LATER});
    let reply = post(&controller, &admin, "/enrollments", &body).await;
    assert_eq!(reply.error(), taken, "{}", reply.text());
    assert_eq!(revision(&controller), at);

    // An enrollment that was there before the password came is worth nothing, but is not spent.
    let how = json!({"updb": "waiting"});
    let (id, waiting) = create_with_enrollment(&controller, &admin, "waiting", how).await;
    give_a_password(&controller, &id).await;
    let before = read(&controller, &admin, &id).await;
    let at = revision(&controller);
    let reply = redeem_with_password(&controller, text(&waiting, "token"), PASSWORD).await;
    assert_eq!(reply.error(), taken, "{}", reply.text());
    assert_eq!(revision(&controller), at);
    assert_eq!(read(&controller, &admin, &id).await, before);
    assert_eq!(log_in(&controller, "waiting").await.status, 401);
    assert_eq!(log_in(&controller, "given-name").await.status, 200);
}

/// Gives an identity the administrator's password, under the name `given-name`.
async fn give_a_password(controller: &Harness, id: &str) {
    let id = id.to_owned();
    let number = controller.engine.allocate(AUTHENTICATOR);
    modify_store(controller, move |rows| {
        let by_name = UniqueValue::new(UniqueIndex::AuthenticatorUsername, ADMIN);
        let found: Found<Authenticator> = rows.rows().find(&by_name).unwrap().unwrap();
        let mut given = found.entity;
        given.id = AuthenticatorId::from_wire("given");
        given.identity = IdentityId::from_wire(id.as_str());
        let Credential::Updb(credential) = &mut given.credential else {
            panic!("{given:?}")
        };
        "given-name".clone_into(&mut credential.username);
        let owner = identity(rows, &id);
        let key = owner.key.dependent(AUTHENTICATOR, number);
        rows.insert(&key, &given).unwrap();
        let mut after = owner.entity.clone();
        after.attached.authenticators += 1;
        rows.replace(&owner.key, &owner.entity, &after).unwrap();
    })
    .await;
}

#[tokio::test]
async fn usernames_have_4_to_100_characters_wherever_they_are_given() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (username, is_good) in [
        ("a".repeat(3), false),
        ("a".repeat(4), true),
        ("\u{e9}".repeat(3), false),
        ("\u{e9}".repeat(100), true),
        ("b".repeat(101), false),
    ] {
        let at = revision(&controller);
        let name = format!("with {username}");
        let body = json!({"name": name, "isAdmin": false, "enrollment": {"updb": username}});
        let reply = post(&controller, &admin, "/identities", &body).await;
        let id = if is_good {
            let id = reply.id();
            let enrollment = pending_enrollment(&controller, &admin, &id, "updb").await;
            let path = format!("/enrollments/{}", text(&enrollment, "id"));
            let request = controller.manage(Method::DELETE, &path, &admin);
            assert_eq!(request.send().await.status, 200);
            id
        } else {
            assert_eq!(reply.error(), bad_request(VALIDATE), "{username}");
            assert_eq!(reply.field(), "enrollment.updb");
            assert_eq!(revision(&controller), at);
            create(&controller, &admin, &name, json!({})).await
        };
        let at = revision(&controller);
        let body =
            json!({"identityId": id, "method": "updb", "username": username, "expiresAt": LATER});
        let reply = post(&controller, &admin, "/enrollments", &body).await;
        if is_good {
            reply.id();
        } else {
            assert_eq!(reply.error(), bad_request(VALIDATE), "{username}");
            assert_eq!(reply.field(), "username");
            assert_eq!(revision(&controller), at);
        }
    }
}

#[tokio::test]
async fn token_finds_its_enrollment_for_administrators_and_does_nothing_else() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let reader = json!({"permissions": ["enrollment", "identity", "admin_readonly"]});
    let reader = controller.create_user(&admin, "reader", reader).await;
    let (_, first) =
        create_with_enrollment(&controller, &admin, "first", json!({"ott": true})).await;
    create_with_enrollment(&controller, &admin, "second", json!({"ott": true})).await;
    let token = text(&first, "token");
    let ask = async |caller: &str, filter: &str| {
        let filter: String = filter
            .bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => char::from(byte).to_string(),
                other => format!("%{other:02X}"),
            })
            .collect();
        get(
            &controller,
            caller,
            &format!("/enrollments?filter={filter}"),
        )
        .await
    };
    let alone = format!("token = \"{token}\"");
    let found = ask(&admin, &alone).await;
    assert_eq!(found.json()["meta"]["pagination"]["totalCount"], 1);
    assert_eq!(found.data()[0]["id"], first["id"]);
    assert_eq!(found.data().as_array().unwrap().len(), 1);
    let unknown = "token = \"6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee\"";
    assert_eq!(ask(&admin, unknown).await.data(), json!([]));

    let bad = (400, "INVALID_FILTER".to_owned());
    for filter in [
        format!("token != \"{token}\""),
        format!("token contains \"{}\"", &token[..4]),
        format!("token > \"{}\"", &token[..4]),
        format!("token in [\"{token}\"]"),
        format!("not (token = \"{token}\")"),
        format!("{alone} and method = \"ott\""),
        format!("{alone} or true"),
    ] {
        let reply = ask(&admin, &filter).await;
        assert_eq!(reply.status, 400, "{filter}: {}", reply.text());
        assert_eq!(reply.error(), bad, "{filter}");
    }
    for filter in [alone.as_str(), unknown] {
        assert_eq!(ask(&reader, filter).await.error(), bad, "{filter}");
    }
    for caller in [&admin, &reader] {
        let reply = ask(caller, "true sort by token").await;
        assert_eq!(reply.error(), (400, "INVALID_SORT_IDENTIFIER".to_owned()));
    }
}

#[tokio::test]
async fn enrollment_ends_at_an_instant_that_is_still_to_come() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "somebody", json!({})).await;
    let how = json!({"ott": true});
    let (_, other) = create_with_enrollment(&controller, &admin, "other", how).await;
    let refresh = format!("/enrollments/{}/refresh", text(&other, "id"));
    let at = revision(&controller);
    // It is 06:07:08.009.
    for end in ["2031-04-05T06:07:08.009Z", "2031-04-05T06:07:08.0099Z"] {
        let body = json!({"identityId": id, "method": "ott", "expiresAt": end});
        for (path, code) in [("/enrollments", "INVALID_FIELD"), (&refresh, VALIDATE)] {
            let reply = post(&controller, &admin, path, &body).await;
            assert_eq!(reply.error(), bad_request(code), "{path} {end}");
            let fault = &reply.json()["error"]["cause"];
            assert!(fault.to_string().contains("expiresAt"), "{fault}");
        }
    }
    assert_eq!(revision(&controller), at);
    let body = json!({"identityId": id, "method": "ott", "expiresAt": "2031-04-05T06:07:08.010Z"});
    post(&controller, &admin, "/enrollments", &body).await.id();
    assert_eq!(post(&controller, &admin, &refresh, &body).await.status, 200);
    let shown = pending_enrollment(&controller, &admin, &id, "ott").await;
    assert_eq!(shown["expiresAt"], "2031-04-05T06:07:08.010Z");
}

#[tokio::test]
async fn strangers_hear_of_their_missing_session_whatever_they_send() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let large = json!({"name": "x".repeat(2 << 20), "isAdmin": false});
    for (token, expected) in [("6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee", 401), (&admin, 413)] {
        let reply = post(&controller, token, "/identities", &large).await;
        assert_eq!(reply.status, expected, "{}", reply.text());
    }
    let request = controller.request(Method::POST, "/edge/management/v1/identities");
    let reply = request.json(&large).send().await;
    assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
}
