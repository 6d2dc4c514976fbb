//! TOTP: what a session reaches while its second factor is open (S-46).

use crate::access::matrix::body;
use crate::support::mfa::{
    CodePlacement, CodeUse, MfaFixture, answer, begin, enroll, own_mfa, wrong_code_count,
};
use crate::support::{STRICT, add_strict_policy, send};
use http::Method;
use portcullis_domain::access::Access;
use portcullis_http::path::Api;
use serde_json::json;
use std::collections::BTreeSet;

/// What a session reaches beside what everybody does while its second factor is open (facts
/// auth-and-mfa 4.3). The last one only while the enrollment is not verified.
const PARTIAL: [(&str, &str); 9] = [
    ("POST", "/authenticate/mfa"),
    ("GET", "/current-api-session"),
    ("DELETE", "/current-api-session"),
    ("GET", "/enumerated-router-capabilities"),
    ("GET", "/current-identity/mfa"),
    ("POST", "/current-identity/mfa"),
    ("POST", "/current-identity/mfa/verify"),
    ("GET", "/current-identity/mfa/qr-code"),
    ("DELETE", "/current-identity/mfa"),
];

/// Asks every route that is not for everybody; answers which were reached.
async fn reached(scene: &MfaFixture, session: &str) -> BTreeSet<(String, &'static str)> {
    let controller = &scene.controller;
    let mut routes: Vec<_> = controller.table().routes().iter().collect();
    routes.retain(|route| route.access != Access::Public);
    // What ends the enrollment or the session comes last.
    routes.sort_by_key(|route| {
        let path = route.path;
        (
            route.method == Method::DELETE,
            path == "/current-api-session",
            path.len(),
        )
    });
    let mut reached = BTreeSet::new();
    for (number, route) in routes.into_iter().enumerate() {
        let ends_session = route.method == Method::DELETE && route.path == "/current-api-session";
        for &api in route.apis {
            if ends_session && api == Api::Management {
                continue;
            }
            let path = format!(
                "{}{}",
                api.base_path(),
                route.path.replace("{id}", &scene.person.id)
            );
            let request = controller
                .request(route.method.clone(), &path)
                .session(session);
            let reply = request
                .json(&body(&route.method, route.path, number))
                .send()
                .await;
            let what = format!("{} {path}: {}", route.method, reply.text());
            if reply.status == 401 {
                assert_eq!(reply.error().1, "UNAUTHORIZED", "{what}");
                assert!(!reply.headers.contains_key("www-authenticate"), "{what}");
            } else {
                assert!(reply.status.as_u16() < 500, "{what}");
                reached.insert((route.method.to_string(), route.path));
            }
        }
    }
    reached
}

/// Makes the person an administrator with every permission there is, under a policy.
pub(crate) async fn appoint(scene: &MfaFixture, under: &str) {
    let path = format!("/identities/{}", scene.person.id);
    let permissions = ["admin_readonly", "identity"];
    let body = json!({"isAdmin": true, "permissions": permissions, "authPolicyId": under});
    let asked = (Method::PATCH, path.as_str());
    send(&scene.controller, &scene.admin, asked, &body)
        .await
        .data();
}

#[tokio::test]
async fn whoever_is_enrolled_reaches_little_until_the_code_is_given() {
    let scene = MfaFixture::new().await;
    appoint(&scene, "default").await;
    scene.enroll().await;
    let session = scene.person.log_in(&scene.controller).await;
    let listed = PARTIAL
        .iter()
        .filter(|&&route| route != ("DELETE", "/current-identity/mfa"));
    let listed = listed
        .map(|&(method, path)| (method.to_owned(), path))
        .collect();
    assert_eq!(reached(&scene, &session).await, listed);
}

#[tokio::test]
async fn whoever_has_to_enroll_reaches_little_until_that_is_done() {
    let scene = MfaFixture::new().await;
    add_strict_policy(&scene.controller).await;
    appoint(&scene, STRICT).await;
    let session = scene.person.log_in(&scene.controller).await;
    let listed = PARTIAL
        .map(|(method, path)| (method.to_owned(), path))
        .into();
    assert_eq!(reached(&scene, &session).await, listed);
}

#[tokio::test]
async fn a_partial_session_leaves_what_is_begun_and_not_what_is_verified() {
    let scene = MfaFixture::new().await;
    let (controller, person) = (&scene.controller, &scene.person);
    add_strict_policy(controller).await;
    appoint(&scene, STRICT).await;
    let session = &person.session;
    for _ in 0..2 {
        begin(controller, session).await;
        let left = own_mfa(
            controller,
            session,
            (Method::DELETE, ""),
            CodePlacement::Omitted,
        )
        .await;
        assert_eq!(left.json(), json!({"data": {}, "meta": {}}));
    }
    let (device, recovery) = enroll(controller, session).await;
    let partial = person.log_in(controller).await;
    let code = device.code(controller, 0);
    for given in [
        CodePlacement::Omitted,
        CodePlacement::Body(&code),
        CodePlacement::Header(&code),
        CodePlacement::Body(&recovery[0]),
        CodePlacement::Body("000000"),
    ] {
        let refused = own_mfa(controller, &partial, (Method::DELETE, ""), given).await;
        assert_eq!(
            refused.error(),
            (401, "UNAUTHORIZED".to_owned()),
            "{given:?}"
        );
    }
    assert_eq!(
        wrong_code_count(controller, &person.id).await,
        0,
        "no code was looked at"
    );
    assert_eq!(
        answer(controller, &partial, &code).await.status,
        200,
        "nor used up"
    );
    let left = CodeUse::Leave
        .submit(controller, &partial, &recovery[0])
        .await;
    assert_eq!(left.status, 200);
}
