//! Tags are limited in number and bytes, and those of old records stay.

use crate::support::credentials::with_password;
use crate::support::posture::PostureFixture;
use crate::support::{bad_request, create, edit_entity, get, send};
use http::Method;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::identity::Identity;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::{Harness, PASSWORD};
use serde_json::{Map, Value, json};

const VALIDATE: &str = "COULD_NOT_VALIDATE";

/// So many tags with texts of that length.
fn tags(count: usize, length: usize) -> Value {
    let tag = |number| (format!("{number:05}"), json!("x".repeat(length)));
    (0..count).map(tag).collect::<Map<_, _>>().into()
}

#[tokio::test]
async fn tags_of_managed_entities_are_limited_on_every_way() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "laptop", json!({})).await;
    let ways = [
        (
            Method::POST,
            "/identities".to_owned(),
            json!({"name": "new", "isAdmin": false}),
        ),
        (Method::PATCH, format!("/identities/{id}"), json!({})),
        (
            Method::PUT,
            format!("/identities/{id}"),
            json!({"name": "laptop", "isAdmin": false, "type": "Default"}),
        ),
        (
            Method::POST,
            "/services".to_owned(),
            json!({"name": "s", "encryptionRequired": true}),
        ),
        (
            Method::POST,
            "/edge-routers".to_owned(),
            json!({"name": "r"}),
        ),
        (
            Method::POST,
            "/auth-policies".to_owned(),
            json!({"name": "p"}),
        ),
    ];
    for (method, path, mut body) in ways {
        for (given, reason) in [
            (tags(129, 1), "at most 128 tags are allowed; there are 129"),
            (tags(1, 65_536), "at most 65536 bytes"),
            (tags(128, 600), "at most 65536 bytes"),
        ] {
            body["tags"] = given;
            let reply = send(&controller, &admin, (method.clone(), &path), &body).await;
            if reply.error().1 == VALIDATE && path == "/auth-policies" && reply.field() != "tags" {
                continue;
            }
            assert_eq!(reply.error(), bad_request(VALIDATE), "{method} {path}");
            assert_eq!(reply.field(), "tags");
            assert!(reply.text().contains(reason), "{}", reply.text());
        }
    }
    let path = format!("/identities/{id}");
    for most in [tags(128, 400), tags(1, 65_000)] {
        let body = json!({"tags": most});
        let reply = send(&controller, &admin, (Method::PATCH, &path), &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
}

#[tokio::test]
async fn tags_of_what_is_ones_own_are_limited_more_tightly() {
    let stage = PostureFixture::new().await;
    stage.allow("dial", "Dial", &[]).await;
    let session = &stage.person.session;
    let controller = &stage.controller;
    let (_, authenticator, berta) =
        with_password(controller, &stage.admin, "berta", json!({})).await;
    let path = format!("/edge/client/v1/current-identity/authenticators/{authenticator}");
    for (given, reason) in [
        (tags(33, 1), "at most 32 tags are allowed; there are 33"),
        (tags(1, 4096), "at most 4096 bytes"),
    ] {
        let body = json!({"serviceId": stage.service, "tags": given});
        let reply = stage.post(session, "/sessions", &body).await;
        assert_eq!(
            (reply.error(), reply.field()),
            (bad_request(VALIDATE), "tags".to_owned())
        );
        assert!(reply.text().contains(reason), "{}", reply.text());

        let body = json!({"currentPassword": PASSWORD, "tags": given});
        let request = controller.request(Method::PATCH, &path).session(&berta);
        let reply = request.json(&body).send().await;
        assert_eq!(
            (reply.error(), reply.field()),
            (bad_request(VALIDATE), "tags".to_owned())
        );
    }
    let body = json!({"serviceId": stage.service, "tags": tags(32, 100)});
    assert_eq!(stage.post(session, "/sessions", &body).await.status, 201);
}

#[tokio::test]
async fn records_with_more_tags_than_are_allowed_today_are_shown_changed_and_deleted() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (id, authenticator, _) = with_password(&controller, &admin, "anna", json!({})).await;
    let old = || -> Tags {
        let tag = |number| (format!("tag {number}"), TagValue::Text("x".repeat(1000)));
        (0..500).map(tag).collect()
    };
    edit_entity(
        &controller,
        UniqueIndex::IdentityId,
        &id,
        move |identity: &mut Identity| {
            identity.spec.tags = old();
        },
    )
    .await;
    edit_entity(
        &controller,
        UniqueIndex::AuthenticatorId,
        &authenticator,
        move |authenticator: &mut Authenticator| authenticator.tags = old(),
    )
    .await;
    for (path, change) in [
        (
            format!("/authenticators/{authenticator}"),
            json!({"username": "annabel"}),
        ),
        (format!("/identities/{id}"), json!({"name": "annabel"})),
    ] {
        let patched = send(&controller, &admin, (Method::PATCH, &path), &change).await;
        assert_eq!(patched.status, 200, "{}", patched.text());
        let shown = get(&controller, &admin, &path).await.data();
        assert_eq!(shown["tags"].as_object().unwrap().len(), 500, "{path}");
        let deleted = controller
            .manage(Method::DELETE, &path, &admin)
            .send()
            .await;
        assert_eq!(deleted.status, 200, "{}", deleted.text());
    }
}
