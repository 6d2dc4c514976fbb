//! Sessions that certificates of third-party authorities opened, and what ends them.

use crate::support::credentials::token_by;
use crate::support::third_party::{
    Authority, add, common_name_claim, ending_soon, knock, patch, remove,
};
use crate::support::{add_policy, create, current_session, find_identity_id};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::Harness;
use serde_json::json;

/// A controller with an authority, and two who came in by it: by fingerprint and by external id.
struct Scene {
    controller: Harness,
    admin: String,
    root: Authority,
    plain: String,
    claiming: String,
    sessions: Vec<String>,
}

impl Scene {
    async fn new() -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        let (root, other) = (Authority::root("root"), Authority::root("other"));
        let plain = add(&controller, &admin, ("plain", &root), json!({})).await;
        let claiming = add(
            &controller,
            &admin,
            ("claiming", &other),
            common_name_claim(),
        )
        .await;
        create(&controller, &admin, "anne", json!({"externalId": "anne"})).await;
        let device = root.chain("device");
        assert_eq!(knock(&controller, &device).await.status, 200);
        let sessions = vec![
            token_by(&controller, &device).await,
            token_by(&controller, &other.chain("anne")).await,
        ];
        Self {
            controller,
            admin,
            root,
            plain,
            claiming,
            sessions,
        }
    }

    async fn statuses(&self) -> Vec<u16> {
        let mut statuses = Vec::new();
        for session in &self.sessions {
            statuses.push(
                current_session(&self.controller, session)
                    .await
                    .status
                    .as_u16(),
            );
        }
        statuses
    }
}

#[tokio::test]
async fn disabled_authority_ends_its_sessions_alone() {
    let scene = Scene::new().await;
    assert_eq!(scene.statuses().await, [200, 200]);
    let off = json!({"isAuthEnabled": false});
    let reply = patch(&scene.controller, &scene.admin, &scene.plain, off).await;
    assert_eq!(reply.status, 200);
    assert_eq!(scene.statuses().await, [401, 200]);
    let off = json!({"isAuthEnabled": false, "externalIdClaim": {}});
    let reply = patch(&scene.controller, &scene.admin, &scene.claiming, off).await;
    assert_eq!(reply.status, 200);
    assert_eq!(scene.statuses().await, [401, 401]);
}

#[tokio::test]
async fn sessions_by_external_id_end_when_it_is_read_elsewhere() {
    let scene = Scene::new().await;
    let change = async |id: &str, body: serde_json::Value| {
        let reply = patch(&scene.controller, &scene.admin, id, body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    };
    let harmless = json!({
        "name": "other", "identityRoles": ["a"], "tags": {"a": 1}, "externalIdClaim": {},
    });
    change(&scene.claiming, harmless).await;
    change(&scene.claiming, common_name_claim()).await;
    assert_eq!(scene.statuses().await, [200, 200]);
    change(&scene.claiming, json!({"externalIdClaim": {"index": 1}})).await;
    assert_eq!(scene.statuses().await, [200, 401]);
    change(&scene.claiming, common_name_claim()).await;
    assert_eq!(scene.statuses().await, [200, 401], "it is over for good");
    // Those who came in by an authenticator have not been found by a claim.
    change(&scene.plain, common_name_claim()).await;
    assert_eq!(scene.statuses().await, [200, 401]);
}

#[tokio::test]
async fn deleted_authority_ends_its_sessions_alone() {
    let scene = Scene::new().await;
    let reply = remove(&scene.controller, &scene.admin, &scene.claiming).await;
    assert_eq!(reply.status, 200);
    assert_eq!(scene.statuses().await, [200, 401]);
    let reply = remove(&scene.controller, &scene.admin, &scene.plain).await;
    assert_eq!(reply.status, 200);
    assert_eq!(scene.statuses().await, [401, 401]);
    // Another one with the same certificate does not bring them back.
    add(
        &scene.controller,
        &scene.admin,
        ("again", &scene.root),
        json!({}),
    )
    .await;
    assert_eq!(scene.statuses().await, [401, 401]);
}

#[tokio::test]
async fn session_ends_when_its_identity_loses_the_external_id() {
    let scene = Scene::new().await;
    let id = find_identity_id(&scene.controller, &scene.admin, "anne").await;
    for (external_id, statuses) in [
        ("anne", [200, 200]),
        ("other", [200, 401]),
        ("", [200, 401]),
    ] {
        let path = format!("/identities/{id}");
        let request = scene.controller.manage(Method::PATCH, &path, &scene.admin);
        let reply = request
            .json(&json!({"externalId": external_id}))
            .send()
            .await;
        assert_eq!(reply.status, 200);
        assert_eq!(scene.statuses().await, statuses, "{external_id:?}");
    }
}

#[tokio::test]
async fn sessions_end_with_what_vouches_for_them_where_time_counts() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_policy(&controller, "strict", |policy| {
        policy.spec.primary.cert.allow_expired_certs = false;
    })
    .await;
    let soon = Authority::root_with("soon", ending_soon);
    add(&controller, &admin, ("soon", &soon), json!({})).await;
    let chain = soon.chain("device");
    assert_eq!(knock(&controller, &chain).await.status, 200);
    let id = find_identity_id(&controller, &admin, "soon-device").await;
    // A minute before the authority's end.
    controller
        .clock
        .advance(SignedDuration::from_hours(178 * 24 + 17));
    controller.clock.advance(SignedDuration::from_mins(51));
    let admin = controller.admin().await;
    let request = controller.manage(Method::PATCH, &format!("/identities/{id}"), &admin);
    let reply = request
        .json(&json!({"authPolicyId": "strict"}))
        .send()
        .await;
    assert_eq!(reply.status, 200);
    let session = token_by(&controller, &chain).await;
    assert_eq!(current_session(&controller, &session).await.status, 200);
    controller.clock.advance(SignedDuration::from_mins(2));
    assert_eq!(current_session(&controller, &session).await.status, 401);
}

#[tokio::test]
async fn session_is_not_for_whoever_holds_another_certificate_of_the_authority() {
    let scene = Scene::new().await;
    let thief = scene.root.chain("thief");
    for session in &scene.sessions {
        let request = scene
            .controller
            .request(Method::GET, "/current-api-session");
        let reply = request.session(session).certificates(&thief).send().await;
        assert_eq!(reply.status, 401);
    }
}
