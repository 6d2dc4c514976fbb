//! Terminators, as administrators have them.

use crate::routers::edge_routers::{add_edge, add_transit};
use crate::support::{get, merge, revision, send};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::{Value, json};

struct Ends {
    service: String,
    router: String,
}

impl Ends {
    async fn new(controller: &Harness, admin: &str) -> Self {
        let service = json!({"name": "s", "encryptionRequired": false});
        let service = send(controller, admin, (Method::POST, "/services"), &service)
            .await
            .id();
        let router = add_edge(controller, admin, "r", json!({})).await;
        Self { service, router }
    }

    fn body(&self, more: Value) -> Value {
        let mut body = json!({
            "service": self.service, "router": self.router, "binding": "transport",
            "address": "tcp:localhost:80",
        });
        merge(&mut body, more);
        body
    }
}

const ALL: &str = "/terminators";

#[tokio::test]
async fn a_terminator_is_made_changed_and_removed() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let ends = Ends::new(&controller, &admin).await;
    let more = json!({"cost": 3, "precedence": "required", "identity": "inst", "tags": {"x": 1}});
    let id = send(&controller, &admin, (Method::POST, ALL), &ends.body(more))
        .await
        .id();
    let one = format!("{ALL}/{id}");
    let shown = get(&controller, &admin, &one).await.data();
    for (member, value) in [
        ("cost", json!(3)),
        ("dynamicCost", json!(0)),
        ("precedence", json!("required")),
        ("identity", json!("inst")),
        ("routerId", json!(ends.router)),
        ("serviceId", json!(ends.service)),
        ("tags", json!({"x": 1})),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
    assert_eq!(shown["router"]["name"], "r");
    assert_eq!(shown["service"]["name"], "s");
    let other = add_transit(&controller, &admin, "other", json!({})).await;
    let change = json!({"cost": 7, "router": other, "identity": "changed"});
    assert_eq!(
        send(&controller, &admin, (Method::PATCH, &one), &change)
            .await
            .status,
        200
    );
    let shown = get(&controller, &admin, &one).await.data();
    assert_eq!(
        (&shown["cost"], &shown["identity"]),
        (&json!(7), &json!("inst"))
    );
    assert_eq!(shown["router"]["name"], "other");
    let body = ends.body(json!({"binding": "", "address": "udp:localhost:53"}));
    assert_eq!(
        send(&controller, &admin, (Method::PUT, &one), &body)
            .await
            .status,
        200
    );
    let shown = get(&controller, &admin, &one).await.data();
    assert_eq!(
        (&shown["cost"], &shown["binding"]),
        (&json!(0), &json!("udp"))
    );
    assert_eq!(shown["identity"], "inst");
    let list = get(
        &controller,
        &admin,
        &format!("{ALL}?filter=service.name%3D%22s%22"),
    )
    .await
    .data();
    assert_eq!(list.as_array().unwrap().len(), 1);
    assert_eq!(
        controller
            .manage(Method::DELETE, &one, &admin)
            .send()
            .await
            .status,
        200
    );
    assert_eq!(get(&controller, &admin, &one).await.error().0, 404);
}

#[tokio::test]
async fn faults_are_named_and_change_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let ends = Ends::new(&controller, &admin).await;
    let id = send(
        &controller,
        &admin,
        (Method::POST, ALL),
        &ends.body(json!({})),
    )
    .await
    .id();
    let one = format!("{ALL}/{id}");
    let before = (
        revision(&controller),
        get(&controller, &admin, &one).await.data(),
    );
    for path in [
        (Method::POST, ALL),
        (Method::PUT, &*one),
        (Method::PATCH, &*one),
    ] {
        for (more, field) in [
            (json!({"cost": 65536}), "cost"),
            (json!({"cost": -1}), "cost"),
            (json!({"precedence": "high"}), "precedence"),
            (json!({"precedence": "Required"}), "precedence"),
            (json!({"address": " "}), "address"),
        ] {
            let reply = send(&controller, &admin, path.clone(), &ends.body(more.clone())).await;
            assert_eq!(
                reply.error(),
                (400, "COULD_NOT_VALIDATE".to_owned()),
                "{path:?} {more}"
            );
            assert_eq!(reply.field(), field, "{path:?} {more}");
        }
        for (more, text) in [
            (json!({"service": "nope"}), "service with id nope not found"),
            (json!({"router": "nope"}), "router with id nope not found"),
            (
                json!({"router": "nope", "service": "nope"}),
                "service with id nope not found",
            ),
        ] {
            let reply = send(&controller, &admin, path.clone(), &ends.body(more)).await;
            assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
            assert!(reply.text().contains(text), "{}", reply.text());
        }
    }
    for member in ["address", "binding", "router", "service"] {
        let body = ends.body(json!({member: null}));
        let reply = send(&controller, &admin, (Method::POST, ALL), &body).await;
        assert_eq!((reply.status.as_u16(), &*reply.field()), (400, member));
    }
    let after = (
        revision(&controller),
        get(&controller, &admin, &one).await.data(),
    );
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_terminator_goes_with_its_service_and_with_its_router() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for end in ["service", "edge router"] {
        let ends = Ends::new(&controller, &admin).await;
        let id = send(
            &controller,
            &admin,
            (Method::POST, ALL),
            &ends.body(json!({})),
        )
        .await
        .id();
        let (service, router) = (
            format!("/services/{}", ends.service),
            format!("/edge-routers/{}", ends.router),
        );
        let (first, second) = if end == "service" {
            (service, router)
        } else {
            (router, service)
        };
        assert_eq!(
            controller
                .manage(Method::DELETE, &first, &admin)
                .send()
                .await
                .status,
            200
        );
        assert_eq!(
            get(&controller, &admin, &format!("{ALL}/{id}"))
                .await
                .error()
                .0,
            404,
            "{end}"
        );
        assert_eq!(
            get(&controller, &admin, ALL).await.data(),
            json!([]),
            "{end}"
        );
        assert_eq!(
            controller
                .manage(Method::DELETE, &second, &admin)
                .send()
                .await
                .status,
            200
        );
    }
}

#[tokio::test]
async fn terminators_of_an_instance_share_its_secret() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let ends = Ends::new(&controller, &admin).await;
    let create =
        async |more: Value| send(&controller, &admin, (Method::POST, ALL), &ends.body(more)).await;
    // "hush"
    let secret = "aHVzaA==";
    let first = create(json!({"identity": "one", "identitySecret": secret})).await;
    let shown = get(&controller, &admin, &format!("{ALL}/{}", first.id())).await;
    assert!(!shown.text().contains("ecret"), "{}", shown.text());
    let same = create(json!({"identity": "one", "identitySecret": secret})).await;
    assert_eq!(same.status, 201);
    for other in [json!("b3RoZXI="), json!(""), Value::Null] {
        let refused = create(json!({"identity": "one", "identitySecret": other})).await;
        assert_eq!(
            (refused.error().0, &*refused.field()),
            (400, "identitySecret")
        );
    }
    for without in [
        json!({"identity": "two"}),
        json!({"identitySecret": secret}),
        json!({}),
    ] {
        assert_eq!(create(without).await.status, 201);
    }
    // The fabric API calls it otherwise.
    let create = async |secret: &str| {
        let body = ends.body(json!({"instanceId": "one", "instanceSecret": secret}));
        let path = "/fabric/v1/terminators";
        let request = controller.request(Method::POST, path).session(&admin);
        request.json(&body).send().await
    };
    assert_eq!(create(secret).await.status, 201);
    let refused = create("b3RoZXI=").await;
    assert_eq!(
        (refused.error().0, &*refused.field()),
        (400, "instanceSecret")
    );
}
