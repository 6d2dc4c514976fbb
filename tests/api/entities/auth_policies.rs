//! Authentication policies: made, changed, in use, and what they mean for those under them.

use crate::support::{
    create, current_session, get, identities_and_enrollments, log_in, merge, revision, shown_error,
};
use http::Method;
use insta::assert_snapshot;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{Harness, PASSWORD, Reply};
use serde_json::{Value, json};

const POLICIES: &str = "/auth-policies";

/// A policy as permissive as the default one.
pub(crate) fn policy(name: &str) -> Value {
    json!({
        "name": name,
        "primary": {
            "cert": {"allowed": true, "allowExpiredCerts": true},
            "extJwt": {"allowed": true, "allowedSigners": []},
            "updb": {
                "allowed": true, "minPasswordLength": 5, "requireSpecialChar": false,
                "requireNumberChar": false, "requireMixedCase": false, "maxAttempts": 0,
                "lockoutDurationMinutes": 0,
            },
        },
        "secondary": {"requireTotp": false, "requireExtJwtSigner": null},
    })
}

async fn send(
    controller: &Harness,
    admin: &str,
    method: Method,
    path: &str,
    body: &Value,
) -> Reply {
    let request = controller.manage(method, path, admin);
    request.json(body).send().await
}

pub(crate) async fn made(controller: &Harness, admin: &str, body: &Value) -> String {
    send(controller, admin, Method::POST, POLICIES, body)
        .await
        .id()
}

pub(crate) async fn patch(controller: &Harness, admin: &str, id: &str, body: Value) -> Reply {
    let path = format!("{POLICIES}/{id}");
    send(controller, admin, Method::PATCH, &path, &body).await
}

async fn delete(controller: &Harness, admin: &str, id: &str) -> Reply {
    let path = format!("{POLICIES}/{id}");
    controller.manage(Method::DELETE, &path, admin).send().await
}

#[tokio::test]
async fn policy_is_made_replaced_merged_and_deleted() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut body = policy("contractors");
    merge(&mut body, json!({"tags": {"a": 1}}));
    let id = made(&controller, &admin, &body).await;
    assert_eq!(id.len(), 22);
    let path = format!("{POLICIES}/{id}");
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(shown["name"], "contractors");
    assert_eq!(shown["tags"], json!({"a": 1}));
    assert_eq!(shown["primary"], body["primary"]);
    assert_eq!(shown["secondary"], json!({"requireTotp": false}));

    // A merge reaches every member by itself, and no other changes.
    let merges = [
        ("/name", json!("renamed")),
        ("/primary/cert/allowed", json!(false)),
        ("/primary/cert/allowExpiredCerts", json!(false)),
        ("/primary/extJwt/allowed", json!(false)),
        ("/primary/updb/allowed", json!(false)),
        ("/primary/updb/minPasswordLength", json!(12)),
        ("/primary/updb/requireSpecialChar", json!(true)),
        ("/primary/updb/requireNumberChar", json!(true)),
        ("/primary/updb/requireMixedCase", json!(true)),
        ("/primary/updb/maxAttempts", json!(7)),
        ("/primary/updb/lockoutDurationMinutes", json!(15)),
        ("/secondary/requireTotp", json!(true)),
        ("/tags", json!({})),
    ];
    let mut expected = shown;
    for (pointer, value) in merges {
        let nested = pointer.split('/').skip(1).collect::<Vec<_>>();
        let change = nested
            .iter()
            .rev()
            .fold(value.clone(), |inner, name| json!({*name: inner}));
        controller.clock.advance(SignedDuration::from_secs(1));
        patch(&controller, &admin, &id, change).await.data();
        let shown = get(&controller, &admin, &path).await.data();
        assert_ne!(shown["updatedAt"], expected["updatedAt"], "{pointer}");
        expected["updatedAt"] = shown["updatedAt"].clone();
        *expected.pointer_mut(pointer).unwrap() = value;
        assert_eq!(shown, expected, "{pointer}");
    }

    send(
        &controller,
        &admin,
        Method::PUT,
        &path,
        &policy("contractors"),
    )
    .await
    .data();
    let shown = get(&controller, &admin, &path).await.data();
    assert_eq!(shown["primary"], policy("")["primary"]);
    assert_eq!(shown["tags"], json!({}));
    delete(&controller, &admin, &id).await.data();
    let gone = delete(&controller, &admin, &id).await;
    assert_eq!(gone.error(), (404, "NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn refusals_name_the_member_and_change_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let taken = made(&controller, &admin, &policy("taken")).await;
    let id = made(&controller, &admin, &policy("mine")).await;
    let at = revision(&controller);
    let one = format!("{POLICIES}/{id}");
    let long = json!({"primary": {"updb": {"minPasswordLength": 101}}});
    let primary = json!({"primary": {"extJwt": {"allowedSigners": ["nope"]}}});
    let secondary = json!({"secondary": {"requireExtJwtSigner": "nope"}});
    let cases = [
        (json!({"name": "taken"}), 400, "name"),
        (json!({"name": ""}), 400, "name"),
        (json!({"name": " \t"}), 400, "name"),
        (long, 400, "primary.updb.minPasswordLength"),
        (primary, 404, "primary.extJwt.allowedExtJwtSigners[0]"),
        (secondary, 404, "secondary.requiredExtJwtSigner"),
        (json!({"tags": {"a": []}}), 400, "tags.a"),
    ];
    for (change, status, field) in cases {
        let mut whole = policy("mine");
        merge_deep(&mut whole, &change);
        let replies = [
            send(&controller, &admin, Method::PUT, &one, &whole).await,
            send(&controller, &admin, Method::PATCH, &one, &change).await,
        ];
        for reply in replies {
            assert_eq!(reply.status, status, "{change}: {}", reply.text());
            assert_eq!(reply.json()["error"]["cause"]["field"], field, "{change}");
        }
        // Made anew, it has to bear another name first.
        if change.get("name").is_none() {
            whole["name"] = json!("fresh");
        }
        let reply = send(&controller, &admin, Method::POST, POLICIES, &whole).await;
        assert_eq!(reply.status, status, "{change}: {}", reply.text());
    }
    assert_eq!(revision(&controller), at);
    // What changes nothing is a success, and its own name is not taken from it.
    patch(&controller, &admin, &id, json!({})).await.data();
    patch(&controller, &admin, &id, json!({"name": null}))
        .await
        .data();
    assert_eq!(revision(&controller), at);
    patch(&controller, &admin, &taken, json!({"name": "taken"}))
        .await
        .data();
}

/// Lays `over` over `under`, object by object.
fn merge_deep(under: &mut Value, over: &Value) {
    match over {
        Value::Object(members) if under.is_object() => {
            for (name, value) in members {
                merge_deep(&mut under[name], value);
            }
        },
        value => *under = value.clone(),
    }
}

#[tokio::test]
async fn policy_in_use_stays_until_nobody_is_under_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = made(&controller, &admin, &policy("used")).await;
    let other = made(&controller, &admin, &policy("other")).await;
    let under = json!({"authPolicyId": id});
    let user = create(&controller, &admin, "user", under.clone()).await;
    let second = create(&controller, &admin, "second", under).await;
    let before = identities_and_enrollments(&controller, &admin).await;
    let refused = delete(&controller, &admin, &id).await;
    assert_snapshot!(shown_error(&refused).replace(&user, "USER"), @r#"
        409 Conflict
        {
          "error": {
            "cause": {
              "field": "authPolicyId",
              "reason": "the auth policy is still used by the identity `user` (USER); change or delete that one first",
              "value": "[USER]"
            },
            "code": "CAN_NOT_DELETE_REFERENCED_ENTITY",
            "message": "The entity is still in use and cannot be deleted; remove what refers to it first",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
    assert_eq!(
        identities_and_enrollments(&controller, &admin).await,
        before
    );

    // Moved to another policy, and deleted: both free it.
    let path = format!("/identities/{user}");
    let moved = controller.manage(Method::PATCH, &path, &admin);
    moved
        .json(&json!({"authPolicyId": other}))
        .send()
        .await
        .data();
    assert_eq!(delete(&controller, &admin, &id).await.error().0, 409);
    let path = format!("/identities/{second}");
    let request = controller.manage(Method::DELETE, &path, &admin);
    request.send().await.data();
    delete(&controller, &admin, &id).await.data();
    assert_eq!(delete(&controller, &admin, &other).await.error().0, 409);
    assert_eq!(
        delete(&controller, &admin, "default").await.error(),
        (409, "CAN_NOT_DELETE_REFERENCED_ENTITY".to_owned())
    );
}

#[tokio::test]
async fn a_policy_and_its_first_identity_never_miss_each_other() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for round in 0..20 {
        let id = made(&controller, &admin, &policy(&format!("p{round}"))).await;
        let name = format!("i{round}");
        let body = json!({"name": name, "isAdmin": false, "authPolicyId": id});
        let request = controller.manage(Method::POST, "/identities", &admin);
        let (created, deleted) =
            tokio::join!(request.json(&body).send(), delete(&controller, &admin, &id));
        match (created.status.as_u16(), deleted.status.as_u16()) {
            (201, 409) | (404, 200) => {},
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn policy_governs_logins_and_living_sessions_at_once() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = made(&controller, &admin, &policy("p")).await;
    let user = controller
        .create_user(&admin, "user", json!({"authPolicyId": id}))
        .await;
    let allow = |allowed: bool| json!({"primary": {"updb": {"allowed": allowed}}});
    patch(&controller, &admin, &id, allow(false)).await.data();
    assert_eq!(current_session(&controller, &user).await.status, 401);
    assert_eq!(
        log_in(&controller, "user").await.error(),
        (401, "INVALID_AUTH".to_owned())
    );
    patch(&controller, &admin, &id, allow(true)).await.data();
    assert_eq!(log_in(&controller, "user").await.status, 200);

    let totp = |required: bool| json!({"secondary": {"requireTotp": required}});
    let user = controller.login("user", PASSWORD).await;
    let own = || {
        controller
            .request(Method::GET, "/current-identity")
            .session(&user)
            .send()
    };
    assert_eq!(own().await.status, 200);
    patch(&controller, &admin, &id, totp(true)).await.data();
    assert_eq!(own().await.status, 401, "partial at once");
    assert_eq!(current_session(&controller, &user).await.status, 200);
    patch(&controller, &admin, &id, totp(false)).await.data();
    assert_eq!(own().await.status, 200);
}

/// It could let the administrators under it in otherwise, or shut them out.
#[tokio::test]
async fn rules_of_a_policy_in_use_are_for_administrators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let helper = json!({"permissions": ["auth-policy"]});
    let helper = controller.create_user(&admin, "helper", helper).await;
    let id = made(&controller, &helper, &policy("p")).await;
    let forbid = json!({"primary": {"updb": {"allowed": false}}});
    let demand = json!({"secondary": {"requireTotp": true}});
    patch(&controller, &helper, &id, forbid.clone())
        .await
        .data();
    patch(
        &controller,
        &helper,
        &id,
        json!({"primary": {"updb": {"allowed": true}}}),
    )
    .await
    .data();
    create(
        &controller,
        &admin,
        "boss",
        json!({"authPolicyId": id, "isAdmin": true}),
    )
    .await;
    let at = revision(&controller);
    let mut whole = policy("p");
    merge(&mut whole, demand.clone());
    let path = format!("{POLICIES}/{id}");
    for reply in [
        patch(&controller, &helper, &id, forbid).await,
        patch(&controller, &helper, &id, demand.clone()).await,
        patch(&controller, &helper, "default", demand.clone()).await,
        send(&controller, &helper, Method::PUT, &path, &whole).await,
    ] {
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()));
    }
    assert_eq!(revision(&controller), at);
    patch(
        &controller,
        &helper,
        &id,
        json!({"name": "called otherwise"}),
    )
    .await
    .data();
    patch(&controller, &admin, &id, demand).await.data();
}
