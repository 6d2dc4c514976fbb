//! The order of checks: session, body, permission; and what a refused session is told.

use crate::support::{STRICT, add_strict_policy, create, revision};
use http::Method;
use portcullis_testkit::{Harness, Request};
use serde_json::json;

const MISSING: &str = concat!(
    r#"zt-session realm="zt-session" error="missing" error_description="no matching token was provided","#,
    r#"Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided""#
);
const INVALID_SESSION: &str =
    r#"zt-session realm="zt-session" error="invalid" error_description="token is invalid""#;
const INVALID_BEARER: &str =
    r#"Bearer realm="openziti-oidc" error="invalid" error_description="token is invalid""#;

const UNKNOWN: &str = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";

fn creation<'h>(controller: &'h Harness, content_type: &str, body: &str) -> Request<'h> {
    controller
        .request(Method::POST, "/edge/management/v1/identities")
        .text(content_type, body)
}

#[tokio::test]
async fn challenges_say_what_is_wrong_with_the_credentials() {
    let controller = Harness::start().await;
    for (headers, challenge, has_cause) in [
        (&[][..], MISSING, true),
        (&[("zt-session", "")], MISSING, true),
        (&[("authorization", "Basic YTpi")], MISSING, true),
        (&[("authorization", "bearer x")], MISSING, true),
        (&[("authorization", "Bearer ")], MISSING, true),
        (&[("zt-session", UNKNOWN)], INVALID_SESSION, false),
        (&[("zt-session", "garbage")], INVALID_SESSION, false),
        (
            &[("zt-session", "garbage"), ("authorization", "Bearer x")],
            INVALID_SESSION,
            false,
        ),
        (
            &[("authorization", "Bearer garbage")],
            INVALID_BEARER,
            false,
        ),
        (
            &[(
                "authorization",
                "Bearer 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee",
            )],
            INVALID_BEARER,
            false,
        ),
    ] {
        for path in ["/current-identity", "/edge/management/v1/identities"] {
            let mut request = controller.request(Method::GET, path);
            for (name, value) in headers {
                request = request.header(name, value);
            }
            let reply = request.send().await;
            assert_eq!(
                reply.error(),
                (401, "UNAUTHORIZED".to_owned()),
                "{headers:?}"
            );
            let given: Vec<_> = reply.headers.get_all("www-authenticate").iter().collect();
            assert_eq!(given, [challenge], "{headers:?}");
            let cause = &reply.json()["error"]["cause"];
            assert_eq!(
                cause["code"] == "UNHANDLED",
                has_cause,
                "{headers:?}: {cause}"
            );
        }
    }
}

#[tokio::test]
async fn session_comes_before_the_body_and_the_body_before_permission() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_strict_policy(&controller).await;
    let user = controller.create_user(&admin, "user", json!({})).await;
    let half = json!({"authPolicyId": STRICT, "isAdmin": true});
    let partial = controller.create_user(&admin, "half", half).await;
    let good = r#"{"name": "x", "isAdmin": false}"#;
    let at = revision(&controller);
    let huge = " ".repeat(1024 * 1024 + 1);
    let unauthorized = (401, "UNAUTHORIZED".to_owned());
    for (content_type, body, refusal) in [
        ("application/json", "{", (400, "COULD_NOT_PARSE_BODY")),
        ("application/json", "{}", (400, "COULD_NOT_VALIDATE")),
        ("text/plain", good, (415, "COULD_NOT_VALIDATE")),
    ] {
        let refusal = (refusal.0, refusal.1.to_owned());
        let reply = creation(&controller, content_type, body).send().await;
        assert_eq!(reply.error(), unauthorized, "no session: {body}");
        let unknown = creation(&controller, content_type, body).session(UNKNOWN);
        assert_eq!(unknown.send().await.error(), unauthorized, "{body}");
        for session in [&user, &partial] {
            let reply = creation(&controller, content_type, body).session(session);
            assert_eq!(reply.send().await.error(), refusal, "{body}");
        }
    }
    for session in [&user, &partial] {
        let reply = creation(&controller, "application/json", good).session(session);
        let reply = reply.send().await;
        assert_eq!(reply.error(), unauthorized);
        assert!(!reply.headers.contains_key("www-authenticate"));
        let large = creation(&controller, "application/json", &huge).session(session);
        assert_eq!(large.send().await.status, 413);
    }
    let stranger = creation(&controller, "application/json", &huge)
        .send()
        .await;
    assert_eq!(
        stranger.error(),
        unauthorized,
        "a stranger's body is not even read"
    );
    assert_eq!(revision(&controller), at);
}

#[tokio::test]
async fn public_routes_ignore_bad_credentials() {
    let controller = Harness::start().await;
    for path in [
        "/version",
        "/",
        "/enumerated-capabilities",
        "/specs",
        "/protocols",
        "/network-jwts",
        "/external-jwt-signers",
        "/.well-known/est/cacerts",
        "/edge/management/v1/version",
    ] {
        for (name, value) in [
            ("zt-session", UNKNOWN),
            ("authorization", "Bearer not.a.token"),
            ("authorization", "Basic YTpi"),
        ] {
            let request = controller.request(Method::GET, path).header(name, value);
            let reply = request.send().await;
            assert_eq!(reply.status, 200, "{path} {name}: {value}");
            assert!(!reply.headers.contains_key("www-authenticate"), "{path}");
        }
    }
    let login = controller
        .request(Method::POST, "/authenticate?method=password")
        .header("authorization", "Bearer not.a.token")
        .session(UNKNOWN)
        .json(&json!({"username": portcullis_testkit::ADMIN, "password": portcullis_testkit::PASSWORD}));
    assert_eq!(login.send().await.status, 200);
}

#[tokio::test]
async fn media_types_are_negotiated() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let get = |path: &str, accept: &str| {
        controller
            .request(Method::GET, path)
            .header("accept", accept)
            .send()
    };
    for (path, accept, status) in [
        ("/version", "application/json", 200),
        ("/version", "application/json, text/plain, */*", 200),
        ("/version", "text/html", 406),
        ("/.well-known/est/cacerts", "application/pkcs7-mime", 200),
        ("/.well-known/est/cacerts", "*/*", 200),
        ("/.well-known/est/cacerts", "application/json", 200),
        ("/.well-known/est/cacerts", "text/html", 406),
    ] {
        let reply = get(path, accept).await;
        assert_eq!(reply.status, status, "{path} as {accept}");
        if status == 406 {
            assert_eq!(reply.error().1, "COULD_NOT_VALIDATE");
            assert_eq!(reply.field(), "Accept");
        }
    }
    let create = |name: &str, content_type: &'static str| {
        let body = json!({"name": name, "isAdmin": false}).to_string();
        let request = creation(&controller, content_type, &body).session(&admin);
        request.send()
    };
    create("one", "application/json; charset=utf-8").await.id();
    create("two", "Application/JSON").await.id();
    for wrong in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "",
    ] {
        let reply = create("three", wrong).await;
        assert_eq!(
            reply.error(),
            (415, "COULD_NOT_VALIDATE".to_owned()),
            "{wrong}"
        );
        assert_eq!(reply.field(), "Content-Type");
    }
    // Without a body any type will do.
    let enable = create_and_enable(&controller, &admin).await;
    assert_eq!(enable, 200);
}

async fn create_and_enable(controller: &Harness, admin: &str) -> u16 {
    let id = create(controller, admin, "four", json!({})).await;
    let request = controller.manage(Method::POST, &format!("/identities/{id}/enable"), admin);
    let reply = request.header("content-type", "text/csv").send().await;
    reply.status.as_u16()
}
