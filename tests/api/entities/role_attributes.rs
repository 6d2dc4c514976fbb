//! The role attributes of identities: which there are, and how often.

use crate::support::lists::{list, pagination};
use crate::support::network::Network;
use crate::support::third_party::{Authority, add_unverified};
use crate::support::{create, revision, send};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

const NAMES: &str = "/identity-role-attributes";
const USAGE: &str = "/identity-role-attribute-usage";

async fn patch(controller: &Harness, admin: &str, id: &str, attributes: Value) {
    let request = controller.manage(Method::PATCH, &format!("/identities/{id}"), admin);
    let reply = request.json(&json!({"roleAttributes": attributes})).send();
    assert_eq!(reply.await.status, 200);
}

async fn all(controller: &Harness, admin: &str) -> Value {
    list(controller, admin, NAMES, &[]).await.data()
}

/// Fourteen attributes of three identities.
async fn attributed() -> (Harness, String, Vec<String>) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let many: Vec<String> = (0..11).map(|number| format!("many{number:02}")).collect();
    let mut ids = Vec::new();
    for (name, attributes) in [
        ("x", json!(["web", "Web", "é", "web"])),
        ("y", json!(["web"])),
        ("z", json!(many)),
    ] {
        let more = json!({"roleAttributes": attributes});
        ids.push(create(&controller, &admin, name, more).await);
    }
    (controller, admin, ids)
}

#[tokio::test]
async fn attributes_are_listed_once_in_order_and_all_of_them() {
    let (controller, admin, _ids) = attributed().await;
    let mut expected = vec!["Web".to_owned()];
    expected.extend((0..11).map(|number| format!("many{number:02}")));
    expected.extend(["web".to_owned(), "é".to_owned()]);
    // Other parameters than the filter are not heard, not even when they make no sense.
    for parameters in [
        &[][..],
        &[("limit", "2")],
        &[("limit", "0"), ("offset", "5"), ("sort", "id desc")],
        &[("limit", "many"), ("offset", "x"), ("sort", "nonsense")],
        &[("roleFilter", "nonsense")],
    ] {
        for path in [NAMES, USAGE] {
            let reply = list(&controller, &admin, path, parameters).await;
            let data = reply.data();
            let given: Vec<_> = data.as_array().unwrap().iter().collect();
            let given: Vec<_> = given
                .iter()
                .map(|one| one.get("roleAttribute").unwrap_or(one))
                .collect();
            assert_eq!(json!(given), json!(expected), "{path} {parameters:?}");
            let everything = json!(i64::MAX);
            assert_eq!(
                pagination(&reply),
                (everything, json!(0), json!(14)),
                "{path} {parameters:?}"
            );
        }
    }
    let reply = list(&controller, &admin, NAMES, &[]).await;
    assert_eq!(reply.json()["meta"]["filterableFields"], json!(["id"]));
}

#[tokio::test]
async fn filters_choose_attributes_and_may_page() {
    let (controller, admin, _ids) = attributed().await;
    for (filter, expected, total) in [
        (r#"id = "web""#, &["web"][..], 1),
        (r#"id contains "eb""#, &["Web", "web"], 2),
        (r#"id icontains "WEB" sort by id desc"#, &["web", "Web"], 2),
        (r#"id < "many01""#, &["Web", "many00"], 2),
        (r#"id in ["é", "web", "nobody"]"#, &["web", "é"], 2),
        (
            r#"id contains "many" skip 3 limit 2"#,
            &["many03", "many04"],
            11,
        ),
        (r#"id contains "many" limit 1"#, &["many00"], 11),
        ("false", &[], 0),
        ("true limit 1", &["Web"], 14),
        ("skip 12", &["web", "é"], 14),
    ] {
        let parameters = [("filter", filter), ("limit", "1"), ("offset", "9")];
        for path in [NAMES, USAGE] {
            let reply = list(&controller, &admin, path, &parameters).await;
            let data = reply.data();
            let given: Vec<_> = data.as_array().unwrap().iter().collect();
            let given: Vec<_> = given
                .iter()
                .map(|one| one.get("roleAttribute").unwrap_or(one))
                .collect();
            assert_eq!(json!(given), json!(expected), "{path} {filter}");
            assert_eq!(pagination(&reply).2, total, "{path} {filter}");
        }
    }
    for filter in [r#"name = "web""#, "id = ", "id", r#"id = "x" sort by name"#] {
        for path in [NAMES, USAGE] {
            let reply = list(&controller, &admin, path, &[("filter", filter)]).await;
            assert_eq!(reply.status, 400, "{path} {filter}");
            assert!(reply.error().1.starts_with("INVALID_"), "{path} {filter}");
        }
    }
}

#[tokio::test]
async fn use_is_counted_and_ids_are_given_on_request() {
    let (controller, admin, ids) = attributed().await;
    let of = async |attribute: &str, with_ids: &str| {
        let filter = format!("id = \"{attribute}\"");
        let parameters = [("filter", &*filter), ("withIds", with_ids)];
        let reply = list(&controller, &admin, USAGE, &parameters).await;
        reply.data()
    };
    let mut both = [ids[0].clone(), ids[1].clone()];
    both.sort();
    let usage = |count: usize, ids: Value, none: Value| {
        json!([{"roleAttribute": "web", "usage": {
            "identities": {"count": count, "ids": ids},
            "servicePolicies": {"count": 0, "ids": none},
            "edgeRouterPolicies": {"count": 0, "ids": none},
        }}])
    };
    assert_eq!(of("web", "true").await, usage(2, json!(both), json!([])));
    assert_eq!(of("web", "1").await, of("web", "TRUE").await);
    for without in ["false", "", "0", "nonsense"] {
        assert_eq!(of("web", without).await, usage(2, json!(null), json!(null)));
    }
    patch(&controller, &admin, &ids[0], json!([])).await;
    let left = usage(1, json!([ids[1]]), json!([]));
    assert_eq!(of("web", "true").await, left);
}

#[tokio::test]
async fn ids_of_policies_are_for_those_who_may_read_policies() {
    let (controller, admin, _ids) = attributed().await;
    let policy = json!({
        "name": "all", "type": "Dial", "semantic": "AnyOf", "identityRoles": ["#web"],
    });
    let made = send(
        &controller,
        &admin,
        (Method::POST, "/service-policies"),
        &policy,
    )
    .await;
    let policy = made.id();
    for (permissions, ids) in [
        (json!(["identity.read"]), json!(null)),
        (
            json!(["identity.read", "edge-router-policy.read"]),
            json!(null),
        ),
        (
            json!(["identity.read", "service-policy.read"]),
            json!([policy]),
        ),
        (json!(["admin_readonly"]), json!([policy])),
    ] {
        let more = json!({"permissions": permissions});
        let reader = controller
            .create_user(&admin, &permissions.to_string(), more)
            .await;
        let parameters = [("filter", "id = \"web\""), ("withIds", "true")];
        let usage = list(&controller, &reader, USAGE, &parameters).await.data();
        let usage = &usage[0]["usage"];
        assert_eq!(usage["servicePolicies"]["count"], 1);
        assert_eq!(usage["servicePolicies"]["ids"], ids, "{permissions}");
        assert_eq!(usage["identities"]["ids"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn use_shows_attributes_that_only_policies_name() {
    let network = Network::new().await;
    let (controller, admin) = (&network.controller, &network.admin);
    let more = json!({"roleAttributes": ["b", "d"]});
    create(controller, admin, "x", more).await;
    let service = json!({"name": "p", "type": "Dial", "semantic": "AllOf",
        "identityRoles": ["#c", "#b", "#e"], "serviceRoles": ["#s"], "postureCheckRoles": ["#k"]});
    let policy = network.make("/service-policies", service).await;
    let router = json!({"name": "q", "semantic": "AnyOf",
        "identityRoles": ["#a"], "edgeRouterRoles": ["#r"]});
    network.make("/edge-router-policies", router).await;
    let named = async |path: &str, filter: &str| {
        let reply = list(controller, admin, path, &[("filter", filter)]).await;
        let data = reply.data();
        let names = data.as_array().unwrap().iter();
        let names: Vec<_> = names.map(|one| one["roleAttribute"].clone()).collect();
        (json!(names), pagination(&reply).2)
    };
    let total = |names: Value, total: u64| (names, json!(total));
    for (filter, expected) in [
        ("true", total(json!(["a", "b", "c", "d", "e"]), 5)),
        (
            "true sort by id desc skip 1 limit 2",
            total(json!(["d", "c"]), 5),
        ),
        (r#"id > "b" limit 1"#, total(json!(["c"]), 3)),
    ] {
        assert_eq!(named(USAGE, filter).await, expected, "{filter}");
    }
    for (kind, expected) in [
        ("service", json!(["s"])),
        ("posture-check", json!(["k"])),
        ("edge-router", json!(["r"])),
    ] {
        let path = format!("/{kind}-role-attribute-usage");
        assert_eq!(named(&path, "true").await.0, expected, "{kind}");
    }
    let parameters = [("filter", r#"id = "c""#), ("withIds", "true")];
    let usage = list(controller, admin, USAGE, &parameters).await.data();
    let expected = json!({
        "identities": {"count": 0, "ids": []},
        "servicePolicies": {"count": 1, "ids": [policy]},
        "edgeRouterPolicies": {"count": 0, "ids": []},
    });
    assert_eq!(usage[0]["usage"], expected);
    assert_eq!(
        all(controller, admin).await,
        json!(["b", "d"]),
        "those carried"
    );
    network.delete(&format!("/service-policies/{policy}")).await;
    assert_eq!(named(USAGE, "true").await.0, json!(["a", "b", "d"]));
}

#[tokio::test]
async fn attribute_is_gone_with_its_last_user() {
    let (controller, admin, ids) = attributed().await;
    patch(&controller, &admin, &ids[2], json!(["web"])).await;
    assert_eq!(all(&controller, &admin).await, json!(["Web", "web", "é"]));
    patch(&controller, &admin, &ids[0], json!(["new"])).await;
    assert_eq!(all(&controller, &admin).await, json!(["new", "web"]));
    for (id, left) in [
        (&ids[1], json!(["new", "web"])),
        (&ids[2], json!(["new"])),
        (&ids[0], json!([])),
    ] {
        let request = controller.manage(Method::DELETE, &format!("/identities/{id}"), &admin);
        assert_eq!(request.send().await.status, 200);
        assert_eq!(all(&controller, &admin).await, left);
        let usage = list(&controller, &admin, USAGE, &[]).await;
        assert_eq!(pagination(&usage).2, left.as_array().unwrap().len());
    }
    // What comes back is there again.
    let more = json!({"roleAttributes": ["web"]});
    create(&controller, &admin, "again", more).await;
    assert_eq!(all(&controller, &admin).await, json!(["web"]));
}

#[tokio::test]
async fn nothing_is_no_role_attribute() {
    let network = Network::new().await;
    let (controller, admin) = (&network.controller, &network.admin);
    let id = create(controller, admin, "ann", json!({})).await;
    let root = Authority::root("partner");
    let ca = add_unverified(controller, admin, ("partner", &root), json!({})).await;
    let at = revision(controller);
    let attributes = json!({"name": "x", "roleAttributes": ["a", ""], "typeId": "MFA",
        "isAdmin": false, "encryptionRequired": true});
    for collection in ["identities", "services", "edge-routers", "posture-checks"] {
        let path = format!("/{collection}");
        let refused = network.refusal(Method::POST, &path, attributes.clone());
        assert_eq!(refused.await, invalid("roleAttributes"), "{collection}");
    }
    for (path, field) in [
        (format!("/identities/{id}"), "roleAttributes"),
        (format!("/cas/{ca}"), "identityRoles"),
    ] {
        let refused = network.refusal(Method::PATCH, &path, json!({field: [""]}));
        assert_eq!(refused.await, invalid(field), "{path}");
    }
    assert_eq!(revision(controller), at);
}

#[tokio::test]
async fn a_mark_is_no_selector() {
    let network = Network::new().await;
    let at = revision(&network.controller);
    for (path, fields) in [
        (
            "/service-policies",
            &["identityRoles", "serviceRoles", "postureCheckRoles"][..],
        ),
        (
            "/edge-router-policies",
            &["identityRoles", "edgeRouterRoles"],
        ),
        (
            "/service-edge-router-policies",
            &["serviceRoles", "edgeRouterRoles"],
        ),
    ] {
        for (field, mark) in fields.iter().flat_map(|field| [(field, "#"), (field, "@")]) {
            let mut body = json!({"name": "p", "type": "Dial", "semantic": "AnyOf"});
            body[field] = json!(["#a", mark]);
            let refused = network.refusal(Method::POST, path, body).await;
            assert_eq!(refused, invalid(field), "{path} {mark}");
        }
    }
    assert_eq!(revision(&network.controller), at);
}

/// How a fault of a member is answered.
fn invalid(field: &str) -> (u16, String, String) {
    (400, "COULD_NOT_VALIDATE".to_owned(), field.to_owned())
}
