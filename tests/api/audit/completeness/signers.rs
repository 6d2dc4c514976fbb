//! External JWT signers.

use super::walk::Walk;
use crate::support::idp::Idp;
use http::Method;
use serde_json::json;

pub(super) const CASES: &[&str] = &[
    "edge-management POST /external-jwt-signers",
    "edge-management PUT /external-jwt-signers/{id}",
    "edge-management PATCH /external-jwt-signers/{id}",
    "edge-management DELETE /external-jwt-signers/{id}",
];

const ALL: &str = "/external-jwt-signers";

#[tokio::test]
async fn signers_are_told() {
    let walk = Walk::start().await;
    let idp = Idp::new(&walk.controller, "idp");
    let mut with_keys = idp.signer(json!({}));
    let members = with_keys.as_object_mut().unwrap();
    members.remove("certPem").unwrap();
    members.remove("kid").unwrap();
    members.insert(
        "jwksEndpoint".to_owned(),
        json!("https://idp.example.test/keys"),
    );
    let more = json!({
        "scopes": ["b", "a"], "clientId": "app", "externalAuthUrl": "https://idp.example.test/auth",
        "enrollToCertEnabled": true, "enrollToTokenEnabled": true,
        "enrollNameClaimsSelector": "name", "enrollAttributeClaimsSelector": "/roles",
        "targetToken": "ID", "claimsProperty": "email", "tags": {"t": 1},
    });
    let id = walk
        .make(ALL, "external-jwt-signer.create", &idp.signer(more))
        .await;
    let operations = ["external-jwt-signer.merge", "external-jwt-signer.replace"];
    let [merge, replace] = operations;
    for part in [
        json!({"audience": "x", "enabled": false, "scopes": ["b", "c"]}),
        json!({"enrollToCertEnabled": false, "enrollAttributeClaimsSelector": "/groups"}),
        json!({"jwksEndpoint": "https://idp.example.test/keys", "certPem": ""}),
        json!({"jwksEndpoint": "", "certPem": idp.certificate.to_pem(), "kid": idp.kid}),
    ] {
        walk.change((Method::PATCH, ALL, &id), merge, &part).await;
    }
    walk.change((Method::PUT, ALL, &id), replace, &with_keys)
        .await;
    walk.remove((ALL, &id), "external-jwt-signer.delete").await;
    walk.finish(CASES);
}
