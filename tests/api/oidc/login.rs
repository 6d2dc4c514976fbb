//! The code flow, by each first factor.

use crate::support::credentials::{bare, updb, with_certificate};
use crate::support::idp::Idp;
use crate::support::oidc::{
    Flow, HOST, Tokens, authorization, claims, location, oauth_error, parameter, post, request,
    session_of, with_alice, with_form,
};
use crate::support::{create, current_session, find_identity_id, modify_policy, revision, send};
use http::Method;
use portcullis_testkit::{Harness, HarnessOptions, PASSWORD, StoreFault, client_key_and_csr};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn password_leads_to_tokens_and_tokens_to_the_apis() {
    let controller = with_alice().await;
    let flow = Flow::begin(&controller).await;
    let proved = flow.password("alice").await;
    assert_eq!(proved.status, 302);
    let callback = format!("https://{HOST}/oidc/authorize/callback?id={}", flow.id);
    assert_eq!(location(&proved), callback);
    let sent_back = location(&flow.callback().await);
    assert!(sent_back.starts_with("http://localhost:8080/auth/callback?code="));
    assert_eq!(parameter(&sent_back, "state"), "st");
    let reply = flow.redeem(&parameter(&sent_back, "code")).await;
    assert_eq!(reply.headers["cache-control"], "no-store");
    assert_eq!(reply.json()["token_type"], "Bearer");
    assert_eq!(reply.json()["expires_in"], 1799);
    let tokens = Tokens::of(&reply);
    let told = claims(&tokens.access);
    for (claim, value) in [
        ("iss", json!(format!("https://{HOST}/oidc"))),
        ("aud", json!(["native"])),
        ("amr", json!(["password"])),
        ("z_t", json!("a")),
        ("z_cfs", json!(null)),
    ] {
        assert_eq!(told[claim], value, "{claim}");
    }
    assert_eq!(claims(&tokens.refresh)["z_t"], "r");
    assert_eq!(claims(&tokens.id_token)["nonce"], "no");
    let session = session_of(&controller, &tokens.access).await.data();
    assert_eq!(session["id"], told["z_asid"]);
    assert_eq!(session["token"], tokens.access);
    assert_eq!(session["authQueries"], json!([]));
}

#[tokio::test]
async fn certificate_and_external_token_lead_to_tokens_too() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, chain) = with_certificate(&controller, &admin, "laptop").await;
    let flow = Flow::begin_with(&controller, &[("method", "cert")], &chain).await;
    assert_eq!(flow.step("/login/cert", json!({})).await.status, 302);
    let tokens = flow.tokens().await;
    let told = claims(&tokens.access);
    assert_eq!(told["amr"], json!(["cert"]));
    assert_eq!(told["z_cfs"], json!([told["z_acf"]]));
    // Bound to the certificate: of no use to whoever only has the token.
    let path = "/edge/client/v1/current-api-session";
    let bearer = format!("Bearer {}", tokens.access);
    let with = |chain: &[_]| {
        let request = controller.request(Method::GET, path);
        request.header("authorization", &bearer).certificates(chain)
    };
    assert_eq!(with(&chain).send().await.status, 200);
    assert_eq!(with(&[]).send().await.status, 401);
    let (_, other) = with_certificate(&controller, &admin, "other").await;
    assert_eq!(with(&other).send().await.status, 401);

    let idp = Idp::new(&controller, "idp");
    let signer = idp.register(&controller, &admin, json!({})).await;
    let bob = create(&controller, &admin, "bob", json!({"externalId": "ext-bob"})).await;
    let flow = Flow::begin_with(&controller, &[("method", "ext-jwt")], &[]).await;
    let step = request(&controller, Method::POST, "/login/ext-jwt").json(&json!({"id": flow.id}));
    let token = format!("Bearer {}", idp.token(&controller, "ext-bob"));
    let step = step.header("authorization", &token).send().await;
    assert_eq!(step.status, 302, "{}", step.text());
    let told = claims(&flow.tokens().await.access);
    assert_eq!(told["amr"], json!(["ext-jwt", format!("ejs:{signer}")]));
    assert_eq!(told["sub"], json!(bob));
}

#[tokio::test]
async fn what_is_refused_elsewhere_is_refused_here() {
    let controller = with_alice().await;
    let flow = Flow::begin(&controller).await;
    let refused = |reply: &portcullis_testkit::Reply| {
        let code = reply.json()["code"].as_str().unwrap().to_owned();
        (reply.status.as_u16(), code)
    };
    let invalid = (401, "INVALID_AUTH".to_owned());
    for body in [
        json!({"username": "alice", "password": "wrong-password"}),
        json!({"username": "nobody", "password": PASSWORD}),
        json!({"username": "alice"}),
        json!({"password": PASSWORD}),
        json!({"username": "alice", "password": "x"}),
    ] {
        assert_eq!(refused(&flow.step("/login/password", body).await), invalid);
    }
    assert_eq!(refused(&flow.step("/login/cert", json!({})).await), invalid);
    let by_token = flow.step("/login/ext-jwt", json!({})).await;
    assert_eq!(refused(&by_token), (401, "UNAUTHORIZED".to_owned()));
    modify_policy(&controller, "default", |policy| {
        policy.spec.primary.updb.allowed = false;
    })
    .await;
    assert_eq!(refused(&flow.password("alice").await), invalid);
}

#[tokio::test]
async fn login_request_belongs_to_one_identity_and_ends_in_one_code() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "alice", json!({})).await;
    controller.create_user(&admin, "mallory", json!({})).await;
    let flow = Flow::begin(&controller).await;
    assert_eq!(flow.password("alice").await.status, 302);
    assert_eq!(flow.password("mallory").await.status, 401);
    // The session that the second password opened is gone, and had no tokens to revoke.
    let list = async |path| {
        controller
            .manage(Method::GET, path, &admin)
            .send()
            .await
            .data()
    };
    let sessions = list("/api-sessions?limit=500").await;
    let of_mallory = |session: &&Value| session["identity"]["name"] == "mallory";
    let left = sessions.as_array().unwrap().iter().filter(of_mallory);
    assert_eq!(left.count(), 1, "{sessions}");
    assert_eq!(list("/revocations").await, json!([]));
    let code = flow.code().await;
    assert_eq!(flow.callback().await.status, 400);
    assert_eq!(flow.password("alice").await.status, 401);
    let tokens = Tokens::of(&flow.redeem(&code).await);
    assert!(claims(&tokens.access)["sub"].is_string());
}

#[tokio::test]
async fn code_that_comes_twice_ends_the_session() {
    let controller = with_alice().await;
    let flow = Flow::by_password(&controller, "alice").await;
    let code = flow.code().await;
    let tokens = Tokens::of(&flow.redeem(&code).await);
    assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
    let again = flow.redeem(&code).await;
    assert_eq!(oauth_error(&again), (400, "invalid_grant".to_owned()));
    assert_eq!(session_of(&controller, &tokens.access).await.status, 401);
    let renewed = crate::support::oidc::refresh(&controller, &tokens.refresh).await;
    assert_eq!(oauth_error(&renewed), (400, "invalid_grant".to_owned()));
}

#[tokio::test]
async fn code_is_not_spent_by_a_controller_that_issues_no_tokens() {
    let controller = with_alice().await;
    let flow = Flow::by_password(&controller, "alice").await;
    let code = flow.code().await;
    for (fault, calls) in [
        (StoreFault::Full, 0),
        (StoreFault::Unavailable, 4),
        (StoreFault::Overload, 0),
    ] {
        controller.faults.arm(fault, calls);
        let failed = flow.redeem(&code).await;
        assert!(controller.faults.disarm(), "{fault:?}");
        assert!(
            failed.status.is_server_error(),
            "{fault:?}: {}",
            failed.text()
        );
    }
    let tokens = Tokens::of(&flow.redeem(&code).await);
    assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
    let again = flow.redeem(&code).await;
    assert_eq!(oauth_error(&again), (400, "invalid_grant".to_owned()));
    assert_eq!(session_of(&controller, &tokens.access).await.status, 401);
}

#[tokio::test]
async fn one_of_many_redemptions_at_a_time_gets_tokens() {
    let controller = with_alice().await;
    let flow = Flow::by_password(&controller, "alice").await;
    let code = flow.code().await;
    let attempts = (0..16).map(|_attempt| flow.redeem(&code));
    let replies = futures_util::future::join_all(attempts).await;
    let (served, refused): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    let [served] = &*served else {
        panic!("{} were served", served.len());
    };
    for reply in refused {
        assert_eq!(oauth_error(reply), (400, "invalid_grant".to_owned()));
    }
    // The others have ended the session.
    let tokens = Tokens::of(served);
    assert_eq!(session_of(&controller, &tokens.access).await.status, 401);
}

/// Refusals take one hash, as much work as any other, and one commit, as those of the REST APIs do.
#[tokio::test]
async fn every_refused_password_takes_the_same_way() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for name in ["alice", "gone0"] {
        controller.create_user(&admin, name, json!({})).await;
    }
    let id = find_identity_id(&controller, &admin, "gone0").await;
    crate::support::disable_identity(&controller, &admin, &id).await;
    for mode in ["navigate", "cors"] {
        let (mut answers, mut works) = (BTreeSet::new(), BTreeSet::new());
        for (username, password) in [
            ("alice", "wrong-password"),
            ("nobod", "wrong-password"),
            ("gone0", "wrong-password"),
            ("gone0", PASSWORD),
        ] {
            let begun = request(&controller, Method::GET, &authorization(&[]));
            let begun = begun.header("sec-fetch-mode", mode).send().await;
            let id = parameter(&location(&begun), "authRequestID");
            let cookie = begun.headers["set-cookie"].to_str().unwrap();
            let step = request(&controller, Method::POST, "/login/password");
            let step = step
                .header("sec-fetch-mode", mode)
                .header("cookie", cookie.split(';').next().unwrap());
            let form = [("id", &*id), ("username", username), ("password", password)];
            let (commits, hashes) = (revision(&controller), controller.app.passwords_hashed());
            let work = controller.app.password_work();
            let refused = with_form(step, &form).send().await;
            assert_eq!(refused.status, 401, "{username} {password}");
            assert_eq!(revision(&controller), commits + 1, "{username} {password}");
            assert_eq!(controller.app.passwords_hashed(), hashes + 1, "{username}");
            works.insert(controller.app.password_work() - work);
            answers.insert(refused.text().replace(username, "").replace(&id, ""));
        }
        assert_eq!(
            (answers.len(), works.len()),
            (1, 1),
            "{answers:?} {works:?}"
        );
    }
}

#[tokio::test]
async fn code_counts_for_its_client_and_verifier_alone() {
    let controller = with_alice().await;
    let flow = Flow::by_password(&controller, "alice").await;
    let code = flow.code().await;
    let redirect = crate::support::oidc::REDIRECT;
    let verifier = crate::support::oidc::VERIFIER;
    for (client, verifier, redirect) in [
        ("openziti", verifier, redirect),
        (
            "native",
            "wrong-wrong-wrong-wrong-wrong-wrong-wrong-wrong",
            redirect,
        ),
        ("native", verifier, "http://localhost:8081/auth/callback"),
    ] {
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", client),
            ("code", &code),
            ("code_verifier", verifier),
            ("redirect_uri", redirect),
        ];
        let refused = post(&controller, "/oauth/token", &form).await;
        assert_eq!(oauth_error(&refused), (400, "invalid_grant".to_owned()));
    }
    // None of them spent it.
    Tokens::of(&flow.redeem(&code).await);
}

#[tokio::test]
async fn login_is_judged_again_when_its_code_is_redeemed() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let session = controller.create_user(&admin, "alice", json!({})).await;
    let id = current_session(&controller, &session).await.data()["identityId"].clone();
    let flow = Flow::by_password(&controller, "alice").await;
    let code = flow.code().await;
    let path = format!("/identities/{}/disable", id.as_str().unwrap());
    send(
        &controller,
        &admin,
        (Method::POST, &path),
        &json!({"durationMinutes": 0}),
    )
    .await;
    let refused = flow.redeem(&code).await;
    assert_eq!(oauth_error(&refused), (400, "invalid_grant".to_owned()));
}

#[tokio::test]
async fn certificate_comes_with_tokens_and_binds_them() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = bare(&controller, &admin, "alice").await;
    let post_one = (Method::POST, "/authenticators");
    send(&controller, &admin, post_one, &updb(&id, "alice"))
        .await
        .id();
    let (_key, csr) = client_key_and_csr();
    let flow = Flow::begin(&controller).await;
    let body = json!({"username": "alice", "password": PASSWORD, "csrPem": csr});
    assert_eq!(flow.step("/login/password", body).await.status, 302);
    let reply = flow.redeem(&flow.code().await).await;
    let pem = reply.json()["session_cert"].as_str().unwrap().to_owned();
    let issued = portcullis_pki::certificates_from_pem(&pem).unwrap();
    let tokens = Tokens::of(&reply);
    let bound = claims(&tokens.access)["z_cfs"].clone();
    assert_eq!(bound, json!([issued[0].fingerprint().to_string()]));
    assert_eq!(session_of(&controller, &tokens.access).await.status, 401);
    let bearer = format!("Bearer {}", tokens.access);
    let request = controller.request(Method::GET, "/edge/client/v1/current-api-session");
    let request = request
        .header("authorization", &bearer)
        .certificates(&issued);
    assert_eq!(request.send().await.status, 200);
    // Renewal takes the certificate, too.
    let refused = crate::support::oidc::refresh(&controller, &tokens.refresh).await;
    assert_eq!(oauth_error(&refused), (400, "access_denied".to_owned()));
}

#[tokio::test]
async fn certificate_requests_are_judged_before_anything_is_kept() {
    let controller = with_alice().await;
    let flow = Flow::begin(&controller).await;
    let (_key, csr) = client_key_and_csr();
    let long = format!("{csr}{}", "\n".repeat(9_000));
    for (csr, status) in [("nonsense", 400), (&long, 400), (&"x".repeat(40_000), 413)] {
        let body = json!({"username": "alice", "password": PASSWORD, "csrPem": csr});
        assert_eq!(flow.step("/login/password", body).await.status, status);
    }
    flow.password("alice").await;
    let code = flow.code().await;
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", "native"),
        ("code", &*code),
        ("code_verifier", crate::support::oidc::VERIFIER),
        ("redirect_uri", crate::support::oidc::REDIRECT),
        ("csr_pem", "nonsense"),
    ];
    let refused = post(&controller, "/oauth/token", &form).await;
    assert_eq!(oauth_error(&refused), (400, "invalid_request".to_owned()));
    // That did not spend the code.
    Tokens::of(&flow.redeem(&code).await);
}

#[tokio::test]
async fn console_of_the_controller_is_led_back_to() {
    let own = "https://ctrl.example.test:1280/auth/callback";
    for (serves_console, uri, status) in [
        (true, own, 302),
        (true, "https://ctrl.example.test/auth/callback", 400),
        (true, "https://ctrl.example.test:1280/elsewhere", 400),
        (true, "https://other.example.test:1280/auth/callback", 400),
        (false, own, 400),
    ] {
        let controller = Harness::start_with(HarnessOptions {
            serves_console,
            ..HarnessOptions::default()
        });
        let controller = controller.await;
        let path = authorization(&[("client_id", "openziti"), ("redirect_uri", uri)]);
        let begun = request(&controller, Method::GET, &path).send().await;
        assert_eq!(begun.status, status, "{serves_console}, {uri}");
    }
}
