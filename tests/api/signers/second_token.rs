//! A token of an external signer as the second factor, with each request.

use crate::support::idp::{Idp, bearing, challenge, patch_signer, session, who};
use crate::support::mfa::Device;
use crate::support::{add_policy, current_session, edit_entity, find_identity_id, text};
use http::Method;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::SignerId;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};
use portcullis_testkit::{Harness, PASSWORD, Reply};
use serde_json::{Value, json};

const POLICY: &str = "both";

struct Scene {
    controller: Harness,
    admin: String,
    idp: Idp,
    signer: String,
}

impl Scene {
    /// A controller with a user `adam` whose policy demands a token beside the password, and `evelyn`
    /// under the same policy.
    async fn new() -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        let idp = Idp::new(&controller, "idp");
        let how = json!({"externalAuthUrl": "https://idp.example.test/auth", "clientId": "app"});
        let signer = idp.register(&controller, &admin, how).await;
        let demanded = SignerId::from_wire(&*signer);
        add_policy(&controller, POLICY, |policy| {
            policy.spec.primary.ext_jwt.allowed = false;
            policy.spec.secondary.require_ext_jwt_signer = Some(demanded);
        })
        .await;
        for name in ["adam", "evelyn"] {
            let more = json!({"externalId": format!("{name}@x"), "authPolicyId": POLICY});
            controller.create_user(&admin, name, more).await;
        }
        Self {
            controller,
            admin,
            idp,
            signer,
        }
    }

    fn token(&self, holder: &str) -> String {
        self.idp.token(&self.controller, holder)
    }

    async fn log_in(&self, tokens: &[&str]) -> Reply {
        let request = self
            .controller
            .request(Method::POST, "/authenticate?method=password")
            .json(&json!({"username": "adam", "password": PASSWORD}));
        bearing(request, tokens).send().await
    }
}

#[tokio::test]
async fn a_session_is_whole_with_a_token_of_its_holder_and_only_then() {
    let scene = Scene::new().await;
    let controller = &scene.controller;
    let reply = scene.log_in(&[]).await;
    assert_eq!(challenge(&reply), "missing");
    let value = reply.headers["www-authenticate"].to_str().unwrap();
    assert!(
        value.starts_with("Bearer realm=\"openziti-secondary-ext-jwt\""),
        "{value}"
    );
    let question = &reply.data()["authQueries"][0];
    assert_eq!(
        (text(question, "typeId"), text(question, "id")),
        ("EXT-JWT", &*scene.signer)
    );
    let session = session(&reply);
    let good = scene.token("adam@x");
    let expired = {
        let mut claims = scene.idp.claims(controller, "adam@x");
        claims["exp"] = json!(controller.app.env().now().as_second());
        scene.idp.sign(&scene.idp.header(), &claims)
    };
    let of_another = scene.token("evelyn@x");
    for (tokens, is_whole) in [
        (&[][..], false),
        (&[&*good], true),
        (&[], false),
        (&[&*expired], false),
        (&[&*of_another], false),
        (&["garbage", &*of_another, &*good], true),
        (&["a", "b", "c", &*good], false),
    ] {
        let reply = who(controller, &session, tokens).await;
        if is_whole {
            assert_eq!(reply.data()["name"], "adam");
        } else {
            assert_eq!(
                reply.error(),
                (401, "UNAUTHORIZED".to_owned()),
                "{tokens:?}"
            );
            assert_eq!(challenge(&reply), "none");
        }
        let own = controller.request(Method::GET, "/current-api-session");
        let own = bearing(own.session(&session), tokens).send().await.data();
        let open = own["authQueries"].as_array().unwrap().len();
        assert_eq!(open, usize::from(!is_whole), "{tokens:?}");
    }
}

#[tokio::test]
async fn both_factors_at_login_leave_nothing_open() {
    let scene = Scene::new().await;
    let (good, foreign) = (scene.token("adam@x"), scene.token("evelyn@x"));
    let reply = scene.log_in(&[&good]).await;
    assert_eq!(
        (challenge(&reply), &reply.data()["authQueries"]),
        ("none".into(), &json!([]))
    );
    let reply = scene.log_in(&[&foreign]).await;
    assert_eq!(challenge(&reply), "invalid");
    assert_eq!(reply.data()["authQueries"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_token_is_no_way_in_where_it_is_a_second_factor_only() {
    let scene = Scene::new().await;
    let reply =
        crate::support::idp::log_in_with(&scene.controller, &[&scene.token("adam@x")]).await;
    assert_eq!(
        (reply.error().0, challenge(&reply)),
        (401, "missing".to_owned())
    );
}

#[tokio::test]
async fn demands_take_effect_at_once() {
    let scene = Scene::new().await;
    let controller = &scene.controller;
    let good = scene.token("adam@x");
    let session = session(&scene.log_in(&[]).await);
    let is_whole = async |tokens: &[&str]| who(controller, &session, tokens).await.status == 200;
    assert!(is_whole(&[&good]).await);
    patch_signer(
        controller,
        &scene.admin,
        &scene.signer,
        json!({"enabled": false}),
    )
    .await
    .data();
    assert!(
        !is_whole(&[&good]).await,
        "tokens of a disabled signer prove nothing"
    );
    assert_eq!(
        current_session(controller, &session).await.status,
        200,
        "the session itself lives on"
    );
    assert_eq!(
        challenge(&scene.log_in(&[]).await),
        "none",
        "nothing would do"
    );
    let change = json!({"enabled": true, "audience": "others"});
    patch_signer(controller, &scene.admin, &scene.signer, change)
        .await
        .data();
    assert!(
        !is_whole(&[&good]).await,
        "it is meant for somebody else now"
    );
    edit_entity(
        controller,
        UniqueIndex::AuthPolicyId,
        POLICY,
        |policy: &mut AuthPolicy| {
            policy.spec.secondary.require_ext_jwt_signer = None;
        },
    )
    .await;
    assert!(is_whole(&[]).await, "nothing is demanded any more");
}

#[tokio::test]
async fn a_code_is_asked_for_first() {
    let scene = Scene::new().await;
    let controller = &scene.controller;
    edit_entity(
        controller,
        UniqueIndex::AuthPolicyId,
        POLICY,
        |policy: &mut AuthPolicy| {
            policy.spec.secondary.require_totp = true;
        },
    )
    .await;
    let kinds = |reply: &Reply| -> Vec<String> {
        let data = reply.data();
        let queries = data["authQueries"].as_array().unwrap().iter();
        queries
            .map(|query| text(query, "typeId").to_owned())
            .collect()
    };
    let reply = scene.log_in(&[]).await;
    assert_eq!(kinds(&reply), ["MFA", "EXT-JWT"]);
    let good = scene.token("adam@x");
    let reply = scene.log_in(&[&good]).await;
    assert_eq!(kinds(&reply), ["MFA"]);
    let token = session(&reply);
    assert_eq!(
        who(controller, &token, &[&good]).await.error().0,
        401,
        "the code is open"
    );
}

#[tokio::test]
async fn administrators_change_nothing_without_their_second_factor() {
    let scene = Scene::new().await;
    let controller = &scene.controller;
    let boss = json!({
        "isAdmin": true, "externalId": "boss@x", "authPolicyId": POLICY,
    });
    let session = controller.create_user(&scene.admin, "boss", boss).await;
    let token = scene.token("boss@x");
    let create = async |name: &str, tokens: &[&str]| {
        let request = controller.manage(Method::POST, "/identities", &session);
        let body = json!({"name": name, "isAdmin": false});
        bearing(request, tokens).json(&body).send().await
    };
    assert_eq!(create("one", &[]).await.error().0, 401);
    assert_eq!(create("two", &[&token]).await.status, 201);

    // What the token was judged by may change while the change that it is for waits for its turn.
    let boss = find_identity_id(controller, &scene.admin, "boss").await;
    let signer = format!("/external-jwt-signers/{}", scene.signer);
    let identity = format!("/identities/{boss}");
    for (path, change, back) in [
        (&signer, json!({"enabled": false}), json!({"enabled": true})),
        (
            &signer,
            json!({"audience": "others"}),
            json!({"audience": crate::support::idp::AUDIENCE}),
        ),
        (
            &signer,
            json!({"claimsProperty": "/email"}),
            json!({"claimsProperty": "/sub"}),
        ),
        (
            &identity,
            json!({"externalId": "somebody@x"}),
            json!({"externalId": "boss@x"}),
        ),
    ] {
        let patch = async |body: &Value| {
            let request = controller.manage(Method::PATCH, path, &scene.admin);
            request.json(body).send().await
        };
        let hold = crate::support::hold::Hold::take(controller);
        let mut changing = Box::pin(patch(&change));
        let waits = tokio::time::timeout(std::time::Duration::ZERO, &mut changing).await;
        assert!(waits.is_err());
        let tokens = [token.as_str()];
        let first = controller.engine.allocate(IDENTITY);
        let release = async {
            crate::support::hold::drawn(controller, IDENTITY, 1, first).await;
            drop(hold);
        };
        let (changed, refused, ()) = tokio::join!(changing, create("three", &tokens), release);
        changed.data();
        assert_eq!(
            refused.error(),
            (401, "UNAUTHORIZED".to_owned()),
            "{change}"
        );
        patch(&back).await.data();
    }
    assert_eq!(create("three", &[&token]).await.status, 201);
}

#[tokio::test]
async fn nobody_reads_tokens_that_nobody_asked_for() {
    let scene = Scene::new().await;
    let controller = &scene.controller;
    let server =
        crate::support::key_server::KeyServer::start(crate::support::key_server::Conduct::Broken)
            .await;
    let switch = json!({"certPem": "", "kid": "", "jwksEndpoint": server.url});
    patch_signer(controller, &scene.admin, &scene.signer, switch)
        .await
        .data();
    let token = scene.token("adam@x");
    assert_eq!(who(controller, &scene.admin, &[&token]).await.status, 200);
    assert_eq!(server.requests(), 0);
    let session = session(&scene.log_in(&[]).await);
    assert_eq!(who(controller, &session, &[]).await.status, 401);
    assert_eq!(server.requests(), 0);
    assert_eq!(who(controller, &session, &[&token]).await.status, 401);
    assert_eq!(server.requests(), 1);
}

/// Whoever knows the password alone binds no authenticator app to the account: its owner would be asked
/// for codes from then on that somebody else has.
#[tokio::test]
async fn totp_is_not_enrolled_while_the_token_is_missing() {
    let scene = Scene::new().await;
    let controller = &scene.controller;
    let good = scene.token("adam@x");
    let session = session(&scene.log_in(&[]).await);
    let ask = async |method: Method, rest: &str, tokens: &[&str], code: &str| {
        let path = format!("/current-identity/mfa{rest}");
        let request = controller.request(method, &path).session(&session);
        let request = bearing(request, tokens);
        if code.is_empty() {
            request.send().await
        } else {
            request.json(&json!({ "code": code })).send().await
        }
    };
    let denied = (401, "UNAUTHORIZED".to_owned());
    let refused = ask(Method::POST, "", &[], "").await;
    assert_eq!(refused.error(), denied);
    assert!(refused.text().contains("JWT of an external signer"));
    let path = "/current-identity/mfa";
    let missing = bearing(
        controller.request(Method::GET, path).session(&session),
        &[&*good],
    );
    assert_eq!(missing.send().await.status, 404, "nothing was begun");

    // With the token it is begun; what was drawn is not shown to, nor used by, who lacks it.
    let begun = ask(Method::POST, "", &[&*good], "").await;
    assert_eq!(begun.status, 201, "{}", begun.text());
    for (method, rest, code) in [
        (Method::GET, "", ""),
        (Method::GET, "/qr-code", ""),
        (Method::POST, "/verify", "123456"),
        (Method::DELETE, "", ""),
    ] {
        let reply = ask(method.clone(), rest, &[], code).await;
        assert_eq!(reply.error(), denied, "{method} {rest}");
    }
    let shown = ask(Method::GET, "", &[&*good], "").await.data();
    assert_eq!(shown["isVerified"], false);
    let url = text(&shown, "provisioningUrl").to_owned();
    let code = Device::scan(&url).code(controller, 0);
    assert_eq!(
        ask(Method::POST, "/verify", &[], &code).await.error(),
        denied
    );
    let verified = ask(Method::POST, "/verify", &[&*good], &code).await;
    assert_eq!(verified.status, 200, "{}", verified.text());
    // From now on both factors are asked for, in whichever order they come.
    let reply = ask(Method::GET, "", &[], "").await;
    assert_eq!(reply.data()["isVerified"], true);
}
