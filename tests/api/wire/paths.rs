//! How paths find their route: prefixes, normalization, unknown paths, wrong methods.

use crate::support::{create, get, shown_error};
use http::Method;
use insta::assert_snapshot;
use portcullis_http::path::Api;
use portcullis_testkit::Harness;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

#[tokio::test]
async fn client_api_is_found_under_each_of_its_prefixes() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for path in [
        "/current-identity",
        "/controllers",
        "/services",
        "/version",
        "/",
    ] {
        let mut answers = BTreeSet::new();
        for prefix in [
            "",
            "/edge/v1",
            "/edge/client/v1",
            "//edge//client/v1",
            "/./edge/x/../v1",
        ] {
            let request = controller.request(Method::GET, &format!("{prefix}{path}"));
            let reply = request.session(&admin).send().await;
            assert_eq!(reply.status, 200, "{prefix}{path}");
            let mut answer = reply.json();
            // The order of the names is of no meaning.
            answer["meta"] = json!(null);
            answers.insert(answer.to_string());
        }
        assert_eq!(answers.len(), 1, "{path}");
    }
}

/// Every byte as `%XX`.
fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        write!(encoded, "%{byte:02X}").unwrap();
        encoded
    })
}

#[tokio::test]
async fn paths_are_cleaned_and_parameters_decoded() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "x", json!({})).await;
    let encoded = percent(&id);
    for path in [
        format!("/edge/management/v1/identities/{id}"),
        format!("/edge/management/v1//identities/{id}"),
        format!("/edge/management/v1/identities/{id}//"),
        format!("/edge/management/v1/identities/{id}/"),
        format!("/edge/management/v1/./identities/none/../{id}"),
        format!("/../../edge/management/v1/identities/{id}"),
        format!("/edge/management/v1/identities/{encoded}"),
        format!("/edge/management/v1/identities/{id}?unknown=1&unknown=2"),
    ] {
        let reply = controller.request(Method::GET, &path).session(&admin);
        assert_eq!(reply.send().await.data()["id"], id.as_str(), "{path}");
    }
    let list = controller
        .request(Method::GET, "/edge/management/v1/identities/")
        .session(&admin);
    assert_eq!(list.send().await.data().as_array().unwrap().len(), 2);

    for path in [
        "/edge/management/v1/identities/%".to_owned(),
        "/edge/management/v1/identities/%zz".to_owned(),
        "/edge/management/v1/identities/%ff".to_owned(),
        format!("/edge/management/v1/identities/{id}%00"),
        format!("/edge/management/v1/identities/x%2F..%2F{id}"),
        format!("/edge/management/v1/Identities/{id}"),
        format!("/edge/management/v1/identities/{id}/nothing"),
        "/edge/management/v1".to_owned() + "0/identities",
        "/edge/management/v1/../../../etc/passwd".to_owned(),
        "/fabric/v1/raft/members".to_owned(),
        "/identities".to_owned(),
        "/oidcs/login".to_owned(),
    ] {
        let reply = controller.request(Method::GET, &path).session(&admin);
        let reply = reply.send().await;
        assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn unknown_paths_are_named_in_an_envelope() {
    let controller = Harness::start().await;
    let mut bodies = BTreeSet::new();
    for (path, named) in [
        ("/no-such-thing", "/edge/client/v1/no-such-thing"),
        ("/edge/v1/no-such-thing", "/edge/client/v1/no-such-thing"),
        (
            "/edge/client/v1/no-such-thing",
            "/edge/client/v1/no-such-thing",
        ),
        (
            "/edge/management/v1/no-such-thing",
            "/edge/management/v1/no-such-thing",
        ),
    ] {
        let reply = controller.request(Method::GET, path).send().await;
        bodies.insert(shown_error(&reply).replace(named, "NAMED"));
    }
    assert_snapshot!(String::from_iter(bodies), @r#"
        404 Not Found
        {
          "error": {
            "cause": {
              "code": "UNHANDLED",
              "message": "nothing is served at NAMED; check the path and the API version"
            },
            "code": "NOT_FOUND",
            "message": "Nothing was found under this path or id",
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
async fn wrong_methods_are_told_the_right_ones() {
    let controller = Harness::start().await;
    let mut known: BTreeMap<(Api, &str), BTreeSet<String>> = BTreeMap::new();
    for route in controller.table().routes() {
        for &api in route.apis {
            let methods = known.entry((api, route.path)).or_default();
            assert!(methods.insert(route.method.to_string()), "{route:?} twice");
        }
    }
    assert!(known.len() > 30, "{}", known.len());
    for ((api, path), methods) in known {
        let path = format!("{}{}", api.base_path(), path.replace("{id}", "x"));
        for method in [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND",
        ] {
            if methods.contains(method) {
                continue;
            }
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let reply = controller.request(method.clone(), &path).send().await;
            let json = reply.json();
            // Logins have errors without an envelope.
            let code = json["error"]["code"].as_str().or(json["code"].as_str());
            let refused = (reply.status.as_u16(), code);
            assert_eq!(
                refused,
                (405, Some("METHOD_NOT_ALLOWED")),
                "{method} {path}"
            );
            let allow = reply.headers["allow"].to_str().unwrap();
            let allowed: BTreeSet<_> = allow.split(", ").map(str::to_owned).collect();
            assert_eq!(allowed, methods, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn the_two_apis_have_their_own_routes() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for path in ["/protocols", "/current-identity/edge-routers"] {
        let elsewhere = get(&controller, &admin, path).await;
        assert_eq!(elsewhere.error(), (404, "NOT_FOUND".to_owned()), "{path}");
        let here = controller.request(Method::GET, path).session(&admin);
        assert_eq!(here.send().await.status, 200, "{path}");
    }
    for path in ["/enroll", "/enroll/ott"] {
        let elsewhere = controller.manage(Method::POST, path, &admin).send().await;
        assert_eq!(elsewhere.error(), (404, "NOT_FOUND".to_owned()), "{path}");
    }
}
