//! Third-party authorities and authentication policies.

use super::walk::Walk;
use crate::entities::auth_policies::policy;
use crate::support::third_party::{Authority, common_name_claim, creation};
use crate::support::{get, text};
use http::Method;
use serde_json::json;

pub(super) const CASES: &[&str] = &[
    "edge-management POST /cas",
    "edge-management PUT /cas/{id}",
    "edge-management PATCH /cas/{id}",
    "edge-management DELETE /cas/{id}",
    "edge-management POST /cas/{id}/verify",
    "edge-management POST /auth-policies",
    "edge-management PUT /auth-policies/{id}",
    "edge-management PATCH /auth-policies/{id}",
    "edge-management DELETE /auth-policies/{id}",
];

#[tokio::test]
async fn authorities_and_policies_are_told() {
    let walk = Walk::start().await;
    authorities(&walk).await;
    policies(&walk).await;
    walk.finish(CASES);
}

async fn authorities(walk: &Walk) {
    const ALL: &str = "/cas";
    let root = Authority::root("root");
    let mut body = creation("ca", &root);
    body["identityRoles"] = json!(["a"]);
    body["tags"] = json!({"t": 1});
    let id = walk.make(ALL, "ca.create", &body).await;
    let path = format!("{ALL}/{id}");
    let shown = get(&walk.controller, &walk.admin.token, &path).await.data();
    let proof = root.leaf(text(&shown, "verificationToken")).to_pem();
    let request = walk.manage(Method::POST, &format!("{path}/verify"));
    let told = walk.tells("ca.verify").of(&id);
    told.send(request.text("text/plain", &proof)).await;
    let mut part = common_name_claim();
    part["isAutoCaEnrollmentEnabled"] = json!(false);
    walk.change((Method::PATCH, ALL, &id), "ca.merge", &part)
        .await;
    let other = json!({
        "name": "renamed", "identityRoles": [], "isAuthEnabled": false,
        "isAutoCaEnrollmentEnabled": true, "isOttCaEnrollmentEnabled": false,
        "identityNameFormat": "[caName]",
    });
    walk.change((Method::PUT, ALL, &id), "ca.replace", &other)
        .await;
    walk.remove((ALL, &id), "ca.delete").await;
}

async fn policies(walk: &Walk) {
    const ALL: &str = "/auth-policies";
    let mut body = policy("contractors");
    body["tags"] = json!({"t": 1});
    let id = walk.make(ALL, "auth-policy.create", &body).await;
    let part = json!({
        "primary": {"updb": {"minPasswordLength": 12, "maxAttempts": 3}, "cert": {"allowed": false}},
        "secondary": {"requireTotp": true},
    });
    let merging = (Method::PATCH, ALL, &*id);
    walk.change(merging, "auth-policy.merge", &part).await;
    let replacing = (Method::PUT, ALL, &*id);
    walk.change(replacing, "auth-policy.replace", &policy("others"))
        .await;
    walk.remove((ALL, &id), "auth-policy.delete").await;
}
