//! Services, as administrators have them.

use crate::support::create;
use crate::support::network::Network;
use http::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn services_live_through_all_operations() {
    let network = Network::new().await;
    let config = network.host_config("db", json!({})).await;
    let body = json!({
        "name": "db", "encryptionRequired": true, "roleAttributes": ["b", "a"],
        "configs": [config], "terminatorStrategy": "sticky", "maxIdleTimeMillis": 5000,
        "tags": {"team": "x"},
    });
    let id = network.make("/services", body).await;
    let path = format!("/services/{id}");
    let made = network.read(&path).await;
    for (member, value) in [
        ("roleAttributes", json!(["a", "b"])),
        ("configs", json!([config])),
        ("terminatorStrategy", json!("sticky")),
        ("maxIdleTimeMillis", json!(5000)),
        ("permissions", json!(["Invalid"])),
        ("tags", json!({"team": "x"})),
    ] {
        assert_eq!(made[member], value, "{member}");
    }
    network
        .patch(&path, json!({"encryptionRequired": false}))
        .await;
    let merged = network.read(&path).await;
    assert_eq!(merged["encryptionRequired"], false);
    assert_eq!(merged["roleAttributes"], made["roleAttributes"]);
    let body = json!({"name": "plain", "encryptionRequired": true});
    network.send(Method::PUT, &path, &body).await.data();
    let replaced = network.read(&path).await;
    assert_eq!(replaced["terminatorStrategy"], "smartrouting");
    assert_eq!(
        (&replaced["configs"], &replaced["roleAttributes"]),
        (&Value::Null, &Value::Null)
    );
    network.delete(&path).await;
    assert_eq!(network.get(&path).await.status, 404);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_name() {
    let network = Network::new().await;
    let id = network.service("taken", &[]).await;
    let host = network.host_config("one", json!({})).await;
    let second = network.host_config("two", json!({})).await;
    let link = json!({"name": "link", "configTypeId": "router.link.v1", "data": {}});
    let link = network.make("/configs", link).await;
    let before = network.read("/services").await;
    let with = |more: Value| {
        let mut body = json!({"name": "x", "encryptionRequired": true});
        crate::support::merge(&mut body, more);
        body
    };
    for (more, status, about) in [
        (json!({"name": "taken"}), 400, "name"),
        (json!({"name": ""}), 400, "name"),
        (
            json!({"encryptionRequired": null}),
            400,
            "encryptionRequired",
        ),
        (json!({"roleAttributes": ["#a"]}), 400, "roleAttributes"),
        (json!({"maxIdleTimeMillis": -1}), 400, "maxIdleTimeMillis"),
        (
            json!({"configs": ["nope"]}),
            404,
            "config with id nope not found",
        ),
        (json!({"configs": [host, second]}), 400, "configs"),
        (json!({"configs": [link]}), 400, "configs"),
        (
            json!({"terminatorStrategy": "Random"}),
            404,
            "unknown terminator strategy \"Random\"; use one of smartrouting, weighted, random, ha, sticky",
        ),
    ] {
        let refused = network
            .refusal(Method::POST, "/services", with(more.clone()))
            .await;
        assert_eq!((refused.0, &*refused.2), (status, about), "{more}");
    }
    let path = format!("/services/{id}");
    let refused = network
        .refusal(Method::PATCH, &path, json!({"configs": [link]}))
        .await;
    assert_eq!((refused.0, &*refused.2), (400, "configs"));
    assert_eq!(network.read("/services").await, before);
}

#[tokio::test]
async fn a_service_that_is_gone_is_named_no_more() {
    let network = Network::new().await;
    let id = network.service("s", &[]).await;
    let named = format!("@{id}");
    let policy = network
        .grant("p", "Dial", (&["#all"], &[&named, "#web"]))
        .await;
    let config = network.host_config("c", json!({})).await;
    let hosting = json!({"serviceHostingCosts": {id.clone(): 7}});
    let user = create(&network.controller, &network.admin, "u", hosting).await;
    let configs = format!("/identities/{user}/service-configs");
    let assigned = json!([{"serviceId": id, "configId": config}]);
    network.send(Method::POST, &configs, &assigned).await.data();

    network.delete(&format!("/services/{id}")).await;
    let policy = network.read(&format!("/service-policies/{policy}")).await;
    assert_eq!(policy["serviceRoles"], json!(["#web"]));
    let user = network.read(&format!("/identities/{user}")).await;
    assert_eq!(user["serviceHostingCosts"], json!({}));
    assert_eq!(network.read(&configs).await, json!([]));
    network.delete(&format!("/configs/{config}")).await;
}

#[tokio::test]
async fn administrators_look_through_the_eyes_of_others() {
    let network = Network::new().await;
    let config = network.host_config("c", json!({})).await;
    let id = network.service("s", &["web"]).await;
    network
        .patch(&format!("/services/{id}"), json!({"configs": [config]}))
        .await;
    let user = json!({"roleAttributes": ["staff"]});
    let user = create(&network.controller, &network.admin, "user", user).await;
    network.grant("p", "Bind", (&["#staff"], &["#web"])).await;
    for (query, permissions) in [
        (String::new(), json!(["Invalid"])),
        (format!("?asIdentity={user}"), json!(["Bind"])),
        ("?asIdentity=user".to_owned(), json!(["Bind"])),
    ] {
        let listed = network.read(&format!("/services{query}")).await;
        assert_eq!(listed[0]["permissions"], permissions, "{query}");
        assert_eq!(listed[0]["config"], json!({}), "{query}");
    }
    assert_eq!(network.get("/services?asIdentity=nobody").await.status, 404);
    for query in [
        "configTypes=all",
        "configTypes=host.v1",
        "configTypes=nope,NH5p4FpGR",
        "configTypes=nope&configTypes=host.v1",
    ] {
        let listed = network.read(&format!("/services?{query}")).await;
        assert_eq!(listed[0]["config"]["host.v1"]["port"], 5432, "{query}");
    }
}

#[tokio::test]
async fn only_administrators_look_through_the_eyes_of_others() {
    let network = Network::new().await;
    network.service("s", &[]).await;
    for permission in ["service", "service.read", "admin_readonly"] {
        let rights = json!({"permissions": [permission]});
        let controller = &network.controller;
        let reader = controller
            .create_user(&network.admin, permission, rights)
            .await;
        let ask = async |query: &str| {
            let path = format!("/services{query}");
            let request = controller.manage(Method::GET, &path, &reader);
            request.send().await.status
        };
        assert_eq!(ask("").await, 200, "{permission}");
        assert_eq!(ask("?asIdentity=").await, 200, "{permission}");
        // Nobody learns that way who is there.
        for named in [permission, "nobody"] {
            let query = format!("?asIdentity={named}");
            assert_eq!(ask(&query).await, 401, "{permission}");
        }
    }
}
