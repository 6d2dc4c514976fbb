//! Bodies that are no valid JSON, or valid in ways that clients rely on; and their sizes.

use crate::support::{create, ott_enrollment, read, revision, shown_error};
use http::Method;
use insta::assert_snapshot;
use portcullis_testkit::{Harness, Reply};
use serde_json::json;

async fn post(controller: &Harness, token: &str, body: &str) -> Reply {
    controller
        .manage(Method::POST, "/identities", token)
        .text("application/json", body)
        .send()
        .await
}

#[tokio::test]
async fn malformed_bodies_are_refused() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let at = revision(&controller);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_member = format!(r#"{{"name": "x", "isAdmin": false, "appData": {deep}}}"#);
    for body in [
        "{",
        "}",
        "nul",
        r#"{"name""#,
        r#"{"name": "x","#,
        r#""text""#,
        "[]",
        "5",
        "true",
        r#"{"name": "x" "isAdmin": false}"#,
        r#"{"name": "\ud800", "isAdmin": fals}"#,
        "\u{feff}{}",
        "<xml/>",
        &deep,
        &deep_member,
        "{\"name\": \"a\nb\", \"isAdmin\": false}",
    ] {
        let reply = post(&controller, &admin, body).await;
        let what: String = body.chars().take(40).collect();
        assert_eq!(
            reply.error(),
            (400, "COULD_NOT_PARSE_BODY".to_owned()),
            "{what}"
        );
        assert_eq!(
            reply.json()["error"]["cause"]["code"],
            "UNHANDLED",
            "{what}"
        );
    }
    let binary = controller
        .manage(Method::POST, "/identities", &admin)
        .bytes(
            "application/json",
            b"{\"name\": \"\xff\xfe\", \"isAdmin\": false}",
        )
        .send()
        .await;
    assert_eq!(binary.error(), (400, "COULD_NOT_PARSE_BODY".to_owned()));
    assert_eq!(revision(&controller), at);
}

#[tokio::test]
async fn missing_bodies_are_named() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", json!({})).await;
    for (method, path, field) in [
        (Method::POST, "/identities".to_owned(), "identity"),
        (Method::PUT, format!("/identities/{id}"), "identity"),
        (Method::PATCH, format!("/identities/{id}"), "identity"),
        (Method::POST, format!("/identities/{id}/disable"), "disable"),
        (Method::POST, "/enrollments".to_owned(), "enrollment"),
        (Method::POST, "/enrollments/x/refresh".to_owned(), "refresh"),
    ] {
        for body in ["", " \n"] {
            let request = controller.manage(method.clone(), &path, &admin);
            let reply = request.text("application/json", body).send().await;
            assert_eq!(
                reply.error(),
                (400, "COULD_NOT_VALIDATE".to_owned()),
                "{method} {path}"
            );
            assert_eq!(reply.field(), field, "{method} {path}");
        }
        let bare = controller
            .manage(method.clone(), &path, &admin)
            .send()
            .await;
        assert_eq!(
            bare.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{method} {path}"
        );
    }
    // `null` is an object without members.
    let reply = post(&controller, &admin, "null").await;
    assert_snapshot!(shown_error(&reply), @r#"
        400 Bad Request
        {
          "error": {
            "cause": {
              "field": "isAdmin",
              "reason": "is required",
              "value": "<nil>"
            },
            "code": "COULD_NOT_VALIDATE",
            "message": "The request is not valid",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
}

#[tokio::test]
async fn clients_may_write_members_their_way() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (body, name, attributes) in [
        (
            r#"{"NAME": "upper", "ISADMIN": false, "RoleAttributes": ["a"]}"#,
            "upper",
            json!(["a"]),
        ),
        (
            r#"{"name": "first", "isAdmin": false, "Name": "last"}"#,
            "last",
            json!([]),
        ),
        (
            r#"{"name": "more", "isAdmin": false, "fly": {"x": []}, "id": "mine"}"#,
            "more",
            json!([]),
        ),
        (
            r#"{"name": "nulls", "isAdmin": false, "roleAttributes": null, "permissions": null,
                "appData": null, "tags": null, "externalId": null, "authPolicyId": null,
                "enrollment": null, "type": null, "defaultHostingCost": null,
                "defaultHostingPrecedence": null, "serviceHostingCosts": null,
                "serviceHostingPrecedences": null}"#,
            "nulls",
            json!([]),
        ),
        (
            r#" {"name": "first value", "isAdmin": false} trailing {"#,
            "first value",
            json!([]),
        ),
        (
            r#"{"name": "two values", "isAdmin": false}{"name": "second"}"#,
            "two values",
            json!([]),
        ),
        (
            r#"{"name": "\u00e4\ud83d\ude00 a<b>&c", "isAdmin": false}"#,
            "\u{e4}\u{1f600} a<b>&c",
            json!([]),
        ),
        (
            r#"{"name": " padded ", "isAdmin": false}"#,
            " padded ",
            json!([]),
        ),
    ] {
        let id = post(&controller, &admin, body).await.id();
        assert_ne!(id, "mine");
        let shown = read(&controller, &admin, &id).await;
        assert_eq!(shown["name"], name, "{body}");
        assert_eq!(shown["roleAttributes"], attributes, "{body}");
        assert_eq!(shown["externalId"], json!(null));
        assert_eq!(shown["permissions"], json!(null));
    }
}

#[tokio::test]
async fn bodies_that_nobody_asked_for_are_not_looked_at() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", json!({})).await;
    let one = format!("/identities/{id}");
    let enable = format!("{one}/enable");
    for body in ["", "{", "null", r#"{"name": "y"}"#] {
        for (method, path) in [
            (Method::GET, "/identities"),
            (Method::GET, &one),
            (Method::POST, &enable),
        ] {
            let request = controller.manage(method.clone(), path, &admin);
            let reply = request.text("application/json", body).send().await;
            assert_eq!(reply.status, 200, "{method} {path}: {body}");
        }
    }
    assert_eq!(read(&controller, &admin, &id).await["name"], "x");
    let request = controller.manage(Method::DELETE, &one, &admin);
    let reply = request.text("application/json", "{").send().await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn bodies_are_bounded() {
    const MIB: usize = 1024 * 1024;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let sized = |size: usize| {
        let empty = json!({"name": "large", "isAdmin": false, "pad": ""}).to_string();
        let pad = "x".repeat(size - empty.len());
        json!({"name": "large", "isAdmin": false, "pad": pad}).to_string()
    };
    let at = revision(&controller);
    let large = post(&controller, &admin, &sized(MIB + 1)).await;
    assert_eq!(large.status, 413);
    assert_eq!(large.headers["content-type"], "application/json");
    assert_snapshot!(large.text(), @r#"
        {"code":"REQUEST_ENTITY_TOO_LARGE","message":"The request body is too large; split it into several requests","cause":null}
        "#);
    assert_eq!(revision(&controller), at);
    post(&controller, &admin, &sized(MIB)).await.id();

    // Whoever needs no session may send less.
    for (path, most) in [
        ("/authenticate?method=password", 32 * 1024),
        ("/edge/management/v1/authenticate?method=cert", 32 * 1024),
        ("/enroll?method=ott&token=x", 256 * 1024),
        ("/enroll/ott", 256 * 1024),
    ] {
        for (size, is_refused) in [(most + 1, true), (most, false)] {
            let request = controller.request(Method::POST, path);
            let reply = request.text("application/json", &sized(size)).send().await;
            assert_eq!(reply.status == 413, is_refused, "{path}: {}", reply.status);
        }
    }
}

#[tokio::test]
async fn certificate_requests_are_bounded() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", ott_enrollment()).await;
    let shown = read(&controller, &admin, &id).await;
    let token = shown["enrollment"]["ott"]["token"].as_str().unwrap();
    let long = "x".repeat(64 * 1024 + 1);
    let path = format!("/enroll?method=ott&token={token}");
    let as_json = controller.request(Method::POST, &path);
    let reply = as_json.json(&json!({"clientCsr": long})).send().await;
    assert_eq!(reply.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
    assert_eq!(reply.field(), "clientCsr");
    let as_text = controller.request(Method::POST, &path);
    let reply = as_text.text("application/x-pem-file", &long).send().await;
    assert_eq!(reply.error(), (400, "COULD_NOT_PROCESS_CSR".to_owned()));
    assert!(reply.body.len() < 2048, "nothing of it is repeated");
}

#[tokio::test]
async fn an_item_of_a_wrong_type_is_named_by_its_place() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (path, body, said) in [
        (
            "/identities",
            r#"{"name": "x", "isAdmin": false, "roleAttributes": ["a", 5]}"#,
            "roleAttributes.1 must be a string, not a number",
        ),
        (
            "/service-policies",
            r#"{"name": "x", "type": "Dial", "semantic": "AnyOf", "identityRoles": [null]}"#,
            "identityRoles.0 must be a string, not null",
        ),
    ] {
        let request = controller.manage(Method::POST, path, &admin);
        let reply = request.text("application/json", body).send().await;
        assert_eq!(reply.error(), (400, "COULD_NOT_PARSE_BODY".to_owned()));
        assert_eq!(reply.json()["error"]["cause"]["message"], said);
    }
}

#[tokio::test]
async fn size_of_a_body_is_judged_before_the_route() {
    let controller = Harness::start().await;
    let cap = 1 << 20;
    for (method, path, otherwise) in [
        (Method::POST, "/oidc/login/nothing", 404),
        (Method::POST, "/edge/client/v1/nothing", 404),
        (Method::PUT, "/edge/management/v1/nothing/x", 404),
        (Method::DELETE, "/edge/client/v1/authenticate", 405),
    ] {
        for (size, status) in [(cap, otherwise), (cap + 1, 413), (2 * cap, 413)] {
            let request = controller.request(method.clone(), path);
            let body = vec![b' '; size];
            let reply = request.bytes("application/json", &body).send().await;
            assert_eq!(reply.status, status, "{path} {size}");
            if status == 413 {
                assert_eq!(reply.json()["code"], "REQUEST_ENTITY_TOO_LARGE");
            }
        }
    }
}
