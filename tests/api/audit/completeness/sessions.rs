//! Sessions of both kinds, what belongs to them, and what clients report in them.

use super::walk::{Walk, Who};
use crate::support::credentials::with_certificate;
use crate::support::idp::{Idp, bearing};
use crate::support::network::names;
use crate::support::posture::add_router;
use crate::support::{create, send, text};
use http::Method;
use portcullis_testkit::{PASSWORD, client_key_and_csr};
use serde_json::{Value, json};

pub(super) const CASES: &[&str] = &[
    "edge-client+edge-management POST /authenticate",
    "edge-client+edge-management DELETE /current-api-session",
    "edge-client+edge-management POST /current-api-session/totp-token",
    "edge-client POST /current-api-session/certificates",
    "edge-client DELETE /current-api-session/certificates/{id}",
    "edge-client POST /posture-response",
    "edge-client POST /posture-response-bulk",
    "edge-client POST /sessions",
    "edge-client DELETE /sessions/{id}",
    "edge-management DELETE /api-sessions/{id}",
    "edge-management DELETE /sessions/{id}",
];

#[tokio::test]
async fn sessions_are_told() {
    let walk = Walk::start().await;
    log_in_and_out(&walk).await;
    log_in_by_token(&walk).await;
    certificates(&walk).await;
    services(&walk).await;
    walk.finish(CASES);
}

async fn log_in_and_out(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let anna = walk.user("anna", json!({})).await;
    let (bert, chain) = with_certificate(controller, admin, "bert").await;
    let body = json!({
        "username": "anna", "password": PASSWORD, "configTypes": ["all"],
        "envInfo": {"os": "linux", "arch": "x86_64"}, "sdkInfo": {"type": "test", "version": "1"},
    });
    let request = walk.client(Method::POST, "/authenticate?method=password");
    let told = walk.tells("api-session.create").by_stranger(&anna.id);
    let told = told.and(&["identity.update"]);
    let opened = told.send(request.json(&body)).await.data();
    let anna = Who::holding(controller, text(&opened, "token")).await;
    let request = walk.client(Method::POST, "/authenticate?method=cert");
    let told = walk.tells("api-session.create").by_stranger(&bert);
    let told = told.and(&["authenticator.update"]);
    let opened = told.send(request.certificates(&chain)).await.data();
    let path = format!("/api-sessions/{}", text(&opened, "id"));
    let told = walk.tells("api-session.delete").of(text(&opened, "id"));
    told.send(walk.manage(Method::DELETE, &path)).await;
    let request = walk.client(Method::DELETE, "/current-api-session");
    let told = walk.tells("api-session.end").of(&anna.session).by(&anna);
    told.send(request.session(&anna.token)).await;
}

/// By the token of an external signer.
async fn log_in_by_token(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let idp = Idp::new(controller, "idp");
    idp.register(controller, admin, json!({})).await;
    let ada = create(controller, admin, "ada", json!({"externalId": "ada@x"})).await;
    let request = walk.client(Method::POST, "/authenticate?method=ext-jwt");
    let token = idp.token(controller, "ada@x");
    let told = walk.tells("api-session.create").by_stranger(&ada);
    told.send(bearing(request, &[&token])).await;
}

async fn certificates(walk: &Walk) {
    const ALL: &str = "/current-api-session/certificates";
    let cleo = walk.user("cleo", json!({})).await;
    let request = walk.client(Method::POST, ALL).session(&cleo.token);
    let request = request.json(&json!({"csr": client_key_and_csr().1}));
    let told = walk.tells("api-session-certificate.create").by(&cleo);
    let id = told.send(request).await.id();
    let path = format!("{ALL}/{id}");
    let shown = walk.client(Method::GET, &path).session(&cleo.token);
    let shown = shown.send().await.data();
    let mut changes = json!({"session": "changed"});
    for member in ["fingerprint", "subject", "validFrom", "validTo"] {
        changes[member] = json!({"old": shown[member]});
    }
    let request = walk.client(Method::DELETE, &path).session(&cleo.token);
    let told = walk.tells("api-session-certificate.delete").of(&id);
    changes["certificate"] = Value::Null;
    told.by(&cleo).changes(changes).send(request).await;
    // Only sessions that a token opened have one, and this controller opens none by tokens of its own.
    let request = walk.client(Method::POST, "/current-api-session/totp-token");
    let request = request
        .session(&cleo.token)
        .json(&json!({"code": "123456"}));
    walk.refuses(400, request).await;
}

/// A service that everybody may dial.
async fn service(walk: &Walk) -> String {
    let make = async |all: &str, body: Value| {
        let reply = send(
            &walk.controller,
            &walk.admin.token,
            (Method::POST, all),
            &body,
        );
        reply.await.id()
    };
    let id = make(
        "/services",
        json!({"name": "s", "encryptionRequired": true}),
    )
    .await;
    add_router(&walk.controller, "gate", false).await;
    for (all, roles) in [
        ("/edge-router-policies", "identityRoles"),
        ("/service-edge-router-policies", "serviceRoles"),
    ] {
        let body = json!({
            "name": "all", "semantic": "AnyOf", "edgeRouterRoles": ["#all"], roles: ["#all"],
        });
        make(all, body).await;
    }
    let body = json!({
        "name": "dial", "type": "Dial", "semantic": "AnyOf", "identityRoles": ["#all"],
        "serviceRoles": ["#all"],
    });
    make("/service-policies", body).await;
    id
}

async fn services(walk: &Walk) {
    let service = service(walk).await;
    let dora = walk.user("dora", json!({})).await;
    let listed = walk.client(Method::GET, "/services").session(&dora.token);
    assert_eq!(names(&listed.send().await.data()), ["s"]);
    for (report, all) in [
        (
            json!({"typeId": "DOMAIN", "id": "x", "domain": "d"}),
            "/posture-response",
        ),
        (
            json!([{"typeId": "DOMAIN", "id": "x", "domain": "d"}]),
            "/posture-response-bulk",
        ),
    ] {
        let request = walk.client(Method::POST, all).session(&dora.token);
        walk.tells_nothing().send(request.json(&report)).await;
    }
    for is_own in [true, false] {
        let request = walk.client(Method::POST, "/sessions").session(&dora.token);
        let request = request.json(&json!({"serviceId": service, "type": "Dial"}));
        let told = walk.tells("session.create").by(&dora);
        let id = told.send(request).await.id();
        if is_own {
            let request = walk.client(Method::DELETE, &format!("/sessions/{id}"));
            let told = walk.tells("session.delete").of(&id).by(&dora);
            told.send(request.session(&dora.token)).await;
        } else {
            walk.remove(("/sessions", &id), "session.delete").await;
        }
    }
}
