//! Configurations and their types.

use crate::support::network::Network;
use http::Method;
use serde_json::{Value, json};

/// What is refused leaves everything as it was, so a list before and after is the same.
async fn everything(network: &Network) -> (Value, Value) {
    (
        network.read("/configs?limit=500").await,
        network.read("/config-types?limit=500").await,
    )
}

#[tokio::test]
async fn every_controller_has_the_types_that_clients_know() {
    let network = Network::new().await;
    let names = network
        .names("/config-types?filter=true%20sort%20by%20name")
        .await;
    assert_eq!(
        names,
        [
            "host.v1",
            "host.v2",
            "intercept.v1",
            "interfaces.v1",
            "proxy.v1",
            "router.link.v1",
            "ziti-tunneler-client.v1",
            "ziti-tunneler-server.v1"
        ]
    );
    let intercept = network.read("/config-types/g7cIWbcGg").await;
    assert_eq!(intercept["name"], "intercept.v1");
    assert_eq!(intercept["schema"]["type"], "object");
    let link = network
        .names(r"/config-types?filter=target%3D%22router%22")
        .await;
    assert_eq!(link, ["router.link.v1"]);
}

#[tokio::test]
async fn configurations_live_through_all_operations() {
    let network = Network::new().await;
    let id = network.host_config("db", json!({"port": 5432.0})).await;
    let path = format!("/configs/{id}");
    let made = network.read(&path).await;
    assert_eq!(
        made["data"]["port"].to_string(),
        "5432",
        "whole numbers are kept as such"
    );
    assert_eq!(made["configType"]["name"], "host.v1");
    assert_eq!(made["configTypeId"], "NH5p4FpGR");

    network.patch(&path, json!({"name": "database"})).await;
    let merged = network.read(&path).await;
    assert_eq!(
        (&merged["name"], &merged["data"]),
        (&json!("database"), &made["data"])
    );

    let data = json!({"protocol": "udp", "address": "dns", "port": 53});
    let body = json!({"name": "dns", "configTypeId": "g7cIWbcGg", "data": data, "tags": {"a": 1}});
    network.send(Method::PUT, &path, &body).await.data();
    let replaced = network.read(&path).await;
    assert_eq!(
        (&replaced["data"], &replaced["tags"]),
        (&data, &json!({"a": 1}))
    );
    assert_eq!(
        replaced["configTypeId"], "NH5p4FpGR",
        "its type never changes"
    );

    network.delete(&path).await;
    let gone = network.refusal(Method::DELETE, &path, json!({})).await;
    assert_eq!(
        gone,
        (
            404,
            "NOT_FOUND".to_owned(),
            format!("config with id {id} not found")
        )
    );
}

#[tokio::test]
async fn what_breaks_its_schema_is_refused_by_the_member() {
    let network = Network::new().await;
    let id = network.host_config("db", json!({})).await;
    let before = everything(&network).await;
    let host = |data: Value| json!({"name": "x", "configTypeId": "NH5p4FpGR", "data": data});
    for (data, field) in [
        (json!({}), "(root)"),
        (
            json!({"protocol": "tcp", "address": "db", "port": "eighty"}),
            "port",
        ),
        (
            json!({"protocol": "icmp", "address": "db", "port": 80}),
            "protocol",
        ),
        (
            json!({"protocol": "tcp", "address": "db", "port": 0.5}),
            "port",
        ),
        (
            json!({"protocol": "tcp", "address": "db", "port": 80, "other": 1}),
            "(root)",
        ),
    ] {
        let refused = network
            .refusal(Method::POST, "/configs", host(data.clone()))
            .await;
        assert_eq!(
            (refused.0, &*refused.1),
            (400, "COULD_NOT_VALIDATE"),
            "{data}"
        );
        assert_eq!(refused.2, field, "{data}");
        for method in [Method::PUT, Method::PATCH] {
            let path = format!("/configs/{id}");
            let refused = network.refusal(method, &path, host(data.clone())).await;
            assert_eq!((refused.0, &*refused.2), (400, field), "{data}");
        }
    }
    for (body, field) in [
        (
            json!({"name": "x", "configTypeId": "nope", "data": {}}),
            "type",
        ),
        (
            json!({"name": "x", "configTypeId": "NH5p4FpGR", "data": "text"}),
            "data",
        ),
        (json!({"name": "x", "configTypeId": "NH5p4FpGR"}), "data"),
        (
            json!({"name": " ", "configTypeId": "interfaces.v1", "data": {"interfaces": ["x"]}}),
            "name",
        ),
        (
            json!({"name": "db", "configTypeId": "NH5p4FpGR",
                   "data": {"protocol": "tcp", "address": "db", "port": 80}}),
            "name",
        ),
    ] {
        let refused = network
            .refusal(Method::POST, "/configs", body.clone())
            .await;
        assert_eq!((refused.0, &*refused.2), (400, field), "{body}");
    }
    assert_eq!(everything(&network).await, before);
}

#[tokio::test]
async fn types_have_schemas_that_hold_from_then_on() {
    let network = Network::new().await;
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let body = json!({"name": "own", "schema": schema, "target": "other"});
    let id = network.make("/config-types", body).await;
    let path = format!("/config-types/{id}");
    let config = json!({"name": "c", "configTypeId": id, "data": {"n": 1}});
    let config = network.make("/configs", config).await;

    let stricter = json!({"type": "object", "required": ["m"]});
    network.patch(&path, json!({"schema": stricter})).await;
    assert_eq!(network.read(&path).await["schema"], stricter);
    let kept = network.read(&format!("/configs/{config}")).await;
    assert_eq!(kept["data"], json!({"n": 1}), "what is there stays");
    network
        .patch(&format!("/configs/{config}"), json!({"name": "d"}))
        .await;
    let config_path = format!("/configs/{config}");
    let refused = network
        .refusal(Method::PATCH, &config_path, json!({"data": {"n": 2}}))
        .await;
    assert_eq!((refused.0, &*refused.2), (400, "(root)"));

    let before = everything(&network).await;
    for (body, field) in [
        (json!({"name": "all"}), "name"),
        (json!({"name": "own"}), "name"),
        (json!({"name": "x", "schema": {"type": "string"}}), "schema"),
        (
            json!({"name": "x", "schema": {"type": "object", "properties": 5}}),
            "schema",
        ),
        (json!({"name": "x", "target": "moon"}), "target"),
    ] {
        let refused = network
            .refusal(Method::POST, "/config-types", body.clone())
            .await;
        assert_eq!((refused.0, &*refused.2), (400, field), "{body}");
    }
    let in_use = network.refusal(Method::DELETE, &path, json!({})).await;
    assert_eq!(
        (in_use.0, &*in_use.1),
        (409, "CAN_NOT_DELETE_REFERENCED_ENTITY")
    );
    assert_eq!(everything(&network).await, before);

    let listed = network.names(&format!("{path}/configs")).await;
    assert_eq!(listed, ["d"]);
    network.delete(&config_path).await;
    network.delete(&path).await;
}

#[tokio::test]
async fn a_configuration_that_is_gone_is_configured_no_more() {
    let network = Network::new().await;
    let config = network.host_config("db", json!({})).await;
    let body = json!({"name": "s", "encryptionRequired": true, "configs": [config]});
    let service = network.make("/services", body).await;
    let listed = network.names(&format!("/configs/{config}/services")).await;
    assert_eq!(listed, ["s"]);
    network.delete(&format!("/configs/{config}")).await;
    let service = network.read(&format!("/services/{service}")).await;
    assert_eq!(service["configs"], Value::Null);
}
