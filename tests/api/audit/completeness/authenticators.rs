//! Authenticators, as administrators have them.

use super::walk::Walk;
use crate::support::credentials::{authenticator_of, bare, cert, updb, with_certificate};
use crate::support::third_party::{Authority, add};
use http::Method;
use serde_json::{Value, json};

pub(super) const CASES: &[&str] = &[
    "edge-management POST /authenticators",
    "edge-management PUT /authenticators/{id}",
    "edge-management PATCH /authenticators/{id}",
    "edge-management DELETE /authenticators/{id}",
    "edge-management POST /authenticators/{id}/re-enroll",
    "edge-management POST /authenticators/{id}/request-extend",
];

const ALL: &str = "/authenticators";
const LATER: &str = "2031-04-06T00:00:00.000Z";

#[tokio::test]
async fn authenticators_are_told() {
    let walk = Walk::start().await;
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let anna = bare(controller, admin, "anna").await;
    let mut body = updb(&anna, "anna-name");
    body["tags"] = json!({"kind": "test"});
    let id = walk.make(ALL, "authenticator.create", &body).await;
    for body in [
        json!({"username": "hanna", "tags": {"kind": "other"}}),
        json!({"password": "another-password-1"}),
    ] {
        let merging = (Method::PATCH, ALL, &*id);
        walk.change(merging, "authenticator.update", &body).await;
    }
    let body = json!({"username": "anna", "password": "a-third-password-1"});
    let replacing = (Method::PUT, ALL, &*id);
    walk.change(replacing, "authenticator.update", &body).await;
    walk.remove((ALL, &id), "authenticator.delete").await;

    let root = Authority::root("root");
    add(controller, admin, ("ca", &root), json!({})).await;
    let bert = bare(controller, admin, "bert").await;
    let body = cert(&bert, &root.leaf("bert"));
    let of_authority = walk.make(ALL, "authenticator.create", &body).await;
    let body = updb(&bert, "bert-name");
    let of_password = walk.make(ALL, "authenticator.create", &body).await;
    for id in [of_authority, of_password] {
        re_enroll(&walk, &id).await;
    }
    extend(&walk).await;
    walk.finish(CASES);
}

async fn extend(walk: &Walk) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let (carl, _chain) = with_certificate(controller, admin, "carl").await;
    let id = authenticator_of(controller, admin, &carl, "cert").await;
    // Whether the key has to be rolled, the list shows only while a renewal is asked for.
    for (roll, mut changes) in [
        (
            false,
            json!({"isExtendRequested": {"old": false, "new": true}}),
        ),
        (
            true,
            json!({"isKeyRollRequested": {"old": false, "new": true}}),
        ),
        (
            false,
            json!({"isKeyRollRequested": {"old": true, "new": false}}),
        ),
    ] {
        changes["extendRequestedAt"] = Value::Null;
        let request = walk.manage(Method::POST, &format!("{ALL}/{id}/request-extend"));
        let request = request.json(&json!({"rollKeys": roll}));
        let told = walk.tells("authenticator.request-extend").of(&id);
        told.changes(changes).send(request).await;
    }
    re_enroll(walk, &id).await;
}

async fn re_enroll(walk: &Walk, id: &str) {
    let request = walk.manage(Method::POST, &format!("{ALL}/{id}/re-enroll"));
    let request = request.json(&json!({"expiresAt": LATER}));
    let told = walk.tells("authenticator.re-enroll").of(id);
    told.and(&["enrollment.create"]).send(request).await;
}
