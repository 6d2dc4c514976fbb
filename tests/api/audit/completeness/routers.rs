//! Routers, and how they obtain their certificates.

use super::walk::Walk;
use crate::routers::edge_routers::{add_edge, add_transit, edge};
use crate::routers::enrollment::requests as requests_of;
use crate::support::{get, text};
use http::Method;
use portcullis_pki::certificates_from_pem;
use serde_json::{Value, json};

pub(super) const CASES: &[&str] = &[
    "edge-management POST /edge-routers",
    "edge-management PUT /edge-routers/{id}",
    "edge-management PATCH /edge-routers/{id}",
    "edge-management DELETE /edge-routers/{id}",
    "edge-management POST /edge-routers/{id}/re-enroll",
    "edge-management POST /routers",
    "edge-management PUT /routers/{id}",
    "edge-management PATCH /routers/{id}",
    "edge-management DELETE /routers/{id}",
    "edge-management POST /transit-routers",
    "edge-management PUT /transit-routers/{id}",
    "edge-management PATCH /transit-routers/{id}",
    "edge-management DELETE /transit-routers/{id}",
    "edge-client POST /enroll/erott",
    "edge-client POST /enroll/extend/router",
];

const ALL: &str = "/edge-routers";

#[tokio::test]
async fn routers_are_told() {
    let walk = Walk::start().await;
    edge_routers(&walk).await;
    for all in ["/transit-routers", "/routers"] {
        let bodies = [
            json!({"name": "t", "cost": 3, "noTraversal": true, "tags": {"t": 1}}),
            json!({"cost": 4, "disabled": true, "ctrlChanListeners": {"tls:a:1": ["g"]}}),
            json!({"name": "u", "cost": 0, "noTraversal": false}),
        ];
        live_with_enrollment(&walk, all, &bodies).await;
    }
    enroll(&walk).await;
    walk.finish(CASES);
}

/// Creates a router of any kind with its enrollment, changes it and deletes it.
async fn live_with_enrollment(walk: &Walk, all: &str, [whole, part, other]: &[Value; 3]) {
    let request = walk.manage(Method::POST, all).json(whole);
    let told = walk.tells("router.create").and(&["enrollment.create"]);
    let id = told.send(request).await.id();
    walk.change((Method::PATCH, all, &id), "router.update", part)
        .await;
    walk.change((Method::PUT, all, &id), "router.update", other)
        .await;
    let request = walk.manage(Method::DELETE, &format!("{all}/{id}"));
    let told = walk.tells("router.delete").of(&id);
    told.and(&["enrollment.delete"]).send(request).await;
}

async fn edge_routers(walk: &Walk) {
    let bodies = [
        json!({
            "name": "r", "cost": 10, "noTraversal": true, "disabled": true, "tags": {"t": 1},
            "appData": {"k": "v"}, "roleAttributes": ["b", "a"],
            "ctrlChanListeners": {"tls:a:1": ["g"]},
        }),
        json!({"roleAttributes": ["c"], "appData": {"k": "w"}, "disabled": false}),
        json!({"name": "s", "tags": {"t": 2}}),
    ];
    live_with_enrollment(walk, ALL, &bodies).await;
    // A tunneler has an identity and a policy of its own.
    let body = json!({"name": "tunneler", "isTunnelerEnabled": true});
    let request = walk.manage(Method::POST, ALL).json(&body);
    let own = [
        "identity.create",
        "edge-router-policy.create",
        "enrollment.create",
    ];
    let id = walk
        .tells("router.create")
        .and(&own)
        .send(request)
        .await
        .id();
    let path = format!("{ALL}/{id}");
    let request = walk
        .manage(Method::PATCH, &path)
        .json(&json!({"name": "renamed"}));
    let told = walk.tells("router.update").of(&id);
    told.and(&["identity.update"]).send(request).await;
    let request = walk.manage(Method::PATCH, &path);
    let request = request.json(&json!({"isTunnelerEnabled": false}));
    let told = walk.tells("router.update").of(&id);
    let gone = ["identity.delete", "edge-router-policy.delete"];
    told.and(&gone).send(request).await;
}

async fn enroll(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let id = add_edge(controller, admin, "gate", json!({})).await;
    let token = text(&edge(controller, admin, &id).await, "enrollmentToken").to_owned();
    let requests = requests_of(&id);
    let body = json!({
        "token": token, "clientCsr": requests["certCsr"], "serverCsr": requests["serverCertCsr"],
    });
    let request = walk.client(Method::POST, "/enroll/erott").json(&body);
    let told = walk.tells("router.enroll").of(&id).by_stranger(&id);
    let told = told.and(&["enrollment.redeem"]);
    let issued = told.send(request).await.data();
    let chain = certificates_from_pem(text(&issued, "cert")).unwrap();
    let request = walk.client(Method::POST, "/enroll/extend/router");
    let request = request.certificates(&chain).json(&requests);
    let told = walk.tells("router.extend").of(&id).by_stranger(&id);
    told.send(request).await;
    let transit = add_transit(controller, admin, "far", json!({})).await;
    let path = format!("/transit-routers/{transit}");
    let shown = get(controller, admin, &path).await.data();
    let token = text(&shown, "enrollmentToken");
    let request = walk.client(Method::POST, &format!("/enroll?method=trott&token={token}"));
    let told = walk
        .tells("router.enroll")
        .of(&transit)
        .by_stranger(&transit);
    let told = told.and(&["enrollment.redeem"]);
    told.send(request.json(&requests_of(&transit))).await;
    for others in [
        &["enrollment.create"][..],
        &["enrollment.create", "enrollment.delete"],
    ] {
        let request = walk.manage(Method::POST, &format!("{ALL}/{id}/re-enroll"));
        let told = walk.tells("router.re-enroll").of(&id).and(others);
        told.send(request).await;
    }
}
