//! Setting passwords: the rules hold on every way to one, and the current one is not to be guessed.

use crate::support::credentials::{
    authenticator_of, bare, log_in_with_password, send, shown, updb, with_certificate,
    with_password,
};
use crate::support::hold::{Hold, drawn};
use crate::support::{
    add_policy, bad_request, create, current_session, edit_entity, get, log_in, pending_enrollment,
    redeem_with_password, revision, shown_error, text,
};
use http::Method;
use insta::assert_snapshot;
use portcullis_domain::auth_policy::UpdbRules;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthPolicyId;
use portcullis_storage::tables::{AUTHENTICATOR, UniqueIndex};
use portcullis_testkit::{AuditTrail, Harness, PASSWORD, Reply};
use serde_json::{Value, json};

/// The ways to set a password.
#[derive(Debug, Clone, Copy)]
enum Path {
    Redemption,
    Creation,
    Replacement,
    Patch,
    OwnReplacement,
    OwnPatch,
}

const PATHS: [Path; 6] = [
    Path::Redemption,
    Path::Creation,
    Path::Replacement,
    Path::Patch,
    Path::OwnReplacement,
    Path::OwnPatch,
];

/// A password that keeps every rule of these tests.
const GOOD: &str = "Long-enough-42";

/// Changes one's own authenticator on the client API.
async fn change(
    controller: &Harness,
    token: &str,
    (method, id): (Method, &str),
    body: &Value,
) -> Reply {
    let path = format!("/current-identity/authenticators/{id}");
    let request = controller.request(method, &path).session(token);
    request.json(body).send().await
}

/// Somebody under a policy, and a way to set its password.
struct Candidate<'c> {
    controller: &'c Harness,
    admin: String,
    path: Path,
    name: String,
    /// What the way leads to: a token, an identity or an authenticator.
    target: String,
    session: String,
}

impl<'c> Candidate<'c> {
    async fn new(controller: &'c Harness, path: Path, policy: &str) -> Self {
        let admin = controller.admin().await;
        let name = format!("{policy} {path:?}");
        let under = json!({"authPolicyId": policy});
        let (target, session) = match path {
            Path::Redemption => {
                let mut more = under;
                more["enrollment"] = json!({"updb": name});
                let id = create(controller, &admin, &name, more).await;
                let pending = pending_enrollment(controller, &admin, &id, "updb").await;
                (text(&pending, "token").to_owned(), String::new())
            },
            Path::Creation => {
                let id = create(controller, &admin, &name, under).await;
                (id, String::new())
            },
            Path::Replacement | Path::Patch | Path::OwnReplacement | Path::OwnPatch => {
                let (id, authenticator, session) =
                    with_password(controller, &admin, &name, json!({})).await;
                let path = format!("/identities/{id}");
                send(controller, &admin, (Method::PATCH, &path), &under)
                    .await
                    .data();
                (authenticator, session)
            },
        };
        Self {
            controller,
            admin,
            path,
            name,
            target,
            session,
        }
    }

    async fn set(&self, password: &str) -> Reply {
        let Self {
            controller,
            admin,
            name,
            target,
            session,
            ..
        } = self;
        let whole = json!({"username": name, "password": password, "currentPassword": PASSWORD});
        let part = json!({"password": password, "currentPassword": PASSWORD});
        let path = format!("/authenticators/{target}");
        match self.path {
            Path::Redemption => redeem_with_password(controller, target, password).await,
            Path::Creation => {
                let mut body = updb(target, name);
                body["password"] = json!(password);
                send(controller, admin, (Method::POST, "/authenticators"), &body).await
            },
            Path::Replacement => send(controller, admin, (Method::PUT, &path), &whole).await,
            Path::Patch => send(controller, admin, (Method::PATCH, &path), &part).await,
            Path::OwnReplacement => {
                change(controller, session, (Method::PUT, target), &whole).await
            },
            Path::OwnPatch => change(controller, session, (Method::PATCH, target), &part).await,
        }
    }
}

type Edit = fn(&mut UpdbRules);

#[tokio::test]
async fn a_change_of_nothing_demands_the_password_and_leaves_no_trace() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, own, token) = with_password(&controller, &admin, "anna", json!({})).await;
    let before = shown(&controller, &admin, &own).await;
    let at = revision(&controller);
    controller.clock.advance(SignedDuration::from_mins(1));
    let trail = AuditTrail::from_now(&controller);
    let merge = async |current: &str| {
        let body = json!({"currentPassword": current, "password": null});
        change(&controller, &token, (Method::PATCH, &own), &body).await
    };
    assert_eq!(merge(PASSWORD).await.status, 200);
    assert_eq!(revision(&controller), at);
    assert_eq!(trail.operations(), []);
    assert_eq!(merge("wrong").await.status, 401);
    assert_eq!(merge(PASSWORD).await.status, 200);
    assert_eq!(shown(&controller, &admin, &own).await, before);
}

#[tokio::test]
async fn rules_of_the_policy_hold_on_every_way_to_a_password() {
    let controller = Harness::start().await;
    let rules: [(&str, Edit, &str, &str); 4] = [
        (
            "length",
            |rules| rules.min_password_length = 12,
            "Short-42ab",
            "12",
        ),
        (
            "digit",
            |rules| rules.require_number_char = true,
            "No-digit-here",
            "digit",
        ),
        (
            "special",
            |rules| rules.require_special_char = true,
            "Letters42only",
            "neither",
        ),
        (
            "mixed",
            |rules| rules.require_mixed_case = true,
            "lower-case-42",
            "upper-case",
        ),
    ];
    for (policy, edit, bad, named) in rules {
        add_policy(&controller, policy, |policy| {
            edit(&mut policy.spec.primary.updb);
        })
        .await;
        for path in PATHS {
            let candidate = Candidate::new(&controller, path, policy).await;
            let at = revision(&controller);
            let reply = candidate.set(bad).await;
            assert_eq!(
                reply.error(),
                bad_request("COULD_NOT_VALIDATE"),
                "{policy} {path:?}"
            );
            assert_eq!(reply.field(), "password", "{policy} {path:?}");
            assert!(
                reply.text().contains(named),
                "{policy} {path:?}: {}",
                reply.text()
            );
            assert!(!reply.text().contains(bad), "{policy} {path:?}");
            assert_eq!(
                revision(&controller),
                at,
                "{policy} {path:?}: nothing is stored"
            );
            let login = log_in_with_password(&controller, &candidate.name, bad).await;
            assert_eq!(login.status, 401, "{policy} {path:?}");

            let reply = candidate.set(GOOD).await;
            assert!(
                reply.status.is_success(),
                "{policy} {path:?}: {}",
                reply.text()
            );
            let login = log_in_with_password(&controller, &candidate.name, GOOD).await;
            assert_eq!(login.status, 200, "{policy} {path:?}");
        }
    }
}

#[tokio::test]
async fn owners_see_and_change_what_is_theirs() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, own, token) = with_password(&controller, &admin, "anna", json!({})).await;
    let other = controller.login("anna", PASSWORD).await;
    let (_, foreign, _) = with_password(&controller, &admin, "berta", json!({})).await;
    for api in ["/edge/client/v1", "/edge/management/v1"] {
        let ask = async |path: &str| {
            let path = format!("{api}/current-identity/authenticators{path}");
            let request = controller.request(Method::GET, &path);
            request.session(&token).send().await
        };
        let list = ask("").await.data();
        assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
        let detail = ask(&format!("/{own}")).await.data();
        assert_eq!(detail, list[0]);
        assert_eq!(detail["identityId"], id.as_str());
        let href = format!("./current-identity/authenticators/{own}");
        assert_eq!(detail["_links"], json!({"self": {"href": href}}));
        for id in [&foreign, "nope"] {
            let reply = ask(&format!("/{id}")).await;
            assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()), "{id}");
        }
    }
    let body = json!({
        "username": "clara", "password": GOOD, "currentPassword": PASSWORD, "tags": {"a": "b"},
    });
    change(&controller, &token, (Method::PUT, &own), &body)
        .await
        .data();
    assert_eq!(
        current_session(&controller, &token).await.status,
        200,
        "one's own session stays"
    );
    assert_eq!(
        current_session(&controller, &other).await.status,
        401,
        "others end"
    );
    assert_eq!(log_in(&controller, "anna").await.status, 401);
    assert_eq!(
        log_in_with_password(&controller, "clara", GOOD)
            .await
            .status,
        200
    );
    assert_eq!(
        shown(&controller, &admin, &own).await["tags"],
        json!({"a": "b"})
    );
    let renamed = json!({"username": "dora", "currentPassword": GOOD});
    change(&controller, &token, (Method::PATCH, &own), &renamed)
        .await
        .data();
    assert_eq!(
        log_in_with_password(&controller, "dora", GOOD).await.status,
        200
    );
}

#[tokio::test]
async fn own_changes_are_refused_for_each_fault_and_change_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, own, token) = with_password(&controller, &admin, "anna", json!({})).await;
    let (_, foreign, _) = with_password(&controller, &admin, "taken", json!({})).await;
    let at = revision(&controller);
    let missing = (404, "NOT_FOUND".to_owned());
    for (method, id, body, refusal, field) in [
        (
            Method::PATCH,
            own.as_str(),
            json!({"password": GOOD}),
            bad_request("COULD_NOT_VALIDATE"),
            "currentPassword",
        ),
        (
            Method::PUT,
            &own,
            json!({"currentPassword": PASSWORD, "password": GOOD}),
            bad_request("COULD_NOT_VALIDATE"),
            "username",
        ),
        (
            Method::PATCH,
            &own,
            json!({"currentPassword": PASSWORD, "username": "taken"}),
            bad_request("COULD_NOT_VALIDATE"),
            "updbUsername",
        ),
        (
            Method::PATCH,
            &foreign,
            json!({"currentPassword": PASSWORD, "password": GOOD}),
            missing.clone(),
            "",
        ),
        (
            Method::PATCH,
            "nope",
            json!({"currentPassword": PASSWORD}),
            missing,
            "",
        ),
    ] {
        let reply = change(&controller, &token, (method, id), &body).await;
        assert_eq!(reply.error(), refusal, "{body}");
        if !field.is_empty() {
            assert_eq!(reply.field(), field, "{body}");
        }
    }
    assert_eq!(revision(&controller), at);

    let (id, chain) = with_certificate(&controller, &admin, "device").await;
    let certificate = authenticator_of(&controller, &admin, &id, "cert").await;
    let token = crate::support::credentials::token_by(&controller, &chain).await;
    let body = json!({"username": "somebody", "password": GOOD, "currentPassword": PASSWORD});
    let reply = change(&controller, &token, (Method::PUT, &certificate), &body).await;
    assert_eq!(
        reply.error(),
        (409, "CAN_NOT_UPDATE_AUTHENTICATOR".to_owned())
    );
}

#[tokio::test]
async fn wrong_current_password_counts_as_in_a_login_and_is_not_repeated() {
    const GUESS: &str = "a-guess-that-is-wrong";
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "three", |policy| {
        policy.spec.primary.updb.max_attempts = 3;
    })
    .await;
    let more = json!({"authPolicyId": "three"});
    let (id, own, token) = with_password(&controller, &admin, "anna", more).await;
    let guess = json!({"currentPassword": GUESS, "password": GOOD});
    let merging = (Method::PATCH, own.as_str());
    let wrong = async || change(&controller, &token, merging.clone(), &guess).await;

    let reply = wrong().await;
    assert_snapshot!(shown_error(&reply), @r#"
        401 Unauthorized
        {
          "error": {
            "cause": {
              "field": "currentPassword",
              "reason": "is wrong; send the current password of the caller",
              "value": ""
            },
            "code": "UNAUTHORIZED",
            "message": "The session is missing, expired or lacks permission for this request; log in again or ask an administrator for access",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
    // A right one forgives, whatever it changes.
    wrong().await;
    let nothing = json!({"currentPassword": PASSWORD});
    change(&controller, &token, merging.clone(), &nothing)
        .await
        .data();
    wrong().await;
    // So does an administrator who sets another one.
    let path = format!("/authenticators/{own}");
    wrong().await;
    send(
        &controller,
        &admin,
        (Method::PATCH, &path),
        &json!({"password": PASSWORD}),
    )
    .await
    .data();
    assert_eq!(
        current_session(&controller, &token).await.status,
        401,
        "it ended the session"
    );
    let token = controller.login("anna", PASSWORD).await;
    let wrong = async || change(&controller, &token, merging.clone(), &guess).await;

    // Guesses here and at the login are counted together.
    wrong().await;
    assert_eq!(
        log_in_with_password(&controller, "anna", GUESS)
            .await
            .status,
        401
    );
    assert_eq!(wrong().await.error(), (401, "UNAUTHORIZED".to_owned()));
    assert_eq!(
        current_session(&controller, &token).await.status,
        401,
        "locked out"
    );
    assert_eq!(log_in(&controller, "anna").await.status, 401);
    let shown = get(&controller, &admin, &format!("/identities/{id}"))
        .await
        .data();
    assert_eq!(shown["disabled"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn guesses_at_once_are_no_more_than_the_policy_allows() {
    let controller = std::sync::Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    add_policy(&controller, "five", |policy| {
        policy.spec.primary.updb.max_attempts = 5;
    })
    .await;
    let more = json!({"authPolicyId": "five"});
    let (id, own, token) = with_password(&controller, &admin, "anna", more).await;
    let mut guesses = tokio::task::JoinSet::new();
    // Few enough that none is sent away for the length of the queue of passwords.
    for number in 0..30 {
        let (controller, own, token) = (controller.clone(), own.clone(), token.clone());
        guesses.spawn(async move {
            let body = json!({"currentPassword": format!("guess {number}"), "password": GOOD});
            change(&controller, &token, (Method::PATCH, &own), &body).await
        });
    }
    for reply in guesses.join_all().await {
        assert!(
            [401, 429].contains(&reply.status.as_u16()),
            "{}",
            reply.text()
        );
    }
    let shown = get(&controller, &admin, &format!("/identities/{id}"))
        .await
        .data();
    assert_eq!(shown["disabled"], true);
    assert_eq!(current_session(&controller, &token).await.status, 401);
}

#[tokio::test]
async fn policy_that_becomes_stricter_is_the_one_that_counts() {
    let controller = std::sync::Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    add_policy(&controller, "strictest", |policy| {
        policy.spec.primary.updb.min_password_length = 50;
    })
    .await;
    let id = bare(&controller, &admin, "anna").await;
    let hold = Hold::take(&controller);
    let first = controller.engine.allocate(AUTHENTICATOR);
    let moving = edit_entity(
        &controller,
        UniqueIndex::IdentityId,
        &id,
        |one: &mut Identity| {
            one.spec.auth_policy = AuthPolicyId::from_wire("strictest");
        },
    );
    let asking = tokio::spawn({
        let (controller, admin, body) = (controller.clone(), admin.clone(), updb(&id, "anna"));
        async move {
            send(
                &controller,
                &admin,
                (Method::POST, "/authenticators"),
                &body,
            )
            .await
        }
    });
    drawn(&controller, AUTHENTICATOR, 1, first).await;
    drop(hold);
    moving.await;
    let reply = asking.await.unwrap();
    assert_eq!(reply.error(), bad_request("COULD_NOT_VALIDATE"));
    assert_eq!(reply.field(), "password");
    assert_eq!(log_in(&controller, "anna").await.status, 401);
}
