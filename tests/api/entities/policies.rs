//! Policies of three kinds.

use crate::support::lists::{encode, list};
use crate::support::network::{Network, names};
use crate::support::{create, modify_store};
use http::Method;
use portcullis_domain::identity::{Identity, IdentityName};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, IDENTITY, reference};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[tokio::test]
async fn policies_live_through_all_operations_and_show_whom_they_name() {
    let network = Network::new().await;
    let user = create(&network.controller, &network.admin, "ann", json!({})).await;
    let service = network.service("web", &[]).await;
    let (user_role, service_role) = (format!("@{user}"), format!("@{service}"));
    let id = network
        .grant("p", "Dial", (&["#b", &user_role, "#a"], &[&service_role]))
        .await;
    let path = format!("/service-policies/{id}");
    let made = network.read(&path).await;
    assert_eq!(made["identityRoles"], json!(["#a", "#b", user_role]));
    assert_eq!(
        made["identityRolesDisplay"],
        json!([
            {"name": "#a", "role": "#a"}, {"name": "#b", "role": "#b"},
            {"name": "@ann", "role": user_role}
        ])
    );
    assert_eq!(
        made["serviceRolesDisplay"],
        json!([{"name": "@web", "role": service_role}])
    );
    assert_eq!(
        (&made["postureCheckRoles"], &made["type"]),
        (&Value::Null, &json!("Dial"))
    );

    network
        .patch(&path, json!({"semantic": "AllOf", "type": "Bind"}))
        .await;
    let merged = network.read(&path).await;
    assert_eq!(
        (&merged["semantic"], &merged["type"]),
        (&json!("AllOf"), &json!("Bind"))
    );
    assert_eq!(merged["identityRoles"], made["identityRoles"]);

    network.delete(&format!("/identities/{user}")).await;
    let policy = network.read(&path).await;
    assert_eq!(
        policy["identityRoles"],
        json!(["#a", "#b"]),
        "who is gone is named no more"
    );
    network.delete(&path).await;
    assert_eq!(network.get(&path).await.status, 404);
}

#[tokio::test]
async fn selectors_that_select_nothing_known_are_refused() {
    let network = Network::new().await;
    let service = network.service("web", &[]).await;
    let taken = network.grant("taken", "Dial", (&[], &[])).await;
    let user = create(&network.controller, &network.admin, "ann", json!({})).await;
    let before = network.read("/service-policies").await;
    let with = |more: Value| {
        let mut body = json!({"name": "x", "type": "Dial", "semantic": "AnyOf"});
        crate::support::merge(&mut body, more);
        body
    };
    let many: Vec<String> = (0..5_000).map(|number| format!("@gone-{number}")).collect();
    for (more, field) in [
        (json!({"identityRoles": ["plain"]}), "identityRoles"),
        (json!({"identityRoles": ["@nope"]}), "identityRoles"),
        (json!({"identityRoles": ["@ann"]}), "identityRoles"),
        (
            json!({"identityRoles": [format!("@{service}")]}),
            "identityRoles",
        ),
        (
            json!({"serviceRoles": [format!("@{user}")]}),
            "serviceRoles",
        ),
        (json!({"serviceRoles": ["#all", "#web"]}), "serviceRoles"),
        (json!({"serviceRoles": many}), "serviceRoles"),
        (json!({"postureCheckRoles": ["@nope"]}), "postureCheckRoles"),
        (json!({"semantic": "anyof"}), "semantic"),
        (json!({"semantic": null}), "semantic"),
        (json!({"type": "dial"}), "type"),
        (json!({"type": "Invalid"}), "policyType"),
        (json!({"name": "taken"}), "name"),
        (json!({"name": null}), "name"),
    ] {
        let reply = network
            .send(Method::POST, "/service-policies", &with(more.clone()))
            .await;
        assert_eq!(
            reply.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{more}"
        );
        assert_eq!(reply.field(), field);
        assert!(
            reply.text().len() < 1_000,
            "errors do not repeat thousands of ids"
        );
    }
    let path = format!("/service-policies/{taken}");
    let refused = network
        .refusal(Method::PATCH, &path, json!({"identityRoles": ["@nope"]}))
        .await;
    assert_eq!((refused.0, &*refused.2), (400, "identityRoles"));
    for collection in ["/edge-router-policies", "/service-edge-router-policies"] {
        let body = json!({"name": "x", "semantic": "AnyOf", "edgeRouterRoles": ["@nope"]});
        let refused = network.refusal(Method::POST, collection, body).await;
        assert_eq!(
            (refused.0, &*refused.2),
            (400, "edgeRouterRoles"),
            "{collection}"
        );
        assert_eq!(network.read(collection).await, json!([]));
    }
    assert_eq!(network.read("/service-policies").await, before);
}

#[tokio::test]
async fn thousands_may_be_named() {
    let network = Network::new().await;
    let mut roles = Vec::new();
    for number in 0..300 {
        roles.push(format!(
            "@{}",
            network.service(&format!("s{number}"), &[]).await
        ));
    }
    let roles: Vec<&str> = roles.iter().map(String::as_str).collect();
    let id = network.grant("many", "Dial", (&["#all"], &roles)).await;
    let reply = network
        .get(&format!("/service-policies/{id}/services"))
        .await;
    assert_eq!(reply.json()["meta"]["pagination"]["totalCount"], 300);
    assert_eq!(network.services_of(&network.admin).await.len(), 300);
}

#[tokio::test]
async fn lists_are_filtered_by_what_policies_say_and_select() {
    let network = Network::new().await;
    create(
        &network.controller,
        &network.admin,
        "ann",
        json!({"roleAttributes": ["a"]}),
    )
    .await;
    network.service("web", &["w"]).await;
    network.grant("one", "Dial", (&["#a"], &["#w"])).await;
    network.grant("two", "Bind", (&["#b"], &["#all"])).await;
    for (filter, expected) in [
        (r#"type = "Dial""#, &["one"][..]),
        (r##"anyOf(identityRoles) = "#b""##, &["two"]),
        (r##"anyOf(serviceRoles) = "#all""##, &["two"]),
        (
            r#"not isEmpty(from identities where name = "ann")"#,
            &["one"],
        ),
        (
            r#"not isEmpty(from services where name = "web")"#,
            &["one", "two"],
        ),
        (r"isEmpty(identities)", &["two"]),
    ] {
        let filter = format!("{filter} sort by name");
        let parameters = [("filter", filter.as_str())];
        let path = "/service-policies";
        let reply = list(&network.controller, &network.admin, path, &parameters).await;
        assert_eq!(names(&reply.data()), expected, "{filter}");
    }
}

#[tokio::test]
async fn a_filter_demands_the_permission_to_read_what_it_looks_into() {
    let network = Network::new().await;
    network.service("web", &["w"]).await;
    network.grant("one", "Dial", (&["#all"], &["#w"])).await;
    let controller = &network.controller;
    let reader = async |name: &str, permissions: &[&str]| {
        let rights = json!({"permissions": permissions});
        controller.create_user(&network.admin, name, rights).await
    };
    let alone = reader(
        "alone",
        &["service-policy.read", "service.read", "router.read"],
    )
    .await;
    let both = reader(
        "both",
        &[
            "service-policy.read",
            "identity.read",
            "service",
            "config.read",
        ],
    )
    .await;
    let all = reader("readonly", &["admin_readonly"]).await;
    let identities = r#"not isEmpty(from identities where externalId = "x" or true)"#;
    let counted = "count(from identities where isAdmin) > 0 or false";
    let nested = "isEmpty(from services where not isEmpty(from configs where true))";
    for (path, filter, is_free) in [
        ("/service-policies", identities, false),
        ("/service-policies", counted, false),
        ("/service-policies", nested, false),
        (
            "/service-policies",
            "not isEmpty(from services where true)",
            true,
        ),
        ("/service-policies", "count(identities) > 0", false),
        ("/service-policies", r#"anyOf(identities) != "x""#, false),
        ("/service-policies", "isEmpty(identities)", false),
        ("/service-policies", r#"allOf(services) != "x""#, true),
        ("/services", "isEmpty(from configs where true)", false),
        ("/services", "isEmpty(configs)", true),
        ("/edge-routers", "isEmpty(from configs where true)", false),
        (
            "/transit-routers",
            "isEmpty(from configs where true)",
            false,
        ),
    ] {
        let parameters = [("filter", filter)];
        let status = async |session: &str| {
            let reply = list(controller, session, path, &parameters).await;
            reply.status.as_u16()
        };
        let expected = if is_free { 200 } else { 401 };
        assert_eq!(status(&alone).await, expected, "{path} {filter}");
        for session in [&network.admin, &all] {
            assert_eq!(status(session).await, 200, "{path} {filter}");
        }
        if !path.contains("router") {
            assert_eq!(status(&both).await, 200, "{path} {filter}");
        }
    }
    // The lists of one's own are no way around it.
    let filter = encode("isEmpty(from configs where true)");
    for (path, status) in [("/services", 401), ("/current-identity/edge-routers", 400)] {
        let path = format!("{path}?filter={filter}");
        assert_eq!(network.ask(&alone, &path).await.status, status, "{path}");
    }
    let own = format!("/services?filter={filter}");
    let own = network.ask(&both, &own);
    assert_eq!(names(&own.await.data()), ["web"]);
}

/// Makes many identities like one that there is.
async fn crowd(network: &Network, size: usize) {
    let one = create(&network.controller, &network.admin, "one", json!({})).await;
    let engine = &network.controller.engine;
    let numbers: Vec<u64> = (0..size).map(|_| engine.allocate(IDENTITY)).collect();
    modify_store(&network.controller, move |rows| {
        let by_id = reference(&IdentityId::from_wire(one.as_str()));
        let found: Found<Identity> = rows.rows().find(&by_id).unwrap().unwrap();
        for number in &numbers {
            let mut other = found.entity.clone();
            other.id = IdentityId::from_wire(format!("crowd-{number}"));
            other.spec.name = IdentityName::new(format!("crowd-{number}")).unwrap();
            let key = RecordKey::root(IDENTITY, *number);
            rows.insert(&key, &other).unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_filter_over_all_members_of_policies_ends_when_nobody_waits() {
    let network = Arc::new(Network::new().await);
    crowd(&network, 6000).await;
    for number in 0..100 {
        network
            .grant(&format!("p{number}"), "Dial", (&["#all"], &[]))
            .await;
    }
    let filter = encode(r#"isEmpty(from identities where name = "nobody")"#);
    let path = format!("/service-policies?filter={filter}");
    // As many as pages are worked out at a time.
    let lists: Vec<_> = (0..4)
        .map(|_| {
            let (network, path) = (Arc::clone(&network), path.clone());
            tokio::spawn(async move { network.get(&path).await })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    for list in &lists {
        assert!(!list.is_finished(), "it takes longer");
        list.abort();
    }
    let begun = Instant::now();
    assert_eq!(network.get("/services").await.status, 200);
    assert!(begun.elapsed() < Duration::from_secs(2), "it had to wait");
}
