//! The lists below an entity, which policies and references make.

use crate::support::create;
use crate::support::network::Network;
use http::Method;
use serde_json::json;

/// One identity and one service that policies relate, and others that they do not.
async fn related() -> (Network, Vec<(&'static str, String)>) {
    let network = Network::new().await;
    let staff = json!({"roleAttributes": ["staff"]});
    let ann = create(&network.controller, &network.admin, "ann", staff).await;
    create(&network.controller, &network.admin, "bob", json!({})).await;
    let config = network.host_config("host", json!({})).await;
    let web = network.service("web", &["web"]).await;
    network
        .patch(&format!("/services/{web}"), json!({"configs": [config]}))
        .await;
    network.service("other", &[]).await;
    let dial = network
        .grant("dial", "Dial", (&["#staff"], &["#web"]))
        .await;
    let bind = network
        .grant("bind", "Bind", (&["#nobody"], &["#all"]))
        .await;
    let router_policy = json!({
        "name": "routers", "semantic": "AnyOf", "identityRoles": ["#staff"], "edgeRouterRoles": ["#all"],
    });
    let router_policy = network.make("/edge-router-policies", router_policy).await;
    let service_policy = json!({
        "name": "through", "semantic": "AllOf", "serviceRoles": ["#web"], "edgeRouterRoles": ["#all"],
    });
    let service_policy = network
        .make("/service-edge-router-policies", service_policy)
        .await;
    let ids = vec![
        ("ann", ann),
        ("web", web),
        ("config", config),
        ("dial", dial),
        ("bind", bind),
        ("routers", router_policy),
        ("through", service_policy),
    ];
    (network, ids)
}

fn path(ids: &[(&str, String)], path: &str) -> String {
    ids.iter().fold(path.to_owned(), |path, (name, id)| {
        path.replace(&format!("{{{name}}}"), id)
    })
}

#[tokio::test]
async fn lists_below_an_entity_hold_what_is_related_to_it() {
    let (network, ids) = related().await;
    for (below, expected) in [
        ("/identities/{ann}/services", &["web"][..]),
        ("/identities/{ann}/services?policyType=dial", &["web"]),
        ("/identities/{ann}/services?policyType=bind", &[]),
        ("/identities/{ann}/service-policies", &["dial"]),
        ("/identities/{ann}/edge-router-policies", &["routers"]),
        ("/services/{web}/identities", &["ann"]),
        ("/services/{web}/identities?policyType=bind", &[]),
        (
            "/services/{web}/service-policies?filter=true%20sort%20by%20name",
            &["bind", "dial"],
        ),
        (
            "/services/{web}/service-policies?filter=name%3D%22bind%22",
            &["bind"],
        ),
        (
            "/services/{web}/service-policies?limit=1&sort=name",
            &["bind"],
        ),
        ("/services/{web}/service-edge-router-policies", &["through"]),
        ("/services/{web}/configs", &["host"]),
        ("/configs/{config}/services", &["web"]),
        ("/config-types/NH5p4FpGR/configs", &["host"]),
        ("/service-policies/{dial}/identities", &["ann"]),
        ("/service-policies/{dial}/services", &["web"]),
        ("/service-policies/{bind}/identities", &[]),
        (
            "/service-policies/{bind}/services?filter=true%20sort%20by%20name",
            &["other", "web"],
        ),
        ("/edge-router-policies/{routers}/identities", &["ann"]),
        ("/service-edge-router-policies/{through}/services", &["web"]),
    ] {
        let names = network.names(&path(&ids, below)).await;
        assert_eq!(names, expected, "{below}");
    }
}

#[tokio::test]
async fn what_does_not_exist_is_related_to_nothing() {
    let (network, _ids) = related().await;
    for below in [
        "/identities/nope/services",
        "/identities/nope/service-policies",
        "/services/nope/identities",
        "/services/nope/configs",
        "/configs/nope/services",
        "/config-types/nope/configs",
        "/service-policies/nope/services",
        "/edge-router-policies/nope/identities",
        "/service-edge-router-policies/nope/services",
        "/edge-routers/nope/services",
    ] {
        let reply = network.get(below).await;
        assert_eq!(reply.data(), json!([]), "{below}");
        assert_eq!(
            reply.json()["meta"]["pagination"]["totalCount"],
            0,
            "{below}"
        );
    }
}

#[tokio::test]
async fn the_kind_of_policy_is_judged_where_something_is_granted() {
    let (network, ids) = related().await;
    for below in ["/identities/{ann}/services", "/services/nope/identities"] {
        let fly = format!("{}?policyType=fly", path(&ids, below));
        let refused = network.refusal(Method::GET, &fly, json!({})).await;
        assert_eq!((refused.0, &*refused.2), (400, "policyType"), "{below}");
    }
    for below in [
        "/identities/{ann}/service-policies",
        "/configs/{config}/services",
        "/services/{web}/configs",
        "/service-policies/{dial}/identities",
        "/identities/{ann}/edge-routers",
    ] {
        let plain = path(&ids, below);
        let expected = network.names(&plain).await;
        let fly = format!("{plain}?policyType=fly");
        assert_eq!(network.names(&fly).await, expected, "{below}");
    }
}

#[tokio::test]
async fn a_list_below_demands_the_permission_of_what_it_lists() {
    let (network, ids) = related().await;
    let reader = json!({"permissions": ["service.read"]});
    let reader = network
        .controller
        .create_user(&network.admin, "reader", reader)
        .await;
    for (below, status) in [
        ("/identities/{ann}/services", 200),
        ("/identities/{ann}/service-policies", 401),
        ("/services/{web}/identities", 401),
        ("/services/{web}/configs", 401),
    ] {
        let path = path(&ids, below);
        let request = network.controller.manage(Method::GET, &path, &reader);
        assert_eq!(request.send().await.status, status, "{below}");
    }
}

#[tokio::test]
async fn advice_says_what_policies_grant() {
    let (network, ids) = related().await;
    let advice = network
        .read(&path(&ids, "/identities/{ann}/policy-advice/{web}"))
        .await;
    assert_eq!(advice["isDialAllowed"], true);
    assert_eq!(advice["isBindAllowed"], json!(null));
    assert_eq!(advice["identity"]["name"], "ann");
    assert_eq!(advice["service"]["name"], "web");
    assert_eq!(advice["commonRouters"], json!(null));
    for below in [
        "/identities/{ann}/policy-advice/nope",
        "/identities/nope/policy-advice/{web}",
    ] {
        assert_eq!(network.get(&path(&ids, below)).await.status, 404, "{below}");
    }
}

#[tokio::test]
async fn an_identity_is_shown_configurations_of_its_own() {
    let (network, ids) = related().await;
    let other = network.host_config("other", json!({"port": 1})).await;
    let link = json!({"name": "link", "configTypeId": "router.link.v1", "data": {}});
    let link = network.make("/configs", link).await;
    let below = path(&ids, "/identities/{ann}/service-configs");
    let web = path(&ids, "{web}");
    let assign = |config: &str| json!([{"serviceId": web, "configId": config}]);
    let first = network.host_config("first", json!({})).await;
    for config in [&first, &other] {
        network
            .send(Method::POST, &below, &assign(config))
            .await
            .data();
    }
    let shown = network.read(&below).await;
    assert_eq!(
        shown.as_array().unwrap().len(),
        1,
        "one takes the place of another of its type"
    );
    assert_eq!(shown[0]["configId"], json!(other));
    for (body, status, about) in [
        (assign("nope"), 404, "config with id nope not found"),
        (
            json!([{"serviceId": "nope", "configId": other}]),
            404,
            "service with id nope not found",
        ),
        (json!([{"configId": other}]), 400, "0.serviceId"),
        (assign(&link), 400, "configId"),
    ] {
        let refused = network.refusal(Method::POST, &below, body.clone()).await;
        assert_eq!((refused.0, &*refused.2), (status, about), "{body}");
    }
    assert_eq!(network.read(&below).await, shown);
    let guarded = network
        .refusal(Method::DELETE, &format!("/configs/{other}"), json!({}))
        .await;
    assert_eq!(guarded.0, 409);
    network
        .send(Method::DELETE, &below, &assign(&first))
        .await
        .data();
    assert_eq!(
        network.read(&below).await,
        shown,
        "what it is not shown is passed over"
    );
    let all = network
        .controller
        .manage(Method::DELETE, &below, &network.admin);
    all.send().await.data();
    assert_eq!(network.read(&below).await, json!([]));
    network.delete(&format!("/configs/{other}")).await;
}
