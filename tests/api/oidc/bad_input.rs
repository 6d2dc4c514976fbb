//! Requests that are not in order.

use crate::support::oidc::{
    Flow, REDIRECT, VERIFIER, authorization, location, oauth_error, parameter, post, request,
    with_form,
};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::json;

#[tokio::test]
async fn authorization_requests_are_judged() {
    let controller = Harness::start().await;
    let ask = |replaced: &'static [(&'static str, &'static str)]| {
        request(&controller, Method::GET, &authorization(replaced)).send()
    };
    // It is in doubt where to redirect to.
    for (replaced, error) in [
        (&[("client_id", "nope")][..], "invalid_client"),
        (&[("client_id", "")], "invalid_request"),
        (&[("redirect_uri", "")], "invalid_request"),
        (
            &[("redirect_uri", "https://evil.test/auth/callback")],
            "invalid_request",
        ),
        (
            &[(
                "redirect_uri",
                "http://localhost.evil.test:80/auth/callback",
            )],
            "invalid_request",
        ),
        (
            &[(
                "redirect_uri",
                "http://localhost:80@evil.test/auth/callback",
            )],
            "invalid_request",
        ),
        (
            &[("redirect_uri", "http://localhost:8080/other")],
            "invalid_request",
        ),
        (
            &[("redirect_uri", "http://127.0.0.2:8080/auth/callback")],
            "invalid_request",
        ),
    ] {
        let reply = ask(replaced).await;
        assert_eq!(oauth_error(&reply), (400, error.to_owned()), "{replaced:?}");
        assert!(!reply.headers.contains_key("location"), "{replaced:?}");
    }
    for (replaced, error) in [
        (&[("code_challenge", "")][..], "invalid_request"),
        (&[("code_challenge_method", "plain")], "invalid_request"),
        (&[("code_challenge_method", "")], "invalid_request"),
        (&[("response_type", "token")], "unsupported_response_type"),
        (&[("scope", "")], "invalid_scope"),
        (&[("prompt", "none")], "login_required"),
        (&[("request", "x")], "request_not_supported"),
        (&[("method", "magic")], "invalid_request"),
    ] {
        let reply = ask(replaced).await;
        assert_eq!(reply.status, 302, "{replaced:?}");
        let sent = location(&reply);
        assert!(sent.starts_with(REDIRECT), "{sent}");
        assert_eq!(parameter(&sent, "error"), error, "{replaced:?}");
        assert_eq!(parameter(&sent, "state"), "st");
    }
    let twice = format!("{}&client_id=native", authorization(&[]));
    let reply = request(&controller, Method::GET, &twice).send().await;
    assert_eq!(oauth_error(&reply), (400, "invalid_request".to_owned()));
    let query = authorization(&[]);
    let in_both = with_form(
        request(&controller, Method::POST, &query),
        &[("client_id", "native")],
    );
    assert_eq!(
        oauth_error(&in_both.send().await),
        (400, "invalid_request".to_owned())
    );
    let posted = query.split_once('?').unwrap().1;
    let posted = request(&controller, Method::POST, "/authorize")
        .text("application/x-www-form-urlencoded", posted);
    assert_eq!(posted.send().await.status, 302);
}

#[tokio::test]
async fn token_requests_are_judged() {
    let controller = Harness::start().await;
    for (form, error) in [
        (&[("client_id", "native")][..], (400, "invalid_request")),
        (
            &[("grant_type", "password"), ("client_id", "native")],
            (400, "unsupported_grant_type"),
        ),
        (
            &[("grant_type", "refresh_token"), ("client_id", "native")],
            (400, "invalid_request"),
        ),
        (
            &[
                ("grant_type", "refresh_token"),
                ("client_id", "nope"),
                ("refresh_token", "x"),
            ],
            (400, "invalid_client"),
        ),
        (
            &[
                ("grant_type", "refresh_token"),
                ("client_id", "native"),
                ("refresh_token", "x"),
            ],
            (400, "invalid_grant"),
        ),
        (
            &[
                ("grant_type", "refresh_token"),
                ("grant_type", "refresh_token"),
                ("client_id", "native"),
                ("refresh_token", "x"),
            ],
            (400, "invalid_request"),
        ),
        (
            &[
                ("grant_type", "authorization_code"),
                ("client_id", "native"),
                ("code", "x"),
                ("code_verifier", VERIFIER),
                ("redirect_uri", REDIRECT),
                // The C SDK does that.
                ("state", "a"),
                ("state", "b"),
            ],
            (400, "invalid_grant"),
        ),
    ] {
        let reply = post(&controller, "/oauth/token", form).await;
        assert_eq!(
            oauth_error(&reply),
            (error.0, error.1.to_owned()),
            "{form:?}"
        );
    }
    // With HTTP Basic, as the C SDK renews.
    let basic = |name: &str| {
        use base64::{Engine as _, engine::general_purpose::STANDARD};
        format!("Basic {}", STANDARD.encode(format!("{name}:")))
    };
    for (name, error) in [
        ("native", (400, "invalid_grant")),
        ("nope", (401, "invalid_client")),
    ] {
        let form = [("grant_type", "refresh_token"), ("refresh_token", "x")];
        let request = request(&controller, Method::POST, "/oauth/token");
        let reply = with_form(request.header("authorization", &basic(name)), &form)
            .send()
            .await;
        assert_eq!(oauth_error(&reply), (error.0, error.1.to_owned()));
        assert_eq!(
            reply.headers.contains_key("www-authenticate"),
            error.0 == 401
        );
    }
}

#[tokio::test]
async fn media_types_methods_and_sizes_are_judged() {
    let controller = Harness::start().await;
    let flow = Flow::begin(&controller).await;
    let login = || request(&controller, Method::POST, "/login/password");
    let reply = login().text("text/plain", "hello").send().await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["code"]),
        (415, &json!("UNSUPPORTED_MEDIA_TYPE"))
    );
    let reply = login().text("application/json", "{").send().await;
    assert_eq!(reply.status, 400);
    let reply = login().text("application/json", "[]").send().await;
    assert_eq!(reply.status, 400);
    let reply = login()
        .header("accept", "image/png")
        .json(&json!({"id": flow.id}))
        .send()
        .await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["code"]),
        (406, &json!("NOT_ACCEPTABLE"))
    );
    let large = format!("id={}&username={}", flow.id, "x".repeat(1 << 20));
    let reply = login()
        .text("application/x-www-form-urlencoded", &large)
        .send()
        .await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["code"]),
        (413, &json!("REQUEST_ENTITY_TOO_LARGE"))
    );
    let reply = request(&controller, Method::POST, "/oauth/token")
        .json(&json!({}))
        .send()
        .await;
    assert_eq!(reply.status, 415);
    let reply = request(&controller, Method::GET, "/oauth/token")
        .send()
        .await;
    assert_eq!(reply.status, 405);
    let reply = request(&controller, Method::GET, "/nothing").send().await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn unknown_login_requests_are_refused() {
    let controller = Harness::start().await;
    let unknown = "00000000-0000-4000-8000-000000000000";
    for path in [
        "/login/password",
        "/login/cert",
        "/login/ext-jwt",
        "/login/totp",
        "/login/totp/enroll",
        "/login/totp/enroll/verify",
    ] {
        for id in [unknown, "", "x"] {
            let form = [
                ("id", id),
                ("username", "alice"),
                ("password", "secret"),
                ("code", "1"),
            ];
            let reply = post(&controller, path, &form).await;
            assert_eq!(reply.status, 401, "{path}");
            assert_eq!(reply.json()["code"], "UNAUTHORIZED", "{path}");
        }
    }
    let path = format!("/login/auth-queries?id={unknown}");
    let reply = request(&controller, Method::GET, &path).send().await;
    assert_eq!(reply.status, 401);
}

#[tokio::test]
async fn login_request_expires() {
    let controller = Harness::start().await;
    let flow = Flow::begin(&controller).await;
    crate::support::mfa::advance_clock(&controller, 600);
    assert_eq!(flow.password("admin").await.status, 401);
}

/// Nobody is kept from logging in by many who do not finish.
#[tokio::test]
async fn ten_thousand_login_requests_that_nobody_finishes_are_bounded() {
    let controller = Harness::start().await;
    let honest = Flow::begin(&controller).await;
    for _login in 0..10_000 {
        let begun = request(&controller, Method::GET, &authorization(&[]));
        begun.from("192.0.2.9").send().await;
    }
    assert_eq!(honest.password("admin").await.status, 302);
}
