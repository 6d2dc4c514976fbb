//! Second factors. No list shows enrollments by themselves; their events say what is said here.

use super::walk::{Walk, Who};
use crate::support::log_in;
use crate::support::mfa::{Device, advance_clock, texts};
use http::Method;
use portcullis_testkit::Request;
use serde_json::{Value, json};

pub(super) const CASES: &[&str] = &[
    "edge-client+edge-management POST /authenticate/mfa",
    "edge-client+edge-management POST /current-identity/mfa",
    "edge-client+edge-management DELETE /current-identity/mfa",
    "edge-client+edge-management GET /current-identity/mfa/recovery-codes",
    "edge-client+edge-management POST /current-identity/mfa/recovery-codes",
    "edge-client+edge-management POST /current-identity/mfa/verify",
    "edge-management DELETE /identities/{id}/mfa",
];

const OWN: &str = "/current-identity/mfa";

#[tokio::test]
async fn second_factors_are_told() {
    let walk = Walk::start().await;
    let anna = walk.user("anna", json!({})).await;
    begin(&walk, &anna).await;
    let request = own(&walk, &anna, (Method::DELETE, ""));
    let told = walk.tells("mfa.abandon").of(&anna.id).by(&anna);
    told.send(request).await;

    let (device, recovery) = enroll(&walk, &anna).await;
    answer(&walk, &next_code(&walk, &device), &[]).await;
    let spent = json!({"code": recovery[0]});
    answer(&walk, &spent, &["mfa.spend-recovery-code"]).await;
    use_up(&walk, &anna, &device).await;

    enroll(&walk, &anna).await;
    let request = walk.manage(Method::DELETE, &format!("/identities/{}/mfa", anna.id));
    let told = walk.tells("identity.delete-mfa").of(&anna.id);
    told.and(&["mfa.delete"]).send(request).await;
    walk.finish(CASES);
}

/// Answers the second factor of a new session.
async fn answer(walk: &Walk, code: &Value, others: &[&str]) {
    let partial = log_in(&walk.controller, "anna").await.data();
    let partial = partial["token"].as_str().unwrap();
    let half = Who::holding(&walk.controller, partial).await;
    let request = walk.client(Method::POST, "/authenticate/mfa");
    let request = request.session(partial).json(code);
    let told = walk.tells("api-session.pass-mfa").of(&half.session);
    told.by(&half).and(others).send(request).await;
}

/// Does what else a code is good for.
async fn use_up(walk: &Walk, who: &Who, device: &Device) {
    let code = next_code(walk, device);
    let request = own(walk, who, (Method::GET, "/recovery-codes"));
    let request = request.header("mfa-validation-code", code["code"].as_str().unwrap());
    let told = walk.tells("mfa.read-recovery-codes").of(&who.id);
    told.by(who).send(request).await;
    for (method, below, operation) in [
        (
            Method::POST,
            "/recovery-codes",
            "mfa.replace-recovery-codes",
        ),
        (Method::DELETE, "", "mfa.delete"),
    ] {
        let request = own(walk, who, (method, below));
        let request = request.json(&next_code(walk, device));
        let told = walk.tells(operation).of(&who.id).by(who);
        told.send(request).await;
    }
}

fn own<'w>(walk: &'w Walk, who: &Who, (method, below): (Method, &str)) -> Request<'w> {
    let request = walk.client(method, &format!("{OWN}{below}"));
    request.session(&who.token)
}

/// A code that was never shown before.
fn next_code(walk: &Walk, device: &Device) -> Value {
    advance_clock(&walk.controller, 30);
    json!({"code": device.code(&walk.controller, 0)})
}

/// Begins an enrollment; answers the app that was set up with it, and the recovery codes.
async fn begin(walk: &Walk, who: &Who) -> (Device, Vec<String>) {
    let request = own(walk, who, (Method::POST, ""));
    let told = walk.tells("mfa.create").of(&who.id).by(who);
    let told = told.changes(json!({
        "recoveryCodes": "changed", "secret": "changed",
    }));
    let begun = told.send(request).await.data();
    let device = Device::scan(begun["provisioningUrl"].as_str().unwrap());
    (device, texts(&begun["recoveryCodes"]))
}

async fn enroll(walk: &Walk, who: &Who) -> (Device, Vec<String>) {
    let (device, recovery) = begin(walk, who).await;
    let request = own(walk, who, (Method::POST, "/verify"));
    let request = request.json(&next_code(walk, &device));
    let told = walk.tells("mfa.verify").of(&who.id).by(who);
    told.changes(json!({})).send(request).await;
    (device, recovery)
}
