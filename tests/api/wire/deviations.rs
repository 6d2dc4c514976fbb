//! What Portcullis answers otherwise than OpenZiti on purpose: `docs/api-deviations.md`.

use crate::entities::auth_policies;
use crate::support::credentials::with_password;
use crate::support::idp::Idp;
use crate::support::lists::encode;
use crate::support::network::Network;
use crate::support::third_party::{self, Authority};
use crate::support::{revision, shown_error};
use http::Method;
use insta::assert_snapshot;
use portcullis_domain::clock::SignedDuration;
use portcullis_http::path::Api;
use portcullis_testkit::{Harness, Reply};
use serde_json::json;

/// Makes a bare identity and answers its path.
async fn identity(controller: &Harness, admin: &str, name: &str) -> String {
    let body = json!({"name": name, "isAdmin": false});
    let id = controller
        .manage(Method::POST, "/identities", admin)
        .json(&body)
        .send()
        .await
        .id();
    format!("/identities/{id}")
}

#[track_caller]
fn assert_faulty(reply: &Reply, field: &str) {
    assert_eq!(
        reply.error(),
        (400, "COULD_NOT_VALIDATE".to_owned()),
        "{}",
        reply.text()
    );
    assert_eq!(reply.field(), field);
}

#[tokio::test]
async fn unusable_names_are_refused_and_change_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    identity(&controller, &admin, "taken").await;
    let path = identity(&controller, &admin, "laptop").await;
    for name in ["", " \t", "taken"] {
        for (method, path) in [
            (Method::POST, "/identities"),
            (Method::PUT, path.as_str()),
            (Method::PATCH, path.as_str()),
        ] {
            let body = json!({"name": name, "type": "Default", "isAdmin": false});
            let reply = controller
                .manage(method, path, &admin)
                .json(&body)
                .send()
                .await;
            assert_faulty(&reply, "name");
        }
    }
    let detail = controller
        .manage(Method::GET, &path, &admin)
        .send()
        .await
        .data();
    assert_eq!(detail["name"], "laptop");
}

#[tokio::test]
async fn nested_tags_are_refused() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for tags in [json!({"a": {"b": 1}}), json!({"a": [1]})] {
        let body = json!({"name": "laptop", "isAdmin": false, "tags": tags});
        let reply = controller
            .manage(Method::POST, "/identities", &admin)
            .json(&body)
            .send()
            .await;
        assert_eq!(
            reply.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{}",
            reply.text()
        );
        assert!(reply.field().starts_with("tags"), "{}", reply.text());
    }
}

#[tokio::test]
async fn merge_without_effect_is_a_success() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let path = identity(&controller, &admin, "laptop").await;
    for body in [
        json!({}),
        json!({"name": null, "tags": null, "roleAttributes": null}),
    ] {
        let reply = controller
            .manage(Method::PATCH, &path, &admin)
            .json(&body)
            .send()
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.data()),
            (200, json!({})),
            "{body}"
        );
    }
}

/// Each change of a posture check names its type; the others show transit routers, and the
/// caller's authenticators.
const LEFT_OUT: [&str; 3] = [
    "/posture-checks",
    "/routers",
    "/current-identity/authenticators",
];

/// The collections whose entities administrators can patch.
fn patched_collections(controller: &Harness) -> Vec<&'static str> {
    let routes = controller.table().routes().iter();
    routes
        .filter(|route| route.method == Method::PATCH && route.apis.contains(&Api::Management))
        .filter(|route| route.is_implemented)
        .filter_map(|route| route.path.strip_suffix("/{id}"))
        .collect()
}

#[tokio::test]
async fn merge_without_effect_leaves_no_trace() {
    let network = Network::new().await;
    let service = network.service("s", &[]).await;
    let config = network.host_config("c", json!({})).await;
    let policy = network.grant("p", "Dial", (&[], &[])).await;
    let edge = network.make("/edge-routers", json!({"name": "e"})).await;
    let transit = json!({"name": "t"});
    let transit = network.make("/transit-routers", transit).await;
    let terminator = json!({"service": service, "router": edge, "binding": "b", "address": "a"});
    let terminator = network.make("/terminators", terminator).await;
    let (controller, admin) = (&network.controller, &network.admin);
    let (user, updb, _) = with_password(controller, admin, "user", json!({})).await;
    let auth_policy = auth_policies::policy("a");
    let auth_policy = network.make("/auth-policies", auth_policy).await;
    let idp = Idp::new(controller, "idp");
    let signer = idp.register(controller, admin, json!({})).await;
    let root = Authority::root("root");
    let ca = third_party::add(controller, admin, ("ca", &root), json!({})).await;
    let config_type = network.make("/config-types", json!({"name": "ct"})).await;
    let roles = json!({"name": "r", "semantic": "AnyOf"});
    let edge_policy = network.make("/edge-router-policies", roles.clone()).await;
    let service_policy = network.make("/service-edge-router-policies", roles).await;
    let paths = [
        format!("/identities/{user}"),
        format!("/authenticators/{updb}"),
        format!("/auth-policies/{auth_policy}"),
        format!("/external-jwt-signers/{signer}"),
        format!("/cas/{ca}"),
        format!("/config-types/{config_type}"),
        format!("/services/{service}"),
        format!("/configs/{config}"),
        format!("/service-policies/{policy}"),
        format!("/edge-routers/{edge}"),
        format!("/transit-routers/{transit}"),
        format!("/terminators/{terminator}"),
        format!("/edge-router-policies/{edge_policy}"),
        format!("/service-edge-router-policies/{service_policy}"),
    ];
    for collection in patched_collections(controller) {
        let is_left_out = LEFT_OUT.contains(&collection);
        let mut asked = paths.iter().filter_map(|path| path.rsplit_once('/'));
        let is_asked = asked.any(|(asked, _id)| asked == collection);
        assert_ne!(is_asked, is_left_out, "{collection}");
    }
    for path in &paths {
        let before = network.read(path).await;
        network
            .controller
            .clock
            .advance(SignedDuration::from_mins(1));
        let at = revision(controller);
        for body in [json!({}), json!({"name": null, "tags": null})] {
            network.patch(path, body).await;
        }
        assert_eq!(network.read(path).await, before, "{path}");
        assert_eq!(revision(controller), at, "{path}");
    }
    for path in [
        "/services/nope",
        "/edge-routers/nope",
        &format!("/edge-routers/{transit}"),
    ] {
        let reply = network.send(Method::PATCH, path, &json!({})).await;
        assert_eq!(reply.status, 404, "{path}");
    }
}

#[tokio::test]
async fn faults_of_requests_are_400() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let path = identity(&controller, &admin, "laptop").await;
    for (method, path) in [
        (Method::POST, "/identities"),
        (Method::PUT, path.as_str()),
        (Method::PATCH, path.as_str()),
    ] {
        let request = controller.manage(method, path, &admin);
        assert_faulty(
            &request.text("application/json", "").send().await,
            "identity",
        );
    }
    let list = controller
        .manage(Method::GET, "/identities?offset=x", &admin)
        .send()
        .await;
    assert_faulty(&list, "offset");
    let login = controller
        .request(Method::POST, "/edge/client/v1/authenticate?method=foo")
        .json(&json!({}))
        .send()
        .await;
    assert_faulty(&login, "method");
}

#[tokio::test]
async fn disabling_answers_an_envelope() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let path = identity(&controller, &admin, "laptop").await;
    for action in ["disable", "enable"] {
        let path = format!("{path}/{action}");
        let body = json!({"durationMinutes": 10});
        let reply = controller
            .manage(Method::POST, &path, &admin)
            .json(&body)
            .send()
            .await;
        assert_eq!(reply.json(), json!({"data": {}, "meta": {}}), "{action}");
    }
}

#[tokio::test]
async fn replacement_keeps_an_identity_disabled() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let path = identity(&controller, &admin, "laptop").await;
    let disable = format!("{path}/disable");
    let forever = json!({"durationMinutes": 0});
    controller
        .manage(Method::POST, &disable, &admin)
        .json(&forever)
        .send()
        .await
        .data();
    let body = json!({"name": "tablet", "type": "Default", "isAdmin": false});
    controller
        .manage(Method::PUT, &path, &admin)
        .json(&body)
        .send()
        .await
        .data();
    let detail = controller
        .manage(Method::GET, &path, &admin)
        .send()
        .await
        .data();
    assert_eq!(
        (&detail["name"], &detail["disabled"]),
        (&json!("tablet"), &json!(true))
    );
}

#[tokio::test]
async fn enrollments_have_real_times() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({"name": "laptop", "isAdmin": false, "enrollment": {"ott": true}});
    controller
        .manage(Method::POST, "/identities", &admin)
        .json(&body)
        .send()
        .await
        .id();
    let list = controller
        .manage(Method::GET, "/enrollments", &admin)
        .send()
        .await
        .data();
    let [enrollment] = list.as_array().unwrap().as_slice() else {
        panic!("{list}")
    };
    for member in ["createdAt", "updatedAt"] {
        let time = enrollment[member].as_str().unwrap();
        assert!(!time.starts_with("0001-"), "{member}: {time}");
    }
}

#[tokio::test]
async fn wrong_method_names_the_right_ones() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let reply = controller
        .manage(Method::PATCH, "/identities", &admin)
        .send()
        .await;
    assert_eq!(reply.error(), (405, "METHOD_NOT_ALLOWED".to_owned()));
    let mut allowed: Vec<_> = reply.headers["allow"]
        .to_str()
        .unwrap()
        .split(", ")
        .map(str::to_owned)
        .collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "POST"]);
}

#[tokio::test]
async fn version_claims_only_what_is_there() {
    let controller = Harness::start().await;
    let version = controller
        .request(Method::GET, "/version")
        .send()
        .await
        .data();
    let capabilities = json!(["OIDC_AUTH", "OIDC_AUTH_WITH_CSR"]);
    assert_eq!(version["capabilities"], capabilities);
    assert_eq!(version["version"], "v2.1.0");
    assert!(
        version["buildInfo"]
            .as_str()
            .unwrap()
            .starts_with("Portcullis ")
    );
}

#[tokio::test]
async fn type_of_an_identity_is_optional() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let path = identity(&controller, &admin, "laptop").await;
    let detail = controller
        .manage(Method::GET, &path, &admin)
        .send()
        .await
        .data();
    assert_eq!(detail["typeId"], "Default");
}

#[tokio::test]
async fn callers_make_no_router_identities() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({"name": "r", "type": "Router", "isAdmin": false});
    let reply = controller
        .manage(Method::POST, "/identities", &admin)
        .json(&body)
        .send()
        .await;
    assert_faulty(&reply, "type");
}

#[tokio::test]
async fn an_identity_is_created_with_one_enrollment_at_most() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({
        "name": "laptop", "isAdmin": false, "enrollment": {"ott": true, "updb": "laptop"},
    });
    let reply = controller
        .manage(Method::POST, "/identities", &admin)
        .json(&body)
        .send()
        .await;
    assert_faulty(&reply, "enrollment");
    let list = controller
        .manage(Method::GET, "/identities", &admin)
        .send()
        .await
        .json();
    assert_eq!(
        list["meta"]["pagination"]["totalCount"], 1,
        "only the administrator is there"
    );
}

#[tokio::test]
async fn errors_repeat_the_value_that_was_sent() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({
        "identityId": "nobody", "method": "ott", "expiresAt": "2999-01-01T00:00:00Z",
    });
    let reply = controller
        .manage(Method::POST, "/enrollments", &admin)
        .json(&body)
        .send()
        .await;
    assert_snapshot!(shown_error(&reply), @r#"
        400 Bad Request
        {
          "error": {
            "cause": {
              "code": "UNHANDLED",
              "message": "the value 'nobody' for 'identityId' is invalid: no identity with this id exists"
            },
            "code": "INVALID_FIELD",
            "message": "A field of the request has an invalid value",
            "requestId": null
          },
          "meta": {
            "apiEnrollmentVersion": "0.0.1",
            "apiVersion": "0.0.1"
          }
        }
        "#);
}

#[tokio::test]
async fn strangers_filter_signers_by_what_they_are_shown() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let how = json!({"name": "one", "clientId": "app", "scopes": ["openid"], "tags": {"a": "b"}});
    let id = Idp::new(&controller, "idp")
        .register(&controller, &admin, how)
        .await;
    let ask = async |asked: &str| {
        let path = "/edge/client/v1/external-jwt-signers?filter=";
        let path = format!("{path}{}", encode(asked));
        controller.request(Method::GET, &path).send().await
    };
    for shown in [
        &*format!("id = \"{id}\""),
        "name = \"one\" sort by audience",
        "audience = \"portcullis\"",
        "clientId = \"app\"",
        "anyOf(scopes) = \"openid\"",
        "targetToken = \"ACCESS\"",
        "enrollToCertEnabled = false and enrollToTokenEnabled = false",
        "tags.a = \"b\" and isSystem = false",
        "createdAt > datetime(2000-01-01T00:00:00Z) sort by updatedAt",
    ] {
        let found = ask(shown).await.data();
        assert_eq!(found.as_array().unwrap().len(), 1, "{shown}");
    }
    let listed = ask("true").await.json()["meta"]["filterableFields"].clone();
    assert!(listed.as_array().unwrap().contains(&json!("clientId")));
    for hidden in [
        "issuer",
        "kid",
        "fingerprint",
        "certPem",
        "commonName",
        "claimsProperty",
        "enrollAttributeClaimsSelector",
        "enrollNameClaimsSelector",
        "enrollAuthPolicyId",
        "jwksEndpoint",
        "notAfter",
        "notBefore",
        "enabled",
        "useExternalId",
    ] {
        assert!(
            !listed.as_array().unwrap().contains(&json!(hidden)),
            "{hidden}"
        );
        for asked in [
            format!("{hidden} != null"),
            format!("true sort by {hidden}"),
        ] {
            let refused = ask(&asked).await.error();
            assert_eq!(refused, (400, "INVALID_FILTER".to_owned()), "{asked}");
        }
    }
}

#[tokio::test]
async fn errors_of_lists_keep_their_status_under_every_encoding() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let reply = controller
        .manage(Method::GET, "/identities?filter=nonsense", &admin)
        .header("accept-encoding", "br")
        .send()
        .await;
    assert_eq!(reply.error().0, 400);
    assert!(!reply.headers.contains_key("content-encoding"));
}

#[tokio::test]
async fn unusable_credentials_of_an_enrollment_are_400() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    controller.create_user(&admin, "first", json!({})).await;
    let body = json!({"name": "second", "isAdmin": false, "enrollment": {"updb": "second"}});
    let id = controller
        .manage(Method::POST, "/identities", &admin)
        .json(&body)
        .send()
        .await
        .id();
    let path = format!("/identities/{id}");
    let detail = controller
        .manage(Method::GET, &path, &admin)
        .send()
        .await
        .data();
    let token = detail["enrollment"]["updb"]["token"].as_str().unwrap();
    let path = format!("/edge/client/v1/enroll?method=updb&token={token}");
    for body in [json!({}), json!({"password": ""})] {
        let reply = controller
            .request(Method::POST, &path)
            .json(&body)
            .send()
            .await;
        assert_faulty(&reply, "password");
    }
}

#[tokio::test]
async fn use_prolongs_a_session() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let minutes = controller.app.settings().session_timeout.as_mins();
    for _ in 0..3 {
        controller
            .clock
            .advance(SignedDuration::from_mins(minutes - 1));
        controller
            .manage(Method::GET, "/identities", &admin)
            .send()
            .await
            .data();
    }
}
