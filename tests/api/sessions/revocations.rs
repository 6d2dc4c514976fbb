//! Revocations, as administrators have them.

use crate::support::{create, get, revision, send};
use http::Method;
use portcullis_app::revocations::remove_expired;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{AuditTrail, Harness, Reply};
use serde_json::{Value, json};

const ALL: &str = "/revocations";
const UUID: &str = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";

async fn revoke(controller: &Harness, token: &str, body: Value) -> Reply {
    send(controller, token, (Method::POST, ALL), &body).await
}

async fn one(controller: &Harness, token: &str, id: &str) -> Reply {
    get(controller, token, &format!("{ALL}/{id}")).await
}

#[tokio::test]
async fn a_revocation_has_the_id_of_what_is_revoked() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = create(&controller, &admin, "user", json!({})).await;
    let trail = AuditTrail::from_now(&controller);
    let other = "0d5be1c0-1f63-4d0a-9a55-6f0b6c9effee";
    for (id, kind) in [(UUID, "JTI"), (other, "API_SESSION"), (&*user, "IDENTITY")] {
        let body = json!({"id": id, "type": kind, "tags": {"a": "b"}});
        let reply = revoke(&controller, &admin, body).await;
        assert_eq!(reply.id(), id);
        let link = &reply.json()["data"]["_links"]["self"]["href"];
        assert_eq!(*link, json!(format!("./revocations/{id}")));
        assert_eq!(
            trail.operations(),
            [("revocation.create".to_owned(), id.to_owned())]
        );
        let expected = json!({
            "_links": {"self": {"href": format!("./revocations/{id}")}},
            "createdAt": "2031-04-05T06:07:08.009Z", "id": id, "tags": {"a": "b"},
            "updatedAt": "2031-04-05T06:07:08.009Z",
            "expiresAt": "2031-04-06T06:07:08.009Z", "type": kind,
        });
        assert_eq!(one(&controller, &admin, id).await.data(), expected);
    }
    let filter = format!("{ALL}?filter=type%3D%22IDENTITY%22");
    let listed = get(&controller, &admin, &filter).await.data();
    assert_eq!(
        (listed[0]["id"].as_str(), listed.as_array().unwrap().len()),
        (Some(&*user), 1)
    );
}

#[tokio::test]
async fn uuids_are_kept_as_tokens_have_them() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({"id": UUID.to_uppercase(), "type": "JTI"});
    assert_eq!(revoke(&controller, &admin, body).await.id(), UUID);
}

#[tokio::test]
async fn what_is_revoked_again_is_replaced() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({"id": UUID, "type": "JTI", "tags": {"a": "b"}});
    revoke(&controller, &admin, body).await.id();
    controller.clock.advance(SignedDuration::from_mins(1));
    let body = json!({"id": UUID, "type": "API_SESSION"});
    assert_eq!(revoke(&controller, &admin, body).await.id(), UUID);
    let listed = get(&controller, &admin, ALL).await.data();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let shown = &listed[0];
    assert_eq!(
        (&shown["type"], &shown["tags"]),
        (&json!("API_SESSION"), &json!({}))
    );
    assert_eq!(shown["expiresAt"], "2031-04-06T06:08:08.009Z");
    assert_eq!(shown["createdAt"], "2031-04-05T06:07:08.009Z");
}

#[tokio::test]
async fn refusals_name_the_member_and_change_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let before = revision(&controller);
    for (body, field) in [
        (json!({"id": "nope", "type": "JTI"}), "id"),
        (json!({"id": "nope", "type": "API_SESSION"}), "id"),
        (json!({"type": "JTI"}), "id"),
        (json!({"id": UUID}), "type"),
        (json!({"id": UUID, "type": "OTHER"}), "type"),
    ] {
        let reply = revoke(&controller, &admin, body.clone()).await;
        assert_eq!(
            reply.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{body}"
        );
        assert_eq!(reply.field(), field, "{body}");
    }
    let unknown = revoke(
        &controller,
        &admin,
        json!({"id": "nope", "type": "IDENTITY"}),
    )
    .await;
    assert_eq!(unknown.error(), (404, "NOT_FOUND".to_owned()));
    assert_eq!(unknown.json()["error"].get("cause"), None);
    assert_eq!(
        one(&controller, &admin, UUID).await.error(),
        (404, "NOT_FOUND".to_owned())
    );
    assert_eq!(revision(&controller), before);
}

#[tokio::test]
async fn revocations_are_for_administrators_and_readers() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let reader = json!({"permissions": ["admin_readonly"]});
    let reader = controller.create_user(&admin, "reader", reader).await;
    let user = json!({"permissions": ["identity", "ops"]});
    let user = controller.create_user(&admin, "user", user).await;
    let body = json!({"id": UUID, "type": "JTI"});
    for token in [&reader, &user] {
        let reply = revoke(&controller, token, body.clone()).await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
    }
    assert_eq!(get(&controller, &reader, ALL).await.data(), json!([]));
    assert_eq!(get(&controller, &user, ALL).await.status, 401);
}

#[tokio::test]
async fn expired_revocations_are_removed_and_renewed_ones_stay() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let later = "0d5be1c0-1f63-4d0a-9a55-6f0b6c9effee";
    for id in [UUID, later] {
        revoke(&controller, &admin, json!({"id": id, "type": "JTI"}))
            .await
            .id();
    }
    controller.clock.advance(SignedDuration::from_hours(23));
    let admin = controller.admin().await;
    revoke(&controller, &admin, json!({"id": later, "type": "JTI"}))
        .await
        .id();
    assert_eq!(remove_expired(&controller.app).await.unwrap(), 0);
    controller.clock.advance(SignedDuration::from_hours(1));
    let trail = AuditTrail::from_now(&controller);
    assert_eq!(remove_expired(&controller.app).await.unwrap(), 1);
    assert_eq!(
        trail.operations(),
        [("revocation.expire".to_owned(), UUID.to_owned())]
    );
    assert_eq!(remove_expired(&controller.app).await.unwrap(), 0);
    let admin = controller.admin().await;
    assert_eq!(one(&controller, &admin, UUID).await.status, 404);
    assert_eq!(one(&controller, &admin, later).await.status, 200);
}
