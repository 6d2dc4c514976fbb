//! Edge routers that are tunnelers too.

use crate::routers::edge_routers::{add_edge, edge};
use crate::support::idp::{Idp, log_in_with};
use crate::support::third_party::{Authority, add as add_authority, common_name_claim};
use crate::support::{create, edit_entity, get, log_in_by_certificate, revision, send};
use http::Method;
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::Harness;
use serde_json::json;

async fn status(controller: &Harness, admin: &str, path: &str) -> u16 {
    get(controller, admin, path).await.status.as_u16()
}

async fn patch(
    controller: &Harness,
    admin: &str,
    id: &str,
    body: serde_json::Value,
) -> portcullis_testkit::Reply {
    let one = format!("/edge-routers/{id}");
    send(controller, admin, (Method::PATCH, &one), &body).await
}

#[tokio::test]
async fn identity_and_policy_come_and_go_with_the_tunneler() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let identity = format!("/identities/{id}");
    let policy = format!("/edge-router-policies/{id}");
    for is_tunneler in [true, false, true] {
        let body = json!({"isTunnelerEnabled": is_tunneler});
        assert_eq!(patch(&controller, &admin, &id, body).await.status, 200);
        let expected = if is_tunneler { 200 } else { 404 };
        for path in [&identity, &policy] {
            assert_eq!(status(&controller, &admin, path).await, expected, "{path}");
        }
    }
    let shown = get(&controller, &admin, &identity).await.data();
    assert_eq!(
        (&shown["name"], &shown["typeId"]),
        (&json!("r"), &json!("Router"))
    );
    let shown = get(&controller, &admin, &policy).await.data();
    assert_eq!(shown["isSystem"], true);
    assert_eq!(shown["identityRoles"], json!([format!("@{id}")]));
    assert_eq!(shown["edgeRouterRoles"], json!([format!("@{id}")]));
    for method in [Method::PATCH, Method::DELETE] {
        let reply = send(
            &controller,
            &admin,
            (method.clone(), &policy),
            &json!({"name": "x"}),
        )
        .await;
        assert_eq!(reply.status, 400, "{method}");
    }

    // What names the identity forgets it when the router goes.
    let named = json!({
        "name": "p", "semantic": "AnyOf", "identityRoles": [format!("@{id}"), "#x"], "edgeRouterRoles": ["#all"],
    });
    let named = send(
        &controller,
        &admin,
        (Method::POST, "/edge-router-policies"),
        &named,
    )
    .await
    .id();
    let one = format!("/edge-routers/{id}");
    assert_eq!(
        controller
            .manage(Method::DELETE, &one, &admin)
            .send()
            .await
            .status,
        200
    );
    for path in [&identity, &policy, &one] {
        assert_eq!(status(&controller, &admin, path).await, 404, "{path}");
    }
    let named = get(
        &controller,
        &admin,
        &format!("/edge-router-policies/{named}"),
    )
    .await
    .data();
    assert_eq!(named["identityRoles"], json!(["#x"]));
}

#[tokio::test]
async fn the_identity_bears_the_name_of_the_router() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({"isTunnelerEnabled": true})).await;
    let identity = format!("/identities/{id}");
    assert_eq!(
        patch(&controller, &admin, &id, json!({"name": "s"}))
            .await
            .status,
        200
    );
    assert_eq!(
        get(&controller, &admin, &identity).await.data()["name"],
        "s"
    );
    let body = json!({"name": "other"});
    let reply = send(&controller, &admin, (Method::PATCH, &identity), &body).await;
    assert_eq!((reply.status.as_u16(), &*reply.field()), (400, "name"));
    assert_eq!(
        get(&controller, &admin, &identity).await.data()["name"],
        "s"
    );
}

#[tokio::test]
async fn a_name_that_an_identity_has_is_refused_and_nothing_changes() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    create(&controller, &admin, "taken", json!({})).await;
    let id = add_edge(&controller, &admin, "r", json!({"isTunnelerEnabled": true})).await;
    let plain = add_edge(&controller, &admin, "taken", json!({})).await;
    let before = (revision(&controller), edge(&controller, &admin, &id).await);
    let body = json!({"name": "taken too", "isTunnelerEnabled": true});
    create(&controller, &admin, "taken too", json!({})).await;
    for reply in [
        send(&controller, &admin, (Method::POST, "/edge-routers"), &body).await,
        patch(&controller, &admin, &id, json!({"name": "taken too"})).await,
        patch(
            &controller,
            &admin,
            &plain,
            json!({"isTunnelerEnabled": true}),
        )
        .await,
    ] {
        assert_eq!(reply.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
        assert_eq!(reply.field(), "name");
    }
    let after = (revision(&controller), edge(&controller, &admin, &id).await);
    assert_eq!((before.0 + 1, before.1), after);
}

#[tokio::test]
async fn the_identity_of_a_router_is_not_deleted_by_itself() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({"isTunnelerEnabled": true})).await;
    let identity = format!("/identities/{id}");
    let before = revision(&controller);
    let reply = controller
        .manage(Method::DELETE, &identity, &admin)
        .send()
        .await;
    assert_eq!(reply.error(), (400, "ENTITY_CAN_NOT_BE_DELETED".to_owned()));
    let body =
        json!({"method": "updb", "identityId": id, "username": "user-1", "password": "secret-1"});
    let reply = send(
        &controller,
        &admin,
        (Method::POST, "/authenticators"),
        &body,
    )
    .await;
    assert_eq!(
        (reply.status.as_u16(), &*reply.field()),
        (400, "identityId")
    );
    let body = json!({
        "method": "updb", "identityId": id, "username": "user-1",
        "expiresAt": "2040-01-01T00:00:00Z",
    });
    let route = (Method::POST, "/enrollments");
    let reply = send(&controller, &admin, route, &body).await;
    assert_eq!(
        (reply.status.as_u16(), &*reply.field()),
        (400, "identityId"),
        "an enrollment would make the authenticator"
    );
    assert_eq!(revision(&controller), before);
}

#[tokio::test]
async fn a_replacement_without_the_flag_makes_it_an_ordinary_router() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({"isTunnelerEnabled": true})).await;
    let one = format!("/edge-routers/{id}");
    let reply = send(
        &controller,
        &admin,
        (Method::PUT, &one),
        &json!({"name": "r"}),
    )
    .await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        status(&controller, &admin, &format!("/identities/{id}")).await,
        404
    );
    assert_eq!(
        edge(&controller, &admin, &id).await["isTunnelerEnabled"],
        false
    );
}

#[tokio::test]
async fn who_changes_routers_does_not_touch_an_administrator() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let rights = json!({"permissions": ["router", "identity"]});
    let operator = controller.create_user(&admin, "operator", rights).await;
    let id = add_edge(&controller, &admin, "r", json!({"isTunnelerEnabled": true})).await;
    let (one, identity) = (format!("/edge-routers/{id}"), format!("/identities/{id}"));
    let is_admin = |is_admin: bool| json!({"isAdmin": is_admin});
    let route = (Method::PATCH, &*identity);
    let reply = send(&controller, &admin, route.clone(), &is_admin(true)).await;
    assert_eq!(reply.status, 200);
    let before = revision(&controller);
    let renamed = json!({"name": "s"});
    let refused = send(&controller, &operator, route.clone(), &renamed).await;
    for (method, body) in [
        (Method::DELETE, json!({})),
        (Method::PATCH, json!({"isTunnelerEnabled": false})),
        (Method::PUT, json!({"name": "r"})),
        (Method::PATCH, renamed),
    ] {
        let reply = send(&controller, &operator, (method.clone(), &*one), &body).await;
        assert_eq!(reply.status, 401, "{method} {body}");
        let causes = [reply, refused.clone()].map(|reply| reply.json()["error"]["cause"].clone());
        assert_eq!(causes[0], causes[1], "{method} {body}");
    }
    assert_eq!(revision(&controller), before);
    let cost = json!({"cost": 5});
    let reply = send(&controller, &operator, (Method::PATCH, &*one), &cost).await;
    assert_eq!(
        reply.status, 200,
        "what does not touch the identity is free"
    );
    send(&controller, &admin, route, &is_admin(false)).await;
    let deleted = send(&controller, &operator, (Method::DELETE, &*one), &json!({})).await;
    assert_eq!(deleted.status, 200);
    assert_eq!(status(&controller, &admin, &identity).await, 404);
}

/// Whoever has a certificate or token with an external id would be the router's identity.
#[tokio::test]
async fn the_identity_of_a_router_has_no_external_id() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let tunneler = json!({"isTunnelerEnabled": true});
    let id = add_edge(&controller, &admin, "r", tunneler).await;
    let path = format!("/identities/{id}");
    let at = revision(&controller);
    let external = json!({"externalId": "router"});
    let reply = send(&controller, &admin, (Method::PATCH, &path), &external).await;
    assert_eq!(reply.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
    assert_eq!(reply.field(), "externalId");
    assert_eq!(revision(&controller), at);

    // One from before lets nobody in, and can be taken away.
    edit_entity::<Identity, _>(&controller, UniqueIndex::IdentityId, &id, |identity| {
        identity.spec.external_id = Some("router".to_owned());
    })
    .await;
    let authority = Authority::root("corporate");
    let claim = common_name_claim();
    add_authority(&controller, &admin, ("corporate", &authority), claim).await;
    let refused = log_in_by_certificate(&controller, &authority.chain("router")).await;
    assert_eq!(refused.status, 401, "{}", refused.text());
    let idp = Idp::new(&controller, "idp");
    idp.register(&controller, &admin, json!({"useExternalId": false}))
        .await;
    let refused = log_in_with(&controller, &[&idp.token(&controller, &id)]).await;
    assert_eq!(refused.status, 401, "{}", refused.text());
    let gone = json!({"externalId": null});
    let reply = send(&controller, &admin, (Method::PATCH, &path), &gone).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}
