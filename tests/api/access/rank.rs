//! What callers below an administrator may not do to one, whatever their permissions.

use crate::support::{create, get, merge, pending_enrollment, read, revision};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

#[tokio::test]
async fn callers_below_an_administrator_cannot_make_or_touch_one() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let helper = json!({"permissions": ["identity", "enrollment"]});
    let helper = controller.create_user(&admin, "helper", helper).await;
    let make = |name: &str, more: Value| {
        let mut body = json!({"name": name, "isAdmin": false, "enrollment": {"ott": true}});
        merge(&mut body, more);
        let request = controller.manage(Method::POST, "/identities", &admin);
        let controller = &controller;
        let admin = &admin;
        async move {
            let id = request.json(&body).send().await.id();
            let pending = pending_enrollment(controller, admin, &id, "ott").await;
            (id, pending["id"].as_str().unwrap().to_owned())
        }
    };
    let (boss, boss_enrollment) = make("boss", json!({"isAdmin": true})).await;
    let (peer, peer_enrollment) = make("peer", json!({})).await;
    let bare = create(&controller, &admin, "bare boss", json!({"isAdmin": true}));
    let bare = bare.await;
    let later = "2040-01-01T00:00:00Z";
    let at = revision(&controller);
    for (method, path, body) in [
        (
            Method::POST,
            "/identities".to_owned(),
            json!({"name": "n", "isAdmin": true}),
        ),
        (
            Method::POST,
            "/identities".to_owned(),
            json!({"name": "n", "isAdmin": false, "permissions": []}),
        ),
        (
            Method::POST,
            "/identities".to_owned(),
            json!({"name": "n", "isAdmin": false, "permissions": ["ca"]}),
        ),
        (
            Method::PUT,
            format!("/identities/{peer}"),
            json!({"name": "peer", "type": "Default", "isAdmin": false}),
        ),
        (
            Method::PATCH,
            format!("/identities/{peer}"),
            json!({"isAdmin": true}),
        ),
        (
            Method::PATCH,
            format!("/identities/{peer}"),
            json!({"isAdmin": false}),
        ),
        (
            Method::PATCH,
            format!("/identities/{peer}"),
            json!({"isDefaultAdmin": true}),
        ),
        (
            Method::PATCH,
            format!("/identities/{peer}"),
            json!({"permissions": ["ca"]}),
        ),
        (
            Method::PATCH,
            format!("/identities/{boss}"),
            json!({"name": "servant"}),
        ),
        (
            Method::POST,
            format!("/identities/{boss}/disable"),
            json!({"durationMinutes": 1}),
        ),
        (
            Method::POST,
            format!("/identities/{boss}/enable"),
            json!({}),
        ),
        (Method::DELETE, format!("/identities/{boss}"), json!({})),
        (
            Method::GET,
            format!("/enrollments/{boss_enrollment}"),
            json!({}),
        ),
        (
            Method::DELETE,
            format!("/enrollments/{boss_enrollment}"),
            json!({}),
        ),
        (
            Method::POST,
            format!("/enrollments/{boss_enrollment}/refresh"),
            json!({"expiresAt": later}),
        ),
        (
            Method::POST,
            "/enrollments".to_owned(),
            json!({"identityId": bare, "method": "ott", "expiresAt": later}),
        ),
    ] {
        let request = controller.manage(method.clone(), &path, &helper);
        let reply = request.json(&body).send().await;
        let what = format!("{method} {path} {body}: {}", reply.text());
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()), "{what}");
        assert_eq!(
            reply.json()["error"]["cause"]["code"],
            "UNHANDLED",
            "{what}"
        );
    }
    assert_eq!(revision(&controller), at);

    // What a token would open is not shown either, wherever it could be read.
    let listed = get(&controller, &helper, "/enrollments").await;
    let ids: Vec<_> = listed
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    assert_eq!(ids, [json!(peer_enrollment)]);
    assert_eq!(listed.json()["meta"]["pagination"]["totalCount"], 1);
    let path = format!("/identities/{boss}/enrollments");
    let listed = get(&controller, &helper, &path).await;
    assert_eq!(listed.data(), json!([]));
    let shown = read(&controller, &helper, &boss).await;
    assert_eq!(
        shown["enrollment"],
        json!({}),
        "an administrator's token makes an administrator"
    );
    let listed = get(&controller, &helper, "/identities?filter=name%3D%22boss%22").await;
    assert_eq!(listed.data()[0]["enrollment"], json!({}));
    let shown = read(&controller, &helper, &peer).await;
    assert!(shown["enrollment"]["ott"]["token"].is_string());
    let shown = read(&controller, &admin, &boss).await;
    assert!(shown["enrollment"]["ott"]["token"].is_string());
}

#[tokio::test]
async fn sessions_of_administrators_are_ended_by_administrators_alone() {
    let stage = crate::support::posture::PostureFixture::new().await;
    let (controller, admin) = (&stage.controller, &stage.admin);
    let boss = controller
        .create_user(admin, "boss", json!({"isAdmin": true}))
        .await;
    let policy = json!({
        "name": "everybody", "type": "Dial", "semantic": "AnyOf",
        "identityRoles": ["#all"], "serviceRoles": ["#all"],
    });
    stage.create("/service-policies", policy).await;
    let service = stage.connect(&boss, "Dial").await.data();
    let service = service["id"].as_str().unwrap();
    let everything: Vec<_> = portcullis_domain::permission::Permission::grantable()
        .map(|permission| permission.to_string())
        .collect();
    for (number, permissions) in [json!(["ops"]), json!(["ops.delete"]), json!(everything)]
        .into_iter()
        .enumerate()
    {
        let name = format!("operator {number}");
        let operator = json!({"permissions": permissions});
        let operator = controller.create_user(admin, &name, operator).await;
        let at = revision(controller);
        let mut ids = vec![format!("/sessions/{service}")];
        for token in [admin, &boss] {
            let session = crate::support::current_session(controller, token)
                .await
                .data();
            ids.push(format!("/api-sessions/{}", session["id"].as_str().unwrap()));
        }
        for path in &ids {
            let reply = controller
                .manage(Method::DELETE, path, &operator)
                .send()
                .await;
            let expected = (401, "UNAUTHORIZED".to_owned());
            assert_eq!(reply.error(), expected, "{permissions}: {path}");
        }
        assert_eq!(revision(controller), at);
        let name = format!("plain {number}");
        let plain = controller.create_user(admin, &name, json!({})).await;
        let session = crate::support::current_session(controller, &plain)
            .await
            .data();
        let path = format!("/api-sessions/{}", session["id"].as_str().unwrap());
        let ended = controller
            .manage(Method::DELETE, &path, &operator)
            .send()
            .await;
        assert_eq!(ended.status, 200, "{permissions}: {}", ended.text());
    }
    let path = format!("/sessions/{service}");
    let ended = controller.manage(Method::DELETE, &path, admin).send();
    let ended = ended.await;
    assert_eq!(ended.status, 200, "{}", ended.text());
}

/// A stolen session is not to stay in, nor to shed what the policy demands.
#[tokio::test]
async fn ways_in_to_oneself_are_for_administrators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    crate::support::add_strict_policy(&controller).await;
    let permissions = json!({"permissions": ["identity", "enrollment"]});
    let helper = controller.create_user(&admin, "helper", permissions).await;
    let id = crate::support::find_identity_id(&controller, &admin, "helper").await;
    let path = format!("/identities/{id}");
    let later = "2040-01-01T00:00:00Z";
    let at = revision(&controller);
    for (method, path, body) in [
        (Method::PATCH, &*path, json!({"externalId": "thief"})),
        (Method::PATCH, &*path, json!({"authPolicyId": "strict"})),
        (
            Method::POST,
            "/enrollments",
            json!({"identityId": id, "method": "ott", "expiresAt": later}),
        ),
    ] {
        let request = controller.manage(method, path, &helper);
        let reply = request.json(&body).send().await;
        assert_eq!(reply.error(), (401, "UNAUTHORIZED".to_owned()), "{body}");
        assert_eq!(revision(&controller), at, "{body}");
    }
    let renamed = controller.manage(Method::PATCH, &path, &helper);
    let renamed = renamed.json(&json!({"name": "renamed"})).send().await;
    assert_eq!(renamed.status, 200, "a name is no way in");
}
