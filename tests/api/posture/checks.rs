//! Posture checks and the types that they may have.

use crate::support::get;
use crate::support::posture::PostureFixture;
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

const ALL: &str = "/posture-checks";

/// One of each type.
fn one_of_each() -> [Value; 6] {
    let process = json!({"osType": "Linux", "path": "/bin/x", "hashes": ["aabb"]});
    [
        json!({"typeId": "OS", "operatingSystems": [{"type": "Linux", "versions": [">=5.0.0"]}]}),
        json!({"typeId": "DOMAIN", "domains": ["a.example.test"]}),
        json!({"typeId": "MAC", "macAddresses": ["00:11:22:33:44:55"]}),
        json!({"typeId": "MFA", "timeoutSeconds": 60, "promptOnWake": true}),
        json!({"typeId": "PROCESS", "process": process}),
        json!({"typeId": "PROCESS_MULTI", "semantic": "AllOf", "processes": [process]}),
    ]
}

#[tokio::test]
async fn checks_of_each_type_are_made_read_merged_and_deleted() {
    let stage = PostureFixture::new().await;
    for (number, check) in one_of_each().into_iter().enumerate() {
        let kind = check["typeId"].clone();
        let id = stage.check(&format!("check {number}"), check).await;
        let path = format!("{ALL}/{id}");
        let merge = json!({"typeId": kind, "roleAttributes": ["laptop"]});
        let reply = stage.administer(Method::PATCH, &path, &merge).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let shown = get(&stage.controller, &stage.admin, &path).await.data();
        assert_eq!((&shown["typeId"], &shown["version"]), (&kind, &json!(1)));
        assert_eq!(shown["roleAttributes"], json!(["laptop"]));
        let other = if kind == "MFA" { "MAC" } else { "MFA" };
        let merge = json!({"typeId": other, "name": "other"});
        let reply = stage.administer(Method::PATCH, &path, &merge).await;
        assert_eq!(reply.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
        let again = get(&stage.controller, &stage.admin, &path).await.data();
        assert_eq!(again, shown, "a type stays");
        let role = format!("{ALL}?roleFilter=%23laptop&roleFilter=%23none");
        let listed = get(&stage.controller, &stage.admin, &role).await.data();
        assert_eq!(listed, json!([]));
        let role = format!("{ALL}?roleFilter=%23laptop");
        let listed = get(&stage.controller, &stage.admin, &role).await.data();
        assert_eq!(listed, json!([shown]));
        for status in [200, 404] {
            let reply = stage.administer(Method::DELETE, &path, &Value::Null).await;
            assert_eq!(reply.status, status);
        }
    }
}

#[tokio::test]
async fn a_merge_of_the_type_alone_leaves_no_trace() {
    let stage = PostureFixture::new().await;
    for (number, check) in one_of_each().into_iter().enumerate() {
        let kind = check["typeId"].clone();
        let id = stage.check(&format!("check {number}"), check).await;
        let path = format!("{ALL}/{id}");
        let before = get(&stage.controller, &stage.admin, &path).await.data();
        stage.controller.clock.advance(SignedDuration::from_mins(1));
        for merge in [
            json!({"typeId": kind}),
            json!({"typeId": kind, "name": null}),
        ] {
            let reply = stage.administer(Method::PATCH, &path, &merge).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
        }
        let after = get(&stage.controller, &stage.admin, &path).await.data();
        assert_eq!(after, before, "{kind}");
        let other = if kind == "MFA" { "MAC" } else { "MFA" };
        let merge = json!({"typeId": other});
        let refused = stage.administer(Method::PATCH, &path, &merge).await;
        assert_eq!(refused.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
    }
    let unknown = format!("{ALL}/nope");
    let merge = json!({"typeId": "MFA"});
    let reply = stage.administer(Method::PATCH, &unknown, &merge).await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn names_are_taken_once_and_faults_are_named() {
    let stage = PostureFixture::new().await;
    let check = json!({"typeId": "MFA"});
    let id = stage.check("code", check.clone()).await;
    let faulty = [
        ("name", json!({"name": "code", "typeId": "MFA"})),
        ("name", json!({"name": "", "typeId": "MFA"})),
        ("typeId", json!({"name": "x"})),
        (
            "domains",
            json!({"name": "x", "typeId": "DOMAIN", "domains": []}),
        ),
        ("operatingSystems", json!({"name": "x", "typeId": "OS"})),
    ];
    for (field, body) in faulty {
        let reply = stage.administer(Method::POST, ALL, &body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.field()),
            (400, field.into()),
            "{body}"
        );
    }
    let range = json!({"name": "x", "typeId": "OS", "operatingSystems": [
        {"type": "Linux", "versions": ["five"]}
    ]});
    assert_eq!(
        stage.administer(Method::POST, ALL, &range).await.status,
        400
    );
    let listed = get(&stage.controller, &stage.admin, ALL).await.data();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["id"], json!(id));
}

#[tokio::test]
async fn policies_forget_a_check_that_is_deleted() {
    let (stage, check) = PostureFixture::checked(json!({"typeId": "MFA"})).await;
    assert!(!stage.can_dial(&stage.person.session).await);
    let path = format!("{ALL}/{check}");
    let reply = stage.administer(Method::DELETE, &path, &Value::Null).await;
    assert_eq!(reply.status, 200);
    assert!(stage.can_dial(&stage.person.session).await);
    let policies = get(&stage.controller, &stage.admin, "/service-policies").await;
    assert_eq!(policies.data()[0]["postureCheckRoles"], Value::Null);
}

#[tokio::test]
async fn types_are_listed_to_every_full_session() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "user", json!({})).await;
    let types = get(&controller, &user, "/posture-check-types?sort=id")
        .await
        .data();
    let ids: Vec<_> = types
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(ids, ["DOMAIN", "MAC", "OS", "PROCESS", "PROCESS_MULTI"]);
    let one = get(&controller, &user, "/posture-check-types/OS")
        .await
        .data();
    assert_eq!(one, types[2]);
    let none = get(&controller, &user, "/posture-check-types/MFA").await;
    assert_eq!(none.error(), (404, "NOT_FOUND".to_owned()));
}
