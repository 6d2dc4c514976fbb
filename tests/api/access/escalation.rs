//! Property S-52: no permission leads to the means of becoming somebody who may do more.

use crate::support::{
    STRICT, add_strict_policy, create, get, pending_enrollment, redeem, revision, text,
};
use http::Method;
use portcullis_domain::permission::Permission;
use portcullis_testkit::{Harness, client_key_and_csr};
use serde_json::{Value, json};

const LATER: &str = "2040-01-01T00:00:00Z";

/// Somebody who can be enrolled, and what redeems the enrollment.
struct Target {
    id: String,
    enrollment: Value,
}

impl Target {
    async fn make(controller: &Harness, admin: &str, name: &str, mut more: Value) -> Self {
        more["enrollment"] = json!({"ott": true});
        let id = create(controller, admin, name, more).await;
        let enrollment = pending_enrollment(controller, admin, &id, "ott").await;
        Self { id, enrollment }
    }

    fn is_revealed_by(&self, answer: &str) -> bool {
        ["token", "jwt"]
            .into_iter()
            .any(|secret| answer.contains(text(&self.enrollment, secret)))
    }
}

/// What can be read of the targets: every GET route there is, about each of them.
fn paths(controller: &Harness, targets: &[&Target]) -> Vec<String> {
    let mut paths = Vec::new();
    for route in controller.table().routes() {
        if route.method != Method::GET {
            continue;
        }
        for api in route.apis {
            let path = format!("{}{}", api.base_path(), route.path);
            if !path.contains("{id}") {
                paths.push(path);
                continue;
            }
            for target in targets {
                for id in [&target.id, text(&target.enrollment, "id")] {
                    paths.push(path.replace("{id}", id));
                }
            }
        }
    }
    let management = "/edge/management/v1";
    for list in ["identities", "enrollments"] {
        for query in [
            "limit=500",
            "filter=true%20sort%20by%20createdAt%20desc%20limit%20none",
            "filter=not%20%28id%20%3D%20%22x%22%29",
        ] {
            paths.push(format!("{management}/{list}?{query}"));
        }
    }
    for target in targets {
        let by_identity = format!("filter=identity%3D%22{}%22", target.id);
        paths.push(format!("{management}/enrollments?{by_identity}"));
    }
    paths
}

async fn answer(controller: &Harness, path: &str, token: &str) -> String {
    let request = controller.request(Method::GET, path).session(token);
    request.send().await.text()
}

#[tokio::test]
async fn no_permission_leads_to_the_token_of_somebody_above() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let everything: Vec<_> = Permission::grantable().map(|p| p.to_string()).collect();
    let boss = Target::make(&controller, &admin, "boss", json!({"isAdmin": true})).await;
    let mighty = json!({"permissions": everything});
    let mighty = Target::make(&controller, &admin, "mighty", mighty).await;
    let peer = Target::make(&controller, &admin, "peer", json!({})).await;
    let above = [&boss, &mighty];

    // Where an administrator finds a token, and nobody else may.
    let mut revealing = Vec::new();
    for path in paths(&controller, &[&boss, &mighty, &peer]) {
        let shown = answer(&controller, &path, &admin).await;
        if above.iter().any(|target| target.is_revealed_by(&shown)) {
            revealing.push(path);
        }
    }
    for part in [
        "/identities",
        "/identities/",
        "/enrollments",
        "/enrollments/",
    ] {
        assert!(
            revealing.iter().any(|path| path.contains(part)),
            "{part} is among {revealing:?}"
        );
    }
    let by_peer = format!("/edge/management/v1/identities/{}", peer.id);

    let holder = controller.create_user(&admin, "holder", json!({})).await;
    let holder_id = crate::support::find_identity_id(&controller, &admin, "holder").await;
    for permission in Permission::grantable() {
        let name = permission.to_string();
        let path = format!("/identities/{holder_id}");
        let request = controller.manage(Method::PATCH, &path, &admin);
        let granted = request.json(&json!({"permissions": [name]})).send().await;
        assert_eq!(granted.status, 200, "{}", granted.text());

        for path in &revealing {
            let shown = answer(&controller, path, &holder).await;
            for target in above {
                assert!(!target.is_revealed_by(&shown), "{name}: {path}");
            }
        }
        // Not even those below are shown to somebody with one permission alone.
        let shown = answer(&controller, &by_peer, &holder).await;
        assert!(!peer.is_revealed_by(&shown), "{name}");

        let at = revision(&controller);
        for target in above {
            let refresh = format!("/enrollments/{}/refresh", text(&target.enrollment, "id"));
            for (path, body) in [
                (refresh.as_str(), json!({"expiresAt": LATER})),
                (
                    "/enrollments",
                    json!({"identityId": target.id, "method": "updb", "username": "someone", "expiresAt": LATER}),
                ),
            ] {
                let request = controller.manage(Method::POST, path, &holder);
                let refused = request.json(&body).send().await;
                assert_eq!(refused.status, 401, "{name}: {path}: {}", refused.text());
            }
        }
        assert_eq!(revision(&controller), at, "{name} changed something");
    }
}

#[tokio::test]
async fn who_covers_the_permissions_of_another_may_enroll_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let reader = json!({"permissions": ["service.read"]});
    let reader = Target::make(&controller, &admin, "reader", reader).await;
    let refresh = format!("/enrollments/{}/refresh", text(&reader.enrollment, "id"));
    for (number, (permissions, is_above)) in [
        (json!(["identity", "enrollment"]), false),
        (json!(["identity", "enrollment", "service.update"]), false),
        (json!(["identity", "enrollment", "service.read"]), true),
        (json!(["identity", "enrollment", "service"]), true),
        (json!(["identity", "enrollment", "admin_readonly"]), true),
    ]
    .into_iter()
    .enumerate()
    {
        let more = json!({"permissions": permissions});
        let name = format!("helper {number}");
        let helper = controller.create_user(&admin, &name, more).await;
        let path = format!("/identities/{}", reader.id);
        let shown = get(&controller, &helper, &path).await.data();
        assert_eq!(
            shown["enrollment"]["ott"]["token"].is_string(),
            is_above,
            "{permissions}: {shown}"
        );
        let request = controller.manage(Method::POST, &refresh, &helper);
        let refreshed = request.json(&json!({"expiresAt": LATER})).send().await;
        let status = if is_above { 200 } else { 401 };
        assert_eq!(refreshed.status, status, "{permissions}");
    }
}

#[tokio::test]
async fn own_enrollments_are_shown_to_oneself() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (name, more) in [
        ("plain", json!({})),
        ("appointed", json!({"isAdmin": true})),
        ("reader", json!({"permissions": ["identity.read"]})),
    ] {
        let own = controller.create_user(&admin, name, more).await;
        let id = crate::support::find_identity_id(&controller, &admin, name).await;
        let body = json!({"identityId": id, "method": "ott", "expiresAt": LATER});
        let request = controller.manage(Method::POST, "/enrollments", &admin);
        request.json(&body).send().await.id();
        let token = pending_enrollment(&controller, &admin, &id, "ott").await["token"].clone();
        let shown = get(&controller, &own, "/current-identity").await.data();
        assert_eq!(shown["enrollment"]["ott"]["token"], token, "{name}");
    }
}

#[tokio::test]
async fn ways_in_to_somebody_above_are_for_administrators() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_strict_policy(&controller).await;
    let above = create(
        &controller,
        &admin,
        "above",
        json!({"permissions": ["service"]}),
    )
    .await;
    let below = create(
        &controller,
        &admin,
        "below",
        json!({"permissions": ["identity.read"]}),
    )
    .await;
    let helper = json!({"permissions": ["identity"]});
    let helper = controller.create_user(&admin, "helper", helper).await;
    for (number, patch) in [
        json!({"authPolicyId": STRICT}),
        json!({"externalId": "helper@example.com"}),
        json!({"externalId": null, "authPolicyId": STRICT}),
        json!({"name": "renamed", "externalId": "subject"}),
    ]
    .into_iter()
    .enumerate()
    {
        let change = async |token: &str, id: &str| {
            let request = controller.manage(Method::PATCH, &format!("/identities/{id}"), token);
            request.json(&patch).send().await
        };
        let at = revision(&controller);
        let refusal = change(&helper, &above).await;
        assert_eq!(refusal.error(), (401, "UNAUTHORIZED".to_owned()), "{patch}");
        assert_eq!(revision(&controller), at, "{patch}");
        assert_eq!(change(&helper, &below).await.status, 200, "{patch}");
        if number == 0 {
            assert_eq!(change(&admin, &above).await.status, 200, "{patch}");
        }
    }
    let request = controller.manage(Method::PATCH, &format!("/identities/{above}"), &helper);
    let renamed = request.json(&json!({"name": "called otherwise"})).send();
    assert_eq!(renamed.await.status, 200, "a name is no way in");
}

/// Whoever has seen the token of somebody below does not come up with them.
#[tokio::test]
async fn tokens_do_not_rise_with_their_identity() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let change = async |id: &str, patch: Value| {
        let request = controller.manage(Method::PATCH, &format!("/identities/{id}"), &admin);
        request.json(&patch).send().await.data();
    };
    for (number, patch) in [
        json!({"isAdmin": true}),
        json!({"permissions": ["service.read", "ca"]}),
    ]
    .into_iter()
    .enumerate()
    {
        let more = json!({"permissions": ["service"]});
        let target = Target::make(&controller, &admin, &format!("target {number}"), more).await;
        change(&target.id, json!({"name": format!("called {number}")})).await;
        change(&target.id, patch.clone()).await;
        let (_key, csr) = client_key_and_csr();
        let seen = text(&target.enrollment, "token");
        let refused = redeem(&controller, seen, &csr).await;
        assert_eq!(refused.error(), (401, "UNAUTHORIZED".to_owned()), "{patch}");

        let path = format!("/enrollments/{}/refresh", text(&target.enrollment, "id"));
        let request = controller.manage(Method::POST, &path, &admin);
        let refreshed = request.json(&json!({"expiresAt": LATER})).send().await;
        refreshed.data();
        let after = pending_enrollment(&controller, &admin, &target.id, "ott").await;
        let reply = redeem(&controller, text(&after, "token"), &csr).await;
        assert_eq!(reply.status, 200, "{patch}");
    }
    // One who may do less than before is enrolled as ever.
    let more = json!({"permissions": ["service"]});
    let target = Target::make(&controller, &admin, "lowered", more).await;
    change(&target.id, json!({"permissions": ["service.read"]})).await;
    let (_key, csr) = client_key_and_csr();
    let reply = redeem(&controller, text(&target.enrollment, "token"), &csr).await;
    assert_eq!(reply.status, 200);
}
