//! Enrollments: what leads to credentials, and whoever follows it.

use super::walk::Walk;
use crate::support::idp::{Idp, bearing};
use crate::support::third_party::{Authority, add};
use crate::support::{create, pending_enrollment, text};
use http::Method;
use portcullis_testkit::{PASSWORD, Request, client_key_and_csr};
use serde_json::{Value, json};

pub(super) const CASES: &[&str] = &[
    "edge-management POST /enrollments",
    "edge-management DELETE /enrollments/{id}",
    "edge-management POST /enrollments/{id}/refresh",
    "edge-client POST /enroll",
    "edge-client POST /enroll/ca",
    "edge-client POST /enroll/ott",
    "edge-client POST /enroll/ottca",
    "edge-client POST /enroll/token",
    "edge-client POST /enroll/updb",
];

const ALL: &str = "/enrollments";

#[tokio::test]
async fn enrollments_are_told() {
    let walk = Walk::start().await;
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let root = Authority::root("root");
    let ca = add(controller, admin, ("ca", &root), json!({})).await;
    administer(&walk, &ca).await;

    let csr = || client_key_and_csr().1;
    let (id, token, enrollment) = invited(&walk, "a", json!({"ott": true})).await;
    let request = walk.client(Method::POST, "/enroll/ott");
    let body = json!({"token": token, "clientCsr": csr()});
    redeems(&walk, (&id, &enrollment), request.json(&body)).await;

    let (id, token, enrollment) = invited(&walk, "b", json!({"ott": true})).await;
    let path = format!("/enroll?method=ott&token={token}");
    let request = walk.client(Method::POST, &path);
    let request = request.text("application/x-pem-file", &csr());
    redeems(&walk, (&id, &enrollment), request).await;

    let (id, token, enrollment) = invited(&walk, "c", json!({"updb": "cecil"})).await;
    let path = format!("/enroll/updb?token={token}");
    let request = walk.client(Method::POST, &path);
    let request = request.json(&json!({"password": PASSWORD}));
    redeems(&walk, (&id, &enrollment), request).await;

    let (id, token, enrollment) = invited(&walk, "d", json!({"ottca": ca})).await;
    let request = walk.client(Method::POST, "/enroll/ottca");
    let request = request.certificates(&root.chain("d"));
    let request = request.json(&json!({"token": token, "clientCsr": csr()}));
    redeems(&walk, (&id, &enrollment), request).await;

    come_by_themselves(&walk, &root).await;
    walk.finish(CASES);
}

/// What administrators do to enrollments.
async fn administer(walk: &Walk, ca: &str) {
    let id = create(&walk.controller, &walk.admin.token, "invited", json!({})).await;
    for more in [
        json!({"method": "ott"}),
        json!({"method": "updb", "username": "ivy-name"}),
        json!({"method": "ottca", "caId": ca}),
    ] {
        let mut body = json!({"identityId": id, "expiresAt": "2040-01-01T00:00:00.500Z"});
        crate::support::merge(&mut body, more);
        let made = walk.make(ALL, "enrollment.create", &body).await;
        let path = format!("{ALL}/{made}/refresh");
        let request = walk.manage(Method::POST, &path);
        let request = request.json(&json!({"expiresAt": "2041-02-03T04:05:06Z"}));
        walk.tells("enrollment.refresh")
            .of(&made)
            .send(request)
            .await;
        walk.remove((ALL, &made), "enrollment.delete").await;
    }
}

/// An identity with an enrollment: its id, the token, and the id of the enrollment.
async fn invited(walk: &Walk, name: &str, how: Value) -> (String, String, String) {
    let (controller, admin) = (&walk.controller, &walk.admin.token);
    let method = how.as_object().unwrap().keys().next().unwrap().clone();
    let id = create(controller, admin, name, json!({"enrollment": how})).await;
    let enrollment = pending_enrollment(controller, admin, &id, &method).await;
    let member = |name| text(&enrollment, name).to_owned();
    (id, member("token"), member("id"))
}

async fn redeems(walk: &Walk, (id, enrollment): (&str, &str), request: Request<'_>) {
    let told = walk.tells("enrollment.redeem").of(enrollment);
    let told = told.by_stranger(id).and(&["authenticator.create"]);
    told.send(request).await;
}

/// Whoever needs no enrollment.
async fn come_by_themselves(walk: &Walk, root: &Authority) {
    let request = walk.client(Method::POST, "/enroll/ca");
    let request = request.certificates(&root.chain("stranger"));
    let told = walk.tells("identity.enroll").by_newcomer();
    told.and(&["authenticator.create"]).send(request).await;

    let idp = Idp::new(&walk.controller, "idp");
    let how = json!({"enrollToCertEnabled": true, "enrollToTokenEnabled": true});
    idp.register(&walk.controller, &walk.admin.token, how).await;
    for (sub, csr, others) in [
        (
            "ada",
            Some(client_key_and_csr().1),
            &["authenticator.create"][..],
        ),
        ("bob", None, &[]),
    ] {
        let body = csr.map_or_else(|| json!({}), |csr| json!({"clientCsr": csr}));
        let request = walk.client(Method::POST, "/enroll/token").json(&body);
        let token = idp.token(&walk.controller, sub);
        let told = walk.tells("identity.enroll").by_newcomer();
        told.and(others).send(bearing(request, &[&token])).await;
    }
}
