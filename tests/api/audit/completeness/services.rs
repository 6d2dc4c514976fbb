//! Services, what they are configured by and where they end; revocations.

use super::policies::live;
use super::walk::Walk;
use crate::routers::edge_routers::{add_edge, add_transit};
use http::Method;
use serde_json::json;

pub(super) const CASES: &[&str] = &[
    "edge-management POST /config-types",
    "edge-management PUT /config-types/{id}",
    "edge-management PATCH /config-types/{id}",
    "edge-management DELETE /config-types/{id}",
    "edge-management POST /configs",
    "edge-management PUT /configs/{id}",
    "edge-management PATCH /configs/{id}",
    "edge-management DELETE /configs/{id}",
    "edge-management POST /services",
    "edge-management PUT /services/{id}",
    "edge-management PATCH /services/{id}",
    "edge-management DELETE /services/{id}",
    "edge-management POST /terminators",
    "edge-management PUT /terminators/{id}",
    "edge-management PATCH /terminators/{id}",
    "edge-management DELETE /terminators/{id}",
    "edge-management POST /revocations",
];

#[tokio::test]
async fn services_are_told() {
    let walk = Walk::start().await;
    let types = [
        json!({"name": "t", "schema": {"type": "object"}, "tags": {"a": 1}}),
        json!({"schema": {"type": "object", "required": ["x"]}}),
        json!({"name": "u", "schema": {"type": "object"}}),
    ];
    live(&walk, ("config-type", "/config-types"), &types).await;
    let kind = json!({"name": "kind", "schema": {"type": "object"}});
    let kind = walk
        .make("/config-types", "config-type.create", &kind)
        .await;
    let configs = [
        json!({"name": "c", "configTypeId": kind, "data": {"port": 80, "deep": {"a": [1, 2]}}}),
        json!({"data": {"port": 443, "deep": {"a": [2, 3]}, "new": true}}),
        json!({"name": "d", "data": {}, "tags": {"a": 1}}),
    ];
    live(&walk, ("config", "/configs"), &configs).await;
    let config = json!({"name": "config", "configTypeId": kind, "data": {"port": 80}});
    let config = walk.make("/configs", "config.create", &config).await;
    let services = [
        json!({
            "name": "s", "encryptionRequired": true, "roleAttributes": ["b", "a"],
            "configs": [config], "terminatorStrategy": "sticky", "maxIdleTimeMillis": 5000,
            "tags": {"team": "x"},
        }),
        json!({"encryptionRequired": false, "configs": [], "maxIdleTimeMillis": 0}),
        json!({"name": "t", "encryptionRequired": true}),
    ];
    live(&walk, ("service", "/services"), &services).await;
    terminators(&walk).await;
    let uuid = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";
    let body = json!({"id": uuid, "type": "JTI", "tags": {"a": "b"}});
    walk.make("/revocations", "revocation.create", &body).await;
    walk.finish(CASES);
}

async fn terminators(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let service = json!({"name": "s", "encryptionRequired": false});
    let service = walk.make("/services", "service.create", &service).await;
    let router = add_edge(controller, admin, "r", json!({})).await;
    let other = add_transit(controller, admin, "other", json!({})).await;
    let terminators = [
        json!({
            "service": service, "router": router, "binding": "transport", "identity": "inst",
            "address": "tcp:localhost:80", "cost": 3, "precedence": "required", "tags": {"x": 1},
        }),
        json!({"cost": 7, "router": other}),
        json!({
            "service": service, "router": other, "binding": "udp", "address": "udp:localhost:53",
        }),
    ];
    live(walk, ("terminator", "/terminators"), &terminators).await;
    // What lies under a service goes with it.
    walk.make("/terminators", "terminator.create", &terminators[0])
        .await;
    let request = walk.manage(Method::DELETE, &format!("/services/{service}"));
    let told = walk.tells("service.delete").of(&service);
    told.and(&["terminator.delete"]).send(request).await;
}
