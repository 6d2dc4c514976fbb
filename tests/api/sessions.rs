//! API sessions: how long they live, what ends them, and that nothing else opens one.

use crate::support::{STRICT, add_strict_policy, get, operate, revision, text};
use http::Method;
use portcullis_app::sessions;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::IDENTITY;
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, PASSWORD, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const SECOND: SignedDuration = SignedDuration::from_secs(1);
const TIMEOUT: SignedDuration = SignedDuration::from_secs(30 * 60);

async fn current(controller: &Harness, token: &str) -> Reply {
    controller
        .request(Method::GET, "/current-api-session")
        .session(token)
        .send()
        .await
}

async fn log_in(controller: &Harness, name: &str) -> Reply {
    controller
        .request(Method::POST, "/authenticate?method=password")
        .json(&json!({"username": name, "password": PASSWORD}))
        .send()
        .await
}

/// The sessions as the store has them: when each was last used.
async fn stored(controller: &Harness) -> Vec<String> {
    operate(controller, |rows| {
        let mut found = Vec::new();
        rows.rows()
            .each_in::<ApiSession>(&RecordKey::all(IDENTITY), &mut |session| {
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
        assert_eq!(current(&controller, &token).await.status, 200);
    }
    controller.clock.advance(TIMEOUT);
    assert_eq!(current(&controller, &token).await.status, 401);
    // A refused use is none.
    controller.clock.advance(-millisecond);
    assert_eq!(current(&controller, &token).await.status, 200);
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
    assert_eq!(current(&controller, token).await.status, 200);
    controller.clock.advance(SECOND * 60);
    assert_eq!(current(&controller, token).await.status, 401);
}

#[tokio::test]
async fn sweep_removes_what_has_ended_and_nothing_else() {
    let controller = Harness::start().await;
    let idle = controller.admin().await;
    let used = controller.admin().await;
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 0);
    controller.clock.advance(TIMEOUT - SECOND);
    current(&controller, &used).await.data();
    controller.clock.advance(SECOND);
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 1);
    assert_eq!(sessions::sweep(&controller.app).await.unwrap(), 0);
    assert_eq!(stored(&controller).await.len(), 1);
    current(&controller, &used).await.data();
    assert_eq!(current(&controller, &idle).await.status, 401);
    controller.clock.advance(-SECOND * 60);
    assert_eq!(
        current(&controller, &idle).await.status,
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
    let shown = current(&controller, &token).await.data();
    assert_eq!(revision(&controller), at, "a read writes nothing");
    assert_eq!(stored(&controller).await, [began.clone()]);
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
async fn login_answers_everything_that_clients_read() {
    let controller = Harness::start().await;
    let reply = controller
        .request(Method::POST, "/authenticate?method=password")
        .json(&json!({
            "username": ADMIN, "password": PASSWORD, "configTypes": ["all"],
            "envInfo": {"os": "linux", "arch": "arm64"}, "sdkInfo": {"type": "t", "version": "1"},
        }))
        .send()
        .await;
    let data = reply.data();
    assert_eq!(reply.json()["meta"], json!({}));
    let token = text(&data, "token");
    assert_eq!(reply.headers["zt-session"], token);
    assert_eq!(reply.headers["expiration-seconds"], "1800");
    assert_eq!(
        reply.headers["expires-at"],
        "2031-04-05 06:37:08.009 +0000 UTC"
    );
    let id = text(&data, "id");
    assert!(id.len() == 25 && id.starts_with('c'), "{id}");
    let identity = text(&data, "identityId");
    for (member, value) in [
        ("createdAt", json!("2031-04-05T06:07:08.009Z")),
        ("updatedAt", json!("2031-04-05T06:07:08.009Z")),
        ("lastActivityAt", json!("2031-04-05T06:07:08.009Z")),
        ("cachedLastActivityAt", json!("2031-04-05T06:07:08.009Z")),
        ("expiresAt", json!("2031-04-05T06:37:08.009Z")),
        ("expirationSeconds", json!(1800)),
        ("tags", json!({})),
        ("configTypes", json!(["all"])),
        ("ipAddress", json!("127.0.0.1")),
        ("authQueries", json!([])),
        ("isMfaRequired", json!(false)),
        ("isMfaComplete", json!(false)),
        ("isCertExtendable", json!(false)),
    ] {
        assert_eq!(data[member], value, "{member}");
    }
    for absent in [
        "improperClientCertChain",
        "isCertExtendRequested",
        "isCertKeyRollRequested",
    ] {
        assert!(data.get(absent).is_none(), "{absent}");
    }
    assert_eq!(
        data["_links"]["self"]["href"],
        format!("./api-sessions/{id}")
    );
    assert_eq!(
        data["_links"]["sessions"]["href"],
        format!("./api-sessions/{id}/sessions")
    );
    assert_eq!(data["identity"]["id"], identity);
    assert_eq!(data["identity"]["name"], ADMIN);
    assert_eq!(data["identity"]["entity"], "identities");

    // The same members again, and the headers only at login.
    controller.clock.advance(SECOND * 10);
    let again = current(&controller, token).await;
    let mut expected = data.clone();
    for (member, time) in [
        ("cachedLastActivityAt", "2031-04-05T06:07:18.009Z"),
        ("expiresAt", "2031-04-05T06:37:18.009Z"),
    ] {
        expected[member] = json!(time);
    }
    let mut shown = again.data();
    shown["lastActivityAt"] = expected["lastActivityAt"].clone();
    shown["updatedAt"] = expected["updatedAt"].clone();
    assert_eq!(shown, expected);
    for header in ["expires-at", "expiration-seconds", "zt-session"] {
        assert!(!again.headers.contains_key(header), "{header}");
    }

    let me = controller
        .request(Method::GET, "/current-identity")
        .session(token);
    let me = me.send().await.data();
    assert_eq!(me["envInfo"], json!({"os": "linux", "arch": "arm64"}));
    assert_eq!(me["sdkInfo"], json!({"type": "t", "version": "1"}));
    assert_eq!(me["_links"].as_object().unwrap().len(), 2);
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
        assert_eq!(current(&controller, &token).await.status, 401);
        assert_eq!(
            current(&controller, &other).await.status,
            200,
            "only its own"
        );
    }
}

#[tokio::test]
async fn logins_are_refused_alike() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.user(&admin, "shut out", json!({})).await;
    let id = id_of(&controller, &admin, "shut out").await;
    disable(&controller, &admin, &id).await;
    let at = revision(&controller);
    let mut bodies = BTreeSet::new();
    for (username, password) in [
        ("nobody", PASSWORD),
        (ADMIN, "wrong-password"),
        ("Admin", PASSWORD),
        (" admin", PASSWORD),
        ("shut out", PASSWORD),
    ] {
        let login = controller.request(Method::POST, "/authenticate?method=password");
        let login = login.json(&json!({"username": username, "password": password}));
        let reply = login.send().await;
        assert_eq!(
            reply.error(),
            (401, "INVALID_AUTH".to_owned()),
            "{username}"
        );
        let mut body = reply.json();
        body["error"]["requestId"] = json!(null);
        bodies.insert(body.to_string());
        assert!(!reply.text().contains(password));
    }
    let cert = controller.request(Method::POST, "/authenticate?method=cert");
    assert_eq!(cert.send().await.error(), (401, "INVALID_AUTH".to_owned()));
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert_eq!(revision(&controller), at);

    for (query, body, status, code) in [
        ("?method=password", json!({}), 400, "COULD_NOT_VALIDATE"),
        (
            "?method=password",
            json!({"username": ADMIN}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": ADMIN, "password": ""}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": "abc", "password": PASSWORD}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": ADMIN, "password": "four"}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        (
            "?method=password",
            json!({"username": 1, "password": PASSWORD}),
            400,
            "COULD_NOT_PARSE_BODY",
        ),
        (
            "?method=Password",
            json!({"username": ADMIN, "password": PASSWORD}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        ("?method=fly", json!({}), 400, "COULD_NOT_VALIDATE"),
        (
            "",
            json!({"username": ADMIN, "password": PASSWORD}),
            400,
            "COULD_NOT_VALIDATE",
        ),
        ("?method=ext-jwt", json!({}), 401, "UNAUTHORIZED"),
    ] {
        let path = format!("/authenticate{query}");
        let reply = controller
            .request(Method::POST, &path)
            .json(&body)
            .send()
            .await;
        assert_eq!(reply.error(), (status, code.to_owned()), "{query} {body}");
        assert!(!reply.text().contains(PASSWORD));
    }
}

#[tokio::test]
async fn nothing_but_the_whole_token_opens_a_session() {
    let controller = Harness::start().await;
    let token = controller.admin().await;
    let mut others = BTreeSet::new();
    for cut in 1..token.len() {
        others.insert(token[..cut].to_owned());
        others.insert(token[cut..].to_owned());
    }
    for position in 0..token.len() {
        for bit in 0..7 {
            let mut bytes = token.clone().into_bytes();
            bytes[position] ^= 1 << bit;
            others.insert(String::from_utf8(bytes).unwrap());
        }
    }
    others.insert(token.to_uppercase());
    others.insert(token.replace('-', ""));
    others.insert(format!("{token}{token}"));
    others.insert(format!("{token},{token}"));
    others.insert(format!("Bearer {token}"));
    others.remove(&token);
    let mut tried = 0;
    for other in others {
        // What a header cannot carry cannot be presented.
        let Ok(value) = http::HeaderValue::try_from(other.as_str()) else {
            continue;
        };
        let request = controller.request(Method::GET, "/current-api-session");
        let reply = request
            .session(value.to_str().unwrap_or_default())
            .send()
            .await;
        assert_eq!(reply.status, 401, "{other:?}");
        tried += 1;
    }
    assert!(tried > 250, "{tried}");
    current(&controller, &token).await.data();
}

#[tokio::test]
async fn requests_cannot_name_another_principal() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.user(&admin, "user", json!({})).await;
    let own = id_of(&controller, &admin, "user").await;
    let other = id_of(&controller, &admin, ADMIN).await;
    let session = text(&current(&controller, &admin).await.data(), "id").to_owned();
    for path in ["/current-identity", "/current-api-session"] {
        for query in [
            "",
            "?id=ID",
            "?identityId=ID",
            "?asIdentity=ID",
            "?apiSessionId=SESSION&token=TOKEN",
        ] {
            let query = query
                .replace("ID", &other)
                .replace("SESSION", &session)
                .replace("TOKEN", &admin);
            let request = controller.request(Method::GET, &format!("{path}{query}"));
            let shown = request
                .session(&user)
                .header("zt-session", &admin)
                .header("authorization", &format!("Bearer {admin}"))
                .header("x-client-certpem", "AAAA")
                .header("x-edge-router-proxy-request", "1")
                .header("ziti-identity", &other)
                .json(&json!({"id": other, "identityId": other, "token": admin}))
                .send()
                .await
                .data();
            let id = if path == "/current-identity" {
                &shown["id"]
            } else {
                &shown["identityId"]
            };
            assert_eq!(id, own.as_str(), "{path}{query}");
        }
    }
    let end = controller.request(
        Method::DELETE,
        &format!("/current-api-session?id={session}"),
    );
    end.session(&user)
        .json(&json!({"id": session}))
        .send()
        .await
        .data();
    current(&controller, &admin).await.data();
    assert_eq!(current(&controller, &user).await.status, 401);
}

pub(crate) async fn id_of(controller: &Harness, admin: &str, name: &str) -> String {
    let name = name.replace(' ', "%20");
    let path = format!("/identities?filter=name%3D%22{name}%22");
    let list = get(controller, admin, &path).await.data();
    text(&list[0], "id").to_owned()
}

async fn disable(controller: &Harness, admin: &str, id: &str) {
    let request = controller.manage(Method::POST, &format!("/identities/{id}/disable"), admin);
    let reply = request.json(&json!({"durationMinutes": 0})).send().await;
    assert_eq!(reply.json(), json!({"data": {}, "meta": {}}));
}

#[tokio::test]
async fn disabled_identity_is_out_until_it_is_enabled_or_the_time_is_over() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.user(&admin, "user", json!({})).await;
    let id = id_of(&controller, &admin, "user").await;
    let path = format!("/identities/{id}");
    disable(&controller, &admin, &id).await;
    assert_eq!(current(&controller, &user).await.status, 401);
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
        current(&controller, &user).await.status,
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
    assert_eq!(current(&controller, &user).await.status, 401);
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
        .user(&admin, "user", json!({"isAdmin": true}))
        .await;
    get(&controller, &user, "/identities").await.data();
    let id = id_of(&controller, &admin, "user").await;
    let path = format!("/identities/{id}");
    let request = controller.manage(Method::PATCH, &path, &admin);
    request
        .json(&json!({"authPolicyId": STRICT}))
        .send()
        .await
        .data();
    assert_eq!(get(&controller, &user, "/identities").await.status, 401);
    let shown = current(&controller, &user).await.data();
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
            current(controller, admin).await.data();
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
        let token = controller.user(&admin, &name, json!({})).await;
        let id = id_of(&controller, &admin, &name).await;
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
                    current(&controller, dead).await.status,
                    401,
                    "{life}: {history:?}"
                );
            }
            // Looking at a session uses it, so it is not done each time.
            if random & 0x200 == 0 {
                for (live, idle) in &mut model.live {
                    assert_eq!(
                        current(&controller, live).await.status,
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
    let rows = operate(&controller, |rows| {
        let mut identities = 0;
        rows.rows()
            .each_in::<Identity>(&RecordKey::all(IDENTITY), &mut |_| {
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
