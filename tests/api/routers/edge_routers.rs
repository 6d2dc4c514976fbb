//! Edge routers and transit routers, as administrators have them.

use crate::support::{get, merge, revision, send, text};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{Harness, HarnessOptions};
use serde_json::{Value, json};

/// Creates a router in a collection; answers its id.
pub(crate) async fn add(
    controller: &Harness,
    admin: &str,
    all: &str,
    name: &str,
    more: Value,
) -> String {
    let mut body = json!({"name": name});
    merge(&mut body, more);
    send(controller, admin, (Method::POST, all), &body)
        .await
        .id()
}

/// Creates an edge router; answers its id.
pub(crate) async fn add_edge(controller: &Harness, admin: &str, name: &str, more: Value) -> String {
    add(controller, admin, "/edge-routers", name, more).await
}

/// Creates a transit router; answers its id.
pub(crate) async fn add_transit(
    controller: &Harness,
    admin: &str,
    name: &str,
    more: Value,
) -> String {
    add(controller, admin, "/transit-routers", name, more).await
}

/// Reads an edge router.
pub(crate) async fn edge(controller: &Harness, admin: &str, id: &str) -> Value {
    get(controller, admin, &format!("/edge-routers/{id}"))
        .await
        .data()
}

async fn names(controller: &Harness, token: &str, path: &str) -> Vec<String> {
    let list = get(controller, token, path).await.data();
    let mut names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| text(one, "name").to_owned())
        .collect();
    names.sort();
    names
}

const NOT_FOUND: &str = "NOT_FOUND";

#[tokio::test]
async fn a_router_is_created_with_its_enrollment_and_read_back() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let more = json!({
        "cost": 10, "noTraversal": true, "disabled": true, "tags": {"t": 1}, "appData": {"k": "v"},
        "roleAttributes": ["b", "a", "b"], "ctrlChanListeners": {"tls:a:1": ["g"]},
    });
    let id = add_edge(&controller, &admin, "r", more).await;
    let router = edge(&controller, &admin, &id).await;
    for (member, value) in [
        ("cost", json!(10)),
        ("noTraversal", json!(true)),
        ("disabled", json!(true)),
        ("roleAttributes", json!(["a", "b"])),
        ("appData", json!({"k": "v"})),
        ("isVerified", json!(false)),
        ("isOnline", json!(false)),
        ("isTunnelerEnabled", json!(false)),
        ("certPem", Value::Null),
        ("ctrlChanListeners", json!({"tls:a:1": ["g"]})),
    ] {
        assert_eq!(router[member], value, "{member}");
    }
    let path = format!("/enrollments?filter=edgeRouter%3D%22{id}%22");
    let enrollment = get(&controller, &admin, &path).await.data()[0].clone();
    assert_eq!(enrollment["method"], "erott");
    assert_eq!(enrollment["edgeRouter"]["name"], "r");
    for (member, of_enrollment) in [
        ("enrollmentToken", "token"),
        ("enrollmentJwt", "jwt"),
        ("enrollmentExpiresAt", "expiresAt"),
        ("enrollmentCreatedAt", "createdAt"),
    ] {
        assert_eq!(router[member], enrollment[of_enrollment], "{member}");
    }
}

#[tokio::test]
async fn the_configuration_says_how_long_a_router_may_take_to_enroll() {
    let mut options = HarnessOptions::default();
    options.settings.router_enrollment_duration = SignedDuration::from_mins(7);
    let controller = Harness::start_with(options).await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    let router = edge(&controller, &admin, &id).await;
    let time = |member| {
        text(&router, member)
            .parse::<portcullis_domain::clock::Timestamp>()
            .unwrap()
    };
    let lasts = time("enrollmentExpiresAt").duration_since(time("enrollmentCreatedAt"));
    assert!(
        lasts <= SignedDuration::from_mins(7) && lasts > SignedDuration::from_mins(6),
        "{lasts}"
    );
}

/// Whoever sees the token may take the place of the router.
#[tokio::test]
async fn tokens_are_shown_to_those_who_may_make_them() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    for (number, (permissions, sees)) in [
        (json!(["router.read"]), false),
        (
            json!(["router.read", "router.create", "router.delete"]),
            false,
        ),
        (json!(["router.read", "router.update"]), true),
        (json!(["router"]), true),
        (json!(["router.read", "enrollment"]), false),
    ]
    .into_iter()
    .enumerate()
    {
        let more = json!({"permissions": permissions});
        let token = controller
            .create_user(&admin, &format!("user {number}"), more)
            .await;
        let list = get(&controller, &token, "/edge-routers").await.data();
        for shown in [edge(&controller, &token, &id).await, list[0].clone()] {
            assert!(shown["enrollmentExpiresAt"].is_string(), "{permissions}");
            for member in ["enrollmentToken", "enrollmentJwt"] {
                assert_eq!(shown.get(member).is_some(), sees, "{permissions} {member}");
            }
        }
    }
}

#[tokio::test]
async fn faults_are_named_and_change_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = add_edge(&controller, &admin, "r", json!({})).await;
    add_transit(&controller, &admin, "taken", json!({})).await;
    let before = (edge(&controller, &admin, &id).await, revision(&controller));
    let one = format!("/edge-routers/{id}");
    for (body, field) in [
        (json!({"name": "x", "cost": 65536}), "cost"),
        (json!({"name": "x", "cost": -1}), "cost"),
        (
            json!({"name": "x", "roleAttributes": ["#x"]}),
            "roleAttributes",
        ),
        (json!({"name": "x", "appData": {"a": {}}}), "appData.a"),
        (json!({"name": " "}), "name"),
        (json!({"name": "taken"}), "name"),
    ] {
        for (method, path) in [
            (Method::POST, "/edge-routers"),
            (Method::PUT, &*one),
            (Method::PATCH, &*one),
        ] {
            let reply = send(&controller, &admin, (method.clone(), path), &body).await;
            assert_eq!(
                reply.error(),
                (400, "COULD_NOT_VALIDATE".to_owned()),
                "{method} {body}"
            );
            assert_eq!(reply.field(), field, "{method} {body}");
        }
    }
    for body in [json!({}), json!({"name": null})] {
        let reply = send(&controller, &admin, (Method::POST, "/edge-routers"), &body).await;
        assert_eq!(reply.field(), "name", "{body}");
    }
    let unknown = json!({"name": "x", "configs": ["nope"]});
    let reply = send(
        &controller,
        &admin,
        (Method::POST, "/edge-routers"),
        &unknown,
    )
    .await;
    assert_eq!(reply.error(), (404, NOT_FOUND.to_owned()));
    assert_eq!(
        before,
        (edge(&controller, &admin, &id).await, revision(&controller))
    );
}

#[tokio::test]
async fn configurations_of_routers_are_meant_for_routers() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let of_service = json!({"name": "s", "schema": {}, "target": "service"});
    let of_router = json!({"name": "r", "schema": {}, "target": "router"});
    let mut configs = Vec::new();
    for kind in [of_service, of_router] {
        let kind = send(&controller, &admin, (Method::POST, "/config-types"), &kind)
            .await
            .id();
        let body = json!({"name": format!("of {kind}"), "configTypeId": kind, "data": {}});
        configs.push(
            send(&controller, &admin, (Method::POST, "/configs"), &body)
                .await
                .id(),
        );
    }
    let body = json!({"name": "x", "configs": [configs[0]]});
    let reply = send(&controller, &admin, (Method::POST, "/edge-routers"), &body).await;
    assert_eq!((reply.status.as_u16(), &*reply.field()), (400, "configs"));
    let id = add_edge(&controller, &admin, "r", json!({"configs": [configs[1]]})).await;
    assert_eq!(
        edge(&controller, &admin, &id).await["configs"],
        json!([configs[1]])
    );
    // The router forgets a configuration that is gone.
    let gone = format!("/configs/{}", configs[1]);
    assert_eq!(
        controller
            .manage(Method::DELETE, &gone, &admin)
            .send()
            .await
            .status,
        200
    );
    assert_eq!(edge(&controller, &admin, &id).await["configs"], Value::Null);
}

#[tokio::test]
async fn edge_operations_know_nothing_of_transit_routers() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    add_edge(&controller, &admin, "e", json!({})).await;
    let transit = add_transit(&controller, &admin, "t", json!({"cost": 3})).await;
    let before = revision(&controller);
    for id in [&*transit, "nope"] {
        let one = format!("/edge-routers/{id}");
        for (method, path) in [
            (Method::GET, one.clone()),
            (Method::PUT, one.clone()),
            (Method::PATCH, one.clone()),
            (Method::DELETE, one.clone()),
            (Method::POST, format!("{one}/re-enroll")),
        ] {
            let reply = send(
                &controller,
                &admin,
                (method.clone(), &path),
                &json!({"name": "x"}),
            )
            .await;
            assert_eq!(
                reply.error(),
                (404, NOT_FOUND.to_owned()),
                "{method} {path}"
            );
        }
    }
    assert_eq!(revision(&controller), before);
    assert_eq!(names(&controller, &admin, "/edge-routers").await, ["e"]);
}

#[tokio::test]
async fn transit_operations_show_all_routers_and_change_no_edge_router() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let edge_router = add_edge(&controller, &admin, "e", json!({})).await;
    let transit = add_transit(&controller, &admin, "t", json!({"cost": 3})).await;
    for all in ["/transit-routers", "/routers"] {
        assert_eq!(names(&controller, &admin, all).await, ["e", "t"]);
        let shown = get(&controller, &admin, &format!("{all}/{edge_router}"))
            .await
            .data();
        assert_eq!(shown["isVerified"], true);
        assert!(shown.get("enrollmentToken").is_none(), "{shown}");
        let shown = get(&controller, &admin, &format!("{all}/{transit}"))
            .await
            .data();
        assert_eq!(
            (&shown["isVerified"], &shown["cost"]),
            (&json!(false), &json!(3))
        );
        assert!(shown["enrollmentJwt"].is_string(), "{shown}");

        let before = revision(&controller);
        let one = format!("{all}/{edge_router}");
        for method in [Method::PUT, Method::PATCH, Method::DELETE] {
            let reply = send(
                &controller,
                &admin,
                (method.clone(), &one),
                &json!({"name": "x"}),
            )
            .await;
            assert_eq!(
                reply.error(),
                (409, "CAN_NOT_UPDATE_ROUTER".to_owned()),
                "{method}"
            );
        }
        assert_eq!(revision(&controller), before);
        let filtered = format!("{all}?filter=roleAttributes%3D%22x%22");
        assert_eq!(
            get(&controller, &admin, &filtered).await.error().1,
            "INVALID_FILTER"
        );
    }
    let one = format!("/transit-routers/{transit}");
    let body = json!({"cost": 9, "noTraversal": true, "disabled": true});
    assert_eq!(
        send(&controller, &admin, (Method::PATCH, &one), &body)
            .await
            .status,
        200
    );
    let shown = get(&controller, &admin, &one).await.data();
    for (member, value) in [
        ("cost", json!(9)),
        ("noTraversal", json!(true)),
        ("disabled", json!(true)),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
}

#[tokio::test]
async fn a_router_takes_along_what_is_its_own() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for (all, kind) in [
        ("/edge-routers", "edgeRouter"),
        ("/transit-routers", "transitRouter"),
    ] {
        let id = add(&controller, &admin, all, "r", json!({})).await;
        let pending = format!("/enrollments?filter={kind}%3D%22{id}%22");
        assert_eq!(
            get(&controller, &admin, &pending)
                .await
                .data()
                .as_array()
                .unwrap()
                .len(),
            1
        );
        let policy = json!({
            "name": "p", "semantic": "AnyOf", "identityRoles": ["#all"],
            "edgeRouterRoles": [format!("@{id}"), "#x"],
        });
        let policy = if all == "/edge-routers" {
            Some(
                send(
                    &controller,
                    &admin,
                    (Method::POST, "/edge-router-policies"),
                    &policy,
                )
                .await
                .id(),
            )
        } else {
            None
        };
        let one = format!("{all}/{id}");
        assert_eq!(
            controller
                .manage(Method::DELETE, &one, &admin)
                .send()
                .await
                .status,
            200
        );
        assert_eq!(get(&controller, &admin, &one).await.error().0, 404);
        assert_eq!(get(&controller, &admin, &pending).await.data(), json!([]));
        if let Some(policy) = policy {
            let policy = get(
                &controller,
                &admin,
                &format!("/edge-router-policies/{policy}"),
            )
            .await
            .data();
            assert_eq!(policy["edgeRouterRoles"], json!(["#x"]));
        }
    }
}

#[tokio::test]
async fn callers_see_the_verified_routers_that_policies_let_them_use() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller
        .create_user(&admin, "user", json!({"roleAttributes": ["u"]}))
        .await;
    let own = async |token: &str| {
        let request =
            controller.request(Method::GET, "/edge/client/v1/current-identity/edge-routers");
        request.session(token).send().await.data()
    };
    let policy = json!({
        "name": "p", "semantic": "AnyOf", "identityRoles": ["#u"], "edgeRouterRoles": ["#near"],
    });
    send(
        &controller,
        &admin,
        (Method::POST, "/edge-router-policies"),
        &policy,
    )
    .await
    .id();
    let near = json!({"roleAttributes": ["near"]});
    for (name, more) in [("near", near.clone()), ("far", json!({})), ("new", near)] {
        let id = add_edge(&controller, &admin, name, more).await;
        if name != "new" {
            crate::routers::enrollment::enroll(&controller, &admin, &id).await;
        }
    }
    add_transit(&controller, &admin, "t", json!({})).await;
    let list = own(&user).await;
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list[0]["name"], "near");
    assert_eq!(list[0]["supportedProtocols"], json!({}));
    assert!(list[0].get("enrollmentToken").is_none() && list[0].get("appData").is_none());
    assert_eq!(own(&admin).await.as_array().unwrap().len(), 2);
    let other = controller.create_user(&admin, "other", json!({})).await;
    assert_eq!(own(&other).await, json!([]));
}

#[tokio::test]
async fn clients_filter_routers_by_what_they_are_shown() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let more = json!({"roleAttributes": ["near"], "cost": 7});
    let id = add_edge(&controller, &admin, "near", more).await;
    crate::routers::enrollment::enroll(&controller, &admin, &id).await;
    let ask = async |query: &str| {
        let path = format!("/edge/client/v1/current-identity/edge-routers?{query}");
        let request = controller.request(Method::GET, &path);
        request.session(&admin).send().await
    };
    for symbol in [
        "fingerprint",
        "isVerified",
        "isTunnelerEnabled",
        "configs",
        "configs.name",
        "roleAttributes",
    ] {
        for query in [
            format!("filter=not%20isEmpty%28{symbol}%29"),
            format!("filter={symbol}%20%3D%20%22x%22"),
            format!("filter=anyOf%28{symbol}%29%20%3D%20%22x%22"),
            format!("filter=true%20sort%20by%20{symbol}"),
        ] {
            let reply = ask(&query).await;
            assert_eq!(reply.error(), (400, "INVALID_FILTER".to_owned()), "{query}");
        }
    }
    for (query, count) in [
        ("filter=name%20%3D%20%22near%22", 1),
        ("filter=cost%20%3D%207%20and%20disabled%20%3D%20false", 1),
        ("filter=true%20sort%20by%20name", 1),
        ("roleFilter=%23near", 0),
    ] {
        let list = ask(query).await.data();
        assert_eq!(list.as_array().unwrap().len(), count, "{query}");
    }
    let meta = ask("").await.json()["meta"].clone();
    let named = meta["filterableFields"].as_array().unwrap();
    assert!(!named.contains(&json!("fingerprint")), "{meta}");
}
