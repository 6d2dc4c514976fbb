//! Identities.

use super::walk::Walk;
use crate::support::mfa::enroll;
use crate::support::{create, merge, ott_enrollment};
use http::Method;
use serde_json::json;

pub(super) const CASES: &[&str] = &[
    "edge-management POST /identities",
    "edge-management PUT /identities/{id}",
    "edge-management PATCH /identities/{id}",
    "edge-management DELETE /identities/{id}",
    "edge-management POST /identities/{id}/disable",
    "edge-management POST /identities/{id}/enable",
    "edge-management POST /identities/{id}/service-configs",
    "edge-management DELETE /identities/{id}/service-configs",
    "edge-management PUT /identities/{id}/trace",
];

const ALL: &str = "/identities";

#[tokio::test]
async fn identities_are_told() {
    let walk = Walk::start().await;
    let service = json!({"name": "s", "encryptionRequired": true});
    let service = walk.make("/services", "service.create", &service).await;
    let policy = crate::entities::auth_policies::policy("other");
    let policy = walk
        .make("/auth-policies", "auth-policy.create", &policy)
        .await;
    let everything = json!({
        "name": "laptop", "type": "Default", "isAdmin": false, "externalId": "x",
        "authPolicyId": policy, "roleAttributes": ["b", "a"], "permissions": ["service"],
        "tags": {"site": "berlin", "floor": 2, "is.open": true}, "appData": {"k": "v", "n": 1},
        "defaultHostingCost": 7, "defaultHostingPrecedence": "required",
        "serviceHostingCosts": {&*service: 3}, "serviceHostingPrecedences": {&*service: "failed"},
    });
    let id = walk.make(ALL, "identity.create", &everything).await;
    let change = json!({
        "name": "notebook", "isAdmin": true, "externalId": null, "roleAttributes": ["a", "c"],
        "tags": {"site": "bonn"}, "appData": {"k": "w"}, "serviceHostingCosts": {&*service: 4},
    });
    let merging = (Method::PATCH, ALL, &*id);
    walk.change(merging, "identity.merge", &change).await;
    let plain = json!({"name": "notebook", "type": "Default", "isAdmin": false});
    walk.change((Method::PUT, ALL, &id), "identity.replace", &plain)
        .await;
    disable_and_enable(&walk, &id).await;
    show_configs(&walk, &id, &service).await;
    trace(&walk, &id).await;
    let mut twin = everything.clone();
    merge(
        &mut twin,
        json!({"name": "twin", "externalId": "y", "enrollment": {"ott": true}}),
    );
    let request = walk.manage(Method::POST, ALL).json(&twin);
    let told = walk.tells("identity.create").and(&["enrollment.create"]);
    let twin = told.send(request).await.id();
    let request = walk.manage(Method::DELETE, &format!("{ALL}/{twin}"));
    let told = walk.tells("identity.delete").of(&twin);
    told.and(&["enrollment.delete"]).send(request).await;
    walk.remove((ALL, &id), "identity.delete").await;
    rise(&walk).await;
    take_along(&walk).await;
    walk.finish(CASES);
}

/// The pending enrollment of somebody who rises opens nothing any more.
async fn rise(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let id = create(controller, admin, "riser", ott_enrollment()).await;
    let request = walk.manage(Method::PATCH, &format!("{ALL}/{id}"));
    let request = request.json(&json!({"isAdmin": true}));
    let told = walk.tells("identity.merge").of(&id);
    told.and(&["enrollment.update"]).send(request).await;
}

/// What belongs to somebody goes with them, and what names them forgets them.
async fn take_along(walk: &Walk) {
    let anna = walk.user("anna", json!({})).await;
    enroll(&walk.controller, &anna.token).await;
    let policy = json!({
        "name": "p", "type": "Dial", "semantic": "AnyOf", "serviceRoles": ["#all"],
        "identityRoles": ["#a", format!("@{}", anna.id)],
    });
    walk.make("/service-policies", "service-policy.create", &policy)
        .await;
    let request = walk.manage(Method::DELETE, &format!("{ALL}/{}", anna.id));
    let told = walk.tells("identity.delete").of(&anna.id);
    let told = told.and(&["authenticator.delete", "api-session.delete", "mfa.delete"]);
    told.and(&["service-policy.update"]).send(request).await;
}

async fn disable_and_enable(walk: &Walk, id: &str) {
    let path = format!("{ALL}/{id}");
    for minutes in [5, 0] {
        let body = json!({"durationMinutes": minutes});
        let request = walk.manage(Method::POST, &format!("{path}/disable"));
        let told = walk.tells("identity.disable").of(id);
        told.send(request.json(&body)).await;
    }
    let request = walk.manage(Method::POST, &format!("{path}/enable"));
    let told = walk.tells("identity.enable").of(id);
    told.send(request.json(&json!({}))).await;
}

async fn show_configs(walk: &Walk, id: &str, service: &str) {
    let types = "/config-types?filter=name%3D%22host.v1%22";
    let host = crate::support::get(&walk.controller, &walk.admin.token, types).await;
    let host = host.data()[0]["id"].clone();
    let data = json!({"address": "localhost", "port": 80, "protocol": "tcp"});
    let body = json!({"name": "c", "configTypeId": host, "data": data});
    let config = walk.make("/configs", "config.create", &body).await;
    let path = format!("{ALL}/{id}/service-configs");
    let body = json!([{"serviceId": service, "configId": config}]);
    let member = format!("serviceConfigs.{service}");
    for (method, operation, change) in [
        (Method::POST, "identity.assign-service-configs", "added"),
        (
            Method::DELETE,
            "identity.withdraw-service-configs",
            "removed",
        ),
    ] {
        let told = walk.tells(operation).of(id);
        let told = told.changes(json!({&*member: {change: [config]}}));
        told.send(walk.manage(method, &path).json(&body)).await;
    }
}

async fn trace(walk: &Walk, id: &str) {
    let path = format!("{ALL}/{id}/trace");
    for (operation, body) in [
        ("identity.trace", json!({"enabled": true, "duration": "5m"})),
        ("identity.end-trace", json!({"enabled": false})),
    ] {
        let request = walk.manage(Method::PUT, &path).json(&body);
        walk.tells(operation).of(id).send(request).await;
    }
}
