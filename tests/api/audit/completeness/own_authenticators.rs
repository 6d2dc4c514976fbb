//! What people do to their own authenticators.

use super::walk::{Walk, Who};
use crate::support::credentials::{authenticator_of, token_by, with_certificate};
use crate::support::text;
use http::Method;
use portcullis_pki::{certificates_from_pem, certificates_to_pem};
use portcullis_testkit::{PASSWORD, client_key_and_csr};
use serde_json::json;

pub(super) const CASES: &[&str] = &[
    "edge-client+edge-management PUT /current-identity/authenticators/{id}",
    "edge-client+edge-management PATCH /current-identity/authenticators/{id}",
    "edge-client+edge-management POST /current-identity/authenticators/{id}/extend",
    "edge-client+edge-management POST /current-identity/authenticators/{id}/extend-verify",
];

const ALL: &str = "/current-identity/authenticators";

#[tokio::test]
async fn changes_of_own_authenticators_are_told() {
    let walk = Walk::start().await;
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let anna = walk.user("anna", json!({})).await;
    let id = authenticator_of(controller, admin, &anna.id, "updb").await;
    let new = "another-password-1";
    for (method, body) in [
        (
            Method::PATCH,
            json!({"currentPassword": PASSWORD, "password": new, "tags": {"a": 1}}),
        ),
        (
            Method::PUT,
            json!({"currentPassword": new, "password": PASSWORD, "username": "hanna"}),
        ),
    ] {
        let request = walk.client(method, &format!("{ALL}/{id}"));
        let request = request.session(&anna.token).json(&body);
        let told = walk.tells("authenticator.update").of(&id).by(&anna);
        told.send(request).await;
    }
    extend(&walk).await;
    walk.finish(CASES);
}

async fn extend(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let (bert, chain) = with_certificate(controller, admin, "bert").await;
    let token = token_by(controller, &chain).await;
    let id = authenticator_of(controller, admin, &bert, "cert").await;
    let bert = Who::holding(controller, &token).await;
    let ask = |step: &str| {
        let request = walk.client(Method::POST, &format!("{ALL}/{id}/{step}"));
        request.session(&token).certificates(&chain)
    };
    let request = walk.manage(
        Method::POST,
        &format!("/authenticators/{id}/request-extend"),
    );
    let told = walk.tells("authenticator.request-extend").of(&id);
    told.send(request.json(&json!({"rollKeys": true}))).await;
    let request = ask("extend").json(&json!({"clientCertCsr": client_key_and_csr().1}));
    let told = walk.tells("authenticator.extend").of(&id).by(&bert);
    let issued = told.send(request).await.data();
    let issued = certificates_from_pem(text(&issued, "clientCert")).unwrap();
    let body = json!({"clientCert": certificates_to_pem(&issued)});
    let told = walk.tells("authenticator.extend-verify").of(&id).by(&bert);
    // The session goes on with the new certificate.
    let told = told.and(&["api-session.update"]);
    told.send(ask("extend-verify").json(&body)).await;
}
