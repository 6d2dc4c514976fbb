//! What ends tokens: their records, revocations, logouts.

use crate::support::credentials::with_certificate;
use crate::support::idp::{Idp, patch_signer};
use crate::support::mfa::advance_clock;
use crate::support::oidc::{
    Flow, Tokens, claims, location, oauth_error, parameter, post, refresh, request, session_of,
};
use crate::support::{create, modify_policy, send};
use http::Method;
use portcullis_testkit::{Harness, PASSWORD};
use serde_json::{Value, json};

async fn logged_in() -> (Harness, String, Tokens) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "alice", json!({})).await;
    let tokens = Tokens::by_password(&controller, "alice").await;
    (controller, admin, tokens)
}

fn text(claim: &Value) -> &str {
    claim.as_str().unwrap()
}

async fn assert_over(controller: &Harness, tokens: &Tokens) {
    assert_eq!(session_of(controller, &tokens.access).await.status, 401);
    let renewed = refresh(controller, &tokens.refresh).await;
    assert_eq!(oauth_error(&renewed), (400, "invalid_grant".to_owned()));
}

#[tokio::test]
async fn whoever_is_deleted_or_disabled_is_out() {
    for (method, below) in [(Method::DELETE, ""), (Method::POST, "/disable")] {
        let (controller, admin, tokens) = logged_in().await;
        let id = claims(&tokens.access)["sub"].clone();
        let path = format!("/identities/{}{below}", text(&id));
        send(
            &controller,
            &admin,
            (method, &path),
            &json!({"durationMinutes": 0}),
        )
        .await;
        assert_over(&controller, &tokens).await;
    }
}

#[tokio::test]
async fn policy_that_forbids_the_way_ends_tokens() {
    let (controller, _admin, tokens) = logged_in().await;
    modify_policy(&controller, "default", |policy| {
        policy.spec.primary.updb.allowed = false;
    })
    .await;
    assert_over(&controller, &tokens).await;
}

#[tokio::test]
async fn authenticator_that_is_gone_ends_tokens() {
    let (controller, admin, tokens) = logged_in().await;
    let path = format!(
        "/authenticators/{}",
        text(&claims(&tokens.access)["z_authid"])
    );
    let gone = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_eq!(gone.status, 200);
    assert_over(&controller, &tokens).await;
}

#[tokio::test]
async fn changed_password_ends_the_tokens_of_other_sessions() {
    let (controller, _admin, tokens) = logged_in().await;
    let own = controller.login("alice", PASSWORD).await;
    let id = claims(&tokens.access)["z_authid"].clone();
    let path = format!(
        "/edge/client/v1/current-identity/authenticators/{}",
        text(&id)
    );
    let change = controller.request(Method::PATCH, &path).session(&own);
    let body = json!({"currentPassword": PASSWORD, "password": "another-password"});
    assert_eq!(change.json(&body).send().await.status, 200);
    assert_over(&controller, &tokens).await;
}

#[tokio::test]
async fn signer_that_is_disabled_ends_tokens() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let idp = Idp::new(&controller, "idp");
    let signer = idp.register(&controller, &admin, json!({})).await;
    create(&controller, &admin, "bob", json!({"externalId": "ext-bob"})).await;
    let flow = Flow::begin(&controller).await;
    let step = request(&controller, Method::POST, "/login/ext-jwt").json(&json!({"id": flow.id}));
    let bearer = format!("Bearer {}", idp.token(&controller, "ext-bob"));
    step.header("authorization", &bearer).send().await;
    let tokens = flow.tokens().await;
    assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
    patch_signer(&controller, &admin, &signer, json!({"enabled": false})).await;
    assert_over(&controller, &tokens).await;
}

#[tokio::test]
async fn revocations_of_administrators_count() {
    for (kind, claim) in [
        ("JTI", "jti"),
        ("IDENTITY", "sub"),
        ("API_SESSION", "z_asid"),
    ] {
        let (controller, admin, tokens) = logged_in().await;
        let id = claims(&tokens.access)[claim].clone();
        let body = json!({"id": id, "type": kind});
        let made = send(&controller, &admin, (Method::POST, "/revocations"), &body).await;
        assert_eq!(made.status, 201, "{}", made.text());
        if kind == "JTI" {
            assert_eq!(session_of(&controller, &tokens.access).await.status, 401);
            Tokens::of(&refresh(&controller, &tokens.refresh).await);
            continue;
        }
        assert_over(&controller, &tokens).await;
        if kind == "IDENTITY" {
            // What is issued afterwards counts.
            advance_clock(&controller, 2);
            let later = Tokens::by_password(&controller, "alice").await;
            assert_eq!(session_of(&controller, &later.access).await.status, 200);
        }
    }
}

#[tokio::test]
async fn clients_revoke_their_tokens() {
    for path in ["/revoke", "/oauth/revoke"] {
        let (controller, _admin, tokens) = logged_in().await;
        let form = [("client_id", "native"), ("token", &*tokens.refresh)];
        assert_eq!(post(&controller, path, &form).await.status, 200);
        assert_over(&controller, &tokens).await;
        // It need not count any more.
        assert_eq!(post(&controller, path, &form).await.status, 200);
    }
    let (controller, _admin, tokens) = logged_in().await;
    let second = Tokens::of(&refresh(&controller, &tokens.refresh).await);
    let foreign = [("client_id", "openziti"), ("token", &*second.refresh)];
    assert_eq!(post(&controller, "/revoke", &foreign).await.status, 400);
    let form = [("client_id", "native"), ("token", &*second.access)];
    assert_eq!(post(&controller, "/revoke", &form).await.status, 200);
    assert_eq!(session_of(&controller, &second.access).await.status, 401);
    // An access token goes alone.
    Tokens::of(&refresh(&controller, &second.refresh).await);
    let garbage = [("client_id", "native"), ("token", "garbage")];
    assert_eq!(post(&controller, "/revoke", &garbage).await.status, 200);
}

#[tokio::test]
async fn logout_through_the_api_ends_all_tokens() {
    let (controller, admin, tokens) = logged_in().await;
    let request = controller.request(Method::DELETE, "/edge/client/v1/current-api-session");
    let bearer = format!("Bearer {}", tokens.access);
    assert_eq!(
        request.header("authorization", &bearer).send().await.status,
        200
    );
    assert_over(&controller, &tokens).await;
    // Routers learn of it by the revocation.
    let id = claims(&tokens.access)["z_asid"].clone();
    let path = format!("/revocations/{}", text(&id));
    let revocation = controller
        .manage(Method::GET, &path, &admin)
        .send()
        .await
        .data();
    assert_eq!(revocation["type"], "API_SESSION");
}

#[tokio::test]
async fn administrators_see_and_end_sessions() {
    let (controller, admin, tokens) = logged_in().await;
    let path = format!("/api-sessions/{}", text(&claims(&tokens.access)["z_asid"]));
    let shown = controller
        .manage(Method::GET, &path, &admin)
        .send()
        .await
        .data();
    assert_ne!(shown["token"], tokens.access);
    let ended = controller
        .manage(Method::DELETE, &path, &admin)
        .send()
        .await;
    assert_eq!(ended.status, 200);
    assert_over(&controller, &tokens).await;
}

#[tokio::test]
async fn applications_log_out() {
    let (controller, _admin, tokens) = logged_in().await;
    let logout = "http%3A%2F%2Flocalhost%3A8080%2Fauth%2Flogout";
    // Without a token of a session nobody is sent anywhere, and nothing ends.
    let path = format!("/end_session?post_logout_redirect_uri={logout}");
    let stranger = request(&controller, Method::GET, &path).send().await;
    assert_eq!(location(&stranger), "/oidc/logged-out");
    assert_eq!(session_of(&controller, &tokens.access).await.status, 200);
    let path = format!("{path}&state=bye&id_token_hint={}", tokens.id_token);
    let reply = request(&controller, Method::GET, &path).send().await;
    assert_eq!(reply.status, 302);
    let sent = location(&reply);
    assert!(
        sent.starts_with("http://localhost:8080/auth/logout?"),
        "{sent}"
    );
    assert_eq!(parameter(&sent, "state"), "bye");
    assert_over(&controller, &tokens).await;
    let page = request(&controller, Method::GET, "/logged-out")
        .send()
        .await;
    assert!(page.text().contains("signed out"));
    let evil = "/end_session?post_logout_redirect_uri=https%3A%2F%2Fevil.test%2F";
    let path = format!("{evil}&id_token_hint={}", tokens.id_token);
    let reply = request(&controller, Method::GET, &path).send().await;
    assert_eq!(location(&reply), "/oidc/logged-out");
}

#[tokio::test]
async fn expired_access_token_says_so() {
    let (controller, _admin, tokens) = logged_in().await;
    advance_clock(&controller, 1801);
    let reply = session_of(&controller, &tokens.access).await;
    let challenge = reply.headers["www-authenticate"].to_str().unwrap();
    assert!(
        challenge.starts_with("Bearer realm=\"openziti-oidc\" error=\"expired\""),
        "{challenge}"
    );
}

#[tokio::test]
async fn certificate_that_may_no_longer_log_in_ends_tokens() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (_, chain) = with_certificate(&controller, &admin, "laptop").await;
    let flow = Flow::begin_with(&controller, &[], &chain).await;
    flow.step("/login/cert", json!({})).await;
    let tokens = flow.tokens().await;
    let status = || async {
        let request = controller.request(Method::GET, "/edge/client/v1/current-api-session");
        let bearer = format!("Bearer {}", tokens.access);
        let request = request
            .header("authorization", &bearer)
            .certificates(&chain);
        request.send().await.status.as_u16()
    };
    assert_eq!(status().await, 200);
    modify_policy(&controller, "default", |policy| {
        policy.spec.primary.cert.allowed = false;
    })
    .await;
    assert_eq!(status().await, 401);
}
