//! The API of the fabric.

use crate::routers::edge_routers::add_edge;
use crate::support::{create, get, send, shown_error};
use http::{Method, StatusCode};
use insta::assert_snapshot;
use portcullis_http::path::Api;
use portcullis_http::route::{RouteLookup, RouteTable};
use portcullis_http::routes;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};

const NOT_VALID: (u16, &str) = (400, "COULD_NOT_VALIDATE");
const NOT_FOUND: (u16, &str) = (404, "NOT_FOUND");

async fn ask(controller: &Harness, admin: &str, method: Method, path: &str, body: Value) -> Reply {
    let request = controller.request(method, &format!("/fabric/v1{path}"));
    let request = request.session(admin);
    if body.is_null() {
        request.send().await
    } else {
        request.json(&body).send().await
    }
}

async fn look(controller: &Harness, admin: &str, path: &str) -> Reply {
    ask(controller, admin, Method::GET, path, Value::Null).await
}

#[track_caller]
fn assert_refused(reply: &Reply, (status, code): (u16, &str)) {
    assert_eq!(reply.error(), (status, code.to_owned()), "{}", reply.text());
}

#[track_caller]
fn assert_at_fault(reply: &Reply, field: &str) {
    assert_refused(reply, NOT_VALID);
    assert_eq!(
        reply.json()["error"]["cause"]["field"],
        field,
        "{}",
        reply.text()
    );
}

fn names(reply: &Reply) -> Vec<String> {
    let data = reply.data();
    let all = data.as_array().unwrap().iter();
    all.map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Identities can neither host a service, nor have configurations for it or advice about it.
async fn assert_no_identity_names(controller: &Harness, admin: &str, service: &str) {
    let host = json!({
        "name": "host", "type": "Default", "isAdmin": false,
        "serviceHostingCosts": {service: 5},
    });
    let hosting = send(controller, admin, (Method::POST, "/identities"), &host).await;
    assert_refused(&hosting, NOT_FOUND);
    let identity = create(controller, admin, "plain", json!({})).await;
    let assigned = json!([{"serviceId": service, "configId": "nope"}]);
    let path = format!("/identities/{identity}/service-configs");
    let assigned = send(controller, admin, (Method::POST, &path), &assigned).await;
    assert_snapshot!(shown_error(&assigned).replace(service, "SERVICE"), @r#"
        404 Not Found
        {
          "error": {
            "cause": {
              "code": "UNHANDLED",
              "message": "service with id SERVICE not found"
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
    let path = format!("/identities/{identity}/policy-advice/{service}");
    assert_refused(&get(controller, admin, &path).await, NOT_FOUND);
}

#[tokio::test]
async fn a_service_of_the_fabric_is_unknown_to_the_edge() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({"name": "inner", "terminatorStrategy": "sticky", "tags": {"a": "b"}});
    let created = ask(&controller, &admin, Method::POST, "/services", body).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let id = created.id();
    let path = format!("/services/{id}");
    let mut shown = look(&controller, &admin, &path).await.data();
    let members = shown.as_object_mut().unwrap();
    members.remove("createdAt").unwrap();
    members.remove("updatedAt").unwrap();
    let expected = json!({
        "_links": {
            "self": {"href": format!("./services/{id}")},
            "terminators": {"href": format!("./services/{id}/terminators")},
        },
        "id": id, "maxIdleTimeMillis": 0, "name": "inner", "tags": {"a": "b"},
        "terminatorStrategy": "sticky",
    });
    assert_eq!(shown, expected);

    let outer = json!({"name": "outer", "encryptionRequired": true});
    send(&controller, &admin, (Method::POST, "/services"), &outer)
        .await
        .id();
    let everybody = json!({
        "name": "p", "type": "Dial", "semantic": "AnyOf", "identityRoles": ["#all"],
        "serviceRoles": ["#all"],
    });
    send(
        &controller,
        &admin,
        (Method::POST, "/service-policies"),
        &everybody,
    )
    .await
    .id();
    assert_eq!(
        names(&get(&controller, &admin, "/services").await),
        ["outer"]
    );
    let own = controller.request(Method::GET, "/edge/client/v1/services");
    assert_eq!(names(&own.session(&admin).send().await), ["outer"]);
    let all = look(&controller, &admin, "/services?sort=name").await;
    assert_eq!(names(&all), ["inner", "outer"]);
    for (filter, name) in [("true", "inner"), ("false", "outer")] {
        let path = format!("/services?filter=isFabricOnly%3D{filter}");
        assert_eq!(names(&look(&controller, &admin, &path).await), [name]);
    }
    let stolen = json!({"name": "stolen"});
    for (method, body) in [
        (Method::GET, json!({})),
        (Method::PUT, stolen.clone()),
        (Method::PATCH, stolen),
        (Method::PATCH, json!({})),
        (Method::DELETE, json!({})),
    ] {
        let reply = send(&controller, &admin, (method, &path), &body).await;
        assert_refused(&reply, NOT_FOUND);
    }
    let by_id = json!({
        "name": "q", "type": "Dial", "semantic": "AnyOf", "identityRoles": ["#all"],
        "serviceRoles": [format!("@{id}")],
    });
    let named = send(
        &controller,
        &admin,
        (Method::POST, "/service-policies"),
        &by_id,
    )
    .await;
    assert!(named.status.is_client_error(), "{}", named.text());
    assert_no_identity_names(&controller, &admin, &id).await;

    let renamed = ask(
        &controller,
        &admin,
        Method::PATCH,
        &path,
        json!({"name": "core"}),
    )
    .await;
    assert_eq!(renamed.status, 200, "{}", renamed.text());
    assert_eq!(
        look(&controller, &admin, &path).await.data()["name"],
        "core"
    );
    assert_refused(&get(&controller, &admin, &path).await, NOT_FOUND);
    let gone = ask(&controller, &admin, Method::DELETE, &path, Value::Null).await;
    assert_eq!(gone.status, 200);
    assert_refused(&look(&controller, &admin, &path).await, NOT_FOUND);
}

#[tokio::test]
async fn the_fabric_replaces_of_a_service_what_it_knows_of_it() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let body = json!({
        "name": "s", "encryptionRequired": true, "roleAttributes": ["x"], "tags": {"a": 1},
        "maxIdleTimeMillis": 7,
    });
    let id = send(&controller, &admin, (Method::POST, "/services"), &body)
        .await
        .id();
    let path = format!("/services/{id}");
    assert_at_fault(
        &ask(&controller, &admin, Method::PUT, &path, json!({})).await,
        "name",
    );
    let unknown = json!({"name": "s", "terminatorStrategy": "odd"});
    assert_refused(
        &ask(&controller, &admin, Method::PUT, &path, unknown).await,
        NOT_FOUND,
    );
    let whole = json!({"name": "t"});
    assert_eq!(
        ask(&controller, &admin, Method::PUT, &path, whole)
            .await
            .status,
        200
    );
    let shown = get(&controller, &admin, &path).await.data();
    for (member, value) in [
        ("name", json!("t")),
        ("encryptionRequired", json!(true)),
        ("roleAttributes", json!(["x"])),
        ("tags", json!({})),
        ("maxIdleTimeMillis", json!(0)),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
}

#[tokio::test]
async fn a_router_of_the_fabric_has_the_id_and_certificate_that_its_maker_names() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let print = "AA:".repeat(19) + "aa";
    let body = json!({
        "id": "router-1", "name": "one", "cost": 5, "noTraversal": true, "fingerprint": print,
    });
    let created = ask(&controller, &admin, Method::POST, "/routers", body.clone()).await;
    assert_eq!(
        (created.status.as_u16(), created.id()),
        (201, "router-1".to_owned())
    );
    let shown = look(&controller, &admin, "/routers/router-1").await.data();
    for (member, value) in [
        ("name", json!("one")),
        ("cost", json!(5)),
        ("noTraversal", json!(true)),
        ("disabled", json!(false)),
        ("connected", json!(false)),
        ("fingerprint", json!("aa".repeat(20))),
        ("configs", Value::Null),
        ("interfaces", Value::Null),
        ("listenerAddresses", Value::Null),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
    let among_all = get(&controller, &admin, "/transit-routers/router-1")
        .await
        .data();
    assert_eq!(among_all["isVerified"], true);
    assert_eq!(among_all.get("enrollmentToken"), None);

    for (member, value) in [
        ("id", json!("router-1")),
        ("id", json!("")),
        ("id", json!("..")),
        ("id", json!("a/b")),
        ("id", json!("i".repeat(101))),
        ("id", Value::Null),
        ("name", Value::Null),
        ("name", json!("one")),
        ("cost", Value::Null),
        ("cost", json!(65536)),
        ("noTraversal", Value::Null),
        ("fingerprint", json!("abc")),
        ("fingerprint", json!(print)),
    ] {
        let mut other = json!({
            "id": "router-2", "name": "two", "cost": 5, "noTraversal": true, "fingerprint": null,
        });
        other[member] = value.clone();
        let reply = ask(&controller, &admin, Method::POST, "/routers", other).await;
        assert_at_fault(&reply, member);
    }
    assert_eq!(names(&look(&controller, &admin, "/routers").await), ["one"]);

    let none = json!({"fingerprint": ""});
    assert_eq!(
        ask(
            &controller,
            &admin,
            Method::PATCH,
            "/routers/router-1",
            none
        )
        .await
        .status,
        200
    );
    let shown = look(&controller, &admin, "/routers/router-1").await.data();
    assert_eq!(
        (&shown["fingerprint"], &shown["cost"]),
        (&Value::Null, &json!(5))
    );
    let among_all = get(&controller, &admin, "/transit-routers/router-1").await;
    assert_eq!(among_all.data()["isVerified"], false);
    let gone = ask(
        &controller,
        &admin,
        Method::DELETE,
        "/routers/router-1",
        Value::Null,
    )
    .await;
    assert_eq!(gone.status, 200);
    assert_refused(
        &look(&controller, &admin, "/routers/router-1").await,
        NOT_FOUND,
    );
}

#[tokio::test]
async fn edge_routers_are_changed_and_removed_on_the_fabric_and_stay_edge_routers() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let more = json!({"roleAttributes": ["public"], "isTunnelerEnabled": true});
    let id = add_edge(&controller, &admin, "edge", more).await;
    let path = format!("/routers/{id}");
    let print = "0f".repeat(20);
    let whole = json!({"name": "renamed", "fingerprint": print, "cost": 9, "noTraversal": false});
    for member in ["name", "fingerprint", "cost", "noTraversal"] {
        let mut less = whole.clone();
        less[member] = Value::Null;
        assert_at_fault(
            &ask(&controller, &admin, Method::PUT, &path, less).await,
            member,
        );
    }
    assert_eq!(
        ask(&controller, &admin, Method::PUT, &path, whole)
            .await
            .status,
        200
    );
    let shown = get(&controller, &admin, &format!("/edge-routers/{id}"))
        .await
        .data();
    for (member, value) in [
        ("name", json!("renamed")),
        ("cost", json!(9)),
        ("fingerprint", json!(print)),
        ("certPem", Value::Null),
        ("isVerified", json!(true)),
        ("roleAttributes", json!(["public"])),
        ("isTunnelerEnabled", json!(true)),
    ] {
        assert_eq!(shown[member], value, "{member}");
    }
    let tunneler = get(&controller, &admin, &format!("/identities/{id}"))
        .await
        .data();
    assert_eq!(tunneler["name"], "renamed");
    assert_eq!(
        ask(&controller, &admin, Method::DELETE, &path, Value::Null)
            .await
            .status,
        200
    );
    let edge = get(&controller, &admin, &format!("/edge-routers/{id}")).await;
    assert_refused(&edge, NOT_FOUND);
    let tunneler = get(&controller, &admin, &format!("/identities/{id}")).await;
    assert_refused(&tunneler, NOT_FOUND);
}

#[tokio::test]
async fn terminators_know_their_host_on_the_fabric() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let service = json!({"name": "s", "encryptionRequired": false});
    let service = send(&controller, &admin, (Method::POST, "/services"), &service)
        .await
        .id();
    let router = add_edge(&controller, &admin, "r", json!({})).await;
    let least = json!({
        "service": service, "router": router, "binding": "transport", "address": "tcp:localhost:80",
    });
    let mut body = least.clone();
    body["hostId"] = json!("host");
    body["instanceId"] = json!("inst");
    let id = ask(&controller, &admin, Method::POST, "/terminators", body)
        .await
        .id();
    let path = format!("/terminators/{id}");
    let mut shown = look(&controller, &admin, &path).await.data();
    let members = shown.as_object_mut().unwrap();
    members.remove("createdAt").unwrap();
    members.remove("updatedAt").unwrap();
    let reference = |kind: &str, id: &str, name: &str| {
        json!({
            "_links": {
                "self": {"href": format!("./{kind}/{id}")},
                "terminators": {"href": format!("./{kind}/{id}/terminators")},
            },
            "entity": kind, "id": id, "name": name,
        })
    };
    let expected = json!({
        "_links": {"self": {"href": format!("./terminators/{id}")}},
        "address": "tcp:localhost:80", "binding": "transport", "cost": 0, "dynamicCost": 0,
        "hostId": "host", "id": id, "instanceId": "inst", "precedence": "default",
        "router": reference("routers", &router, "r"), "routerId": router,
        "service": reference("services", &service, "s"), "serviceId": service, "tags": {},
    });
    assert_eq!(shown, expected);

    // The edge knows nothing of hosts, and so leaves them alone.
    assert_eq!(
        send(&controller, &admin, (Method::PUT, &path), &least)
            .await
            .status,
        200
    );
    let host = look(&controller, &admin, &path).await.data()["hostId"].clone();
    assert_eq!(host, "host");
    for path in [
        "/terminators?filter=hostId%3D%22host%22".to_owned(),
        format!("/services/{service}/terminators"),
        format!("/routers/{router}/terminators"),
    ] {
        let listed = look(&controller, &admin, &path).await.data();
        assert_eq!(listed[0]["id"], id, "{path}");
    }
    let nobody = look(&controller, &admin, "/routers/nope/terminators").await;
    assert_eq!(nobody.data(), json!([]));
    let moved = json!({"hostId": "other", "cost": 3});
    assert_eq!(
        ask(&controller, &admin, Method::PATCH, &path, moved)
            .await
            .status,
        200
    );
    let shown = look(&controller, &admin, &path).await.data();
    assert_eq!(
        (&shown["hostId"], &shown["cost"]),
        (&json!("other"), &json!(3))
    );
    assert_eq!(
        ask(&controller, &admin, Method::PUT, &path, least)
            .await
            .status,
        200
    );
    let shown = look(&controller, &admin, &path).await.data();
    assert_eq!(
        (&shown["hostId"], &shown["instanceId"]),
        (&json!(""), &json!("inst"))
    );
    assert_eq!(
        ask(&controller, &admin, Method::DELETE, &path, Value::Null)
            .await
            .status,
        200
    );
    assert_refused(&look(&controller, &admin, &path).await, NOT_FOUND);
}

#[tokio::test]
async fn without_routers_there_are_neither_links_nor_circuits() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for path in [
        "/links",
        "/links?filter=state%3D%22x%22%20and%20cost%3E3&sort=destRouter",
        "/circuits",
        "//circuits/?sort=createdAt%20desc",
    ] {
        let reply = look(&controller, &admin, path).await;
        let expected = json!({
            "data": [], "meta": {"pagination": {"limit": 10, "offset": 0, "totalCount": 0}},
        });
        assert_eq!(reply.json(), expected, "{path}");
    }
    for path in [
        "/links?filter=clientId%3D%22x%22",
        "/circuits?filter=cost%3D1",
    ] {
        let reply = look(&controller, &admin, path).await;
        assert_refused(&reply, (400, "INVALID_FILTER"));
    }
    for (method, path, body) in [
        (Method::GET, "/links/x", Value::Null),
        (
            Method::PATCH,
            "/links/x",
            json!({"down": true, "staticCost": 5}),
        ),
        (Method::DELETE, "/links/x", Value::Null),
        (Method::GET, "/circuits/x", Value::Null),
        (Method::DELETE, "/circuits/x", Value::Null),
        (Method::DELETE, "/circuits/x", json!({"immediate": true})),
    ] {
        let reply = ask(&controller, &admin, method.clone(), path, body).await;
        assert_refused(&reply, NOT_FOUND);
        let text = reply.json()["error"]["cause"]["message"].to_string();
        assert!(
            text.contains("with id x not found"),
            "{method} {path}: {text}"
        );
    }
    let wrong = ask(
        &controller,
        &admin,
        Method::PATCH,
        "/links/x",
        json!({"staticCost": -1}),
    )
    .await;
    assert_at_fault(&wrong, "staticCost");
}

#[tokio::test]
async fn a_single_controller_has_no_cluster() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let alone = (400, "SERVER_NOT_RUNNING_IN_HA_MODE");
    let members = look(&controller, &admin, "/cluster/list-members").await;
    assert_refused(&members, alone);
    for (path, body) in [
        (
            "/cluster/add-member",
            json!({"address": "tls:a:1", "isVoter": true}),
        ),
        ("/cluster/remove-member", json!({"id": "x"})),
        ("/cluster/transfer-leadership", json!({})),
    ] {
        let reply = ask(&controller, &admin, Method::POST, path, body).await;
        assert_refused(&reply, alone);
    }
    let reply = ask(
        &controller,
        &admin,
        Method::POST,
        "/cluster/remove-member",
        json!({}),
    )
    .await;
    assert_at_fault(&reply, "id");
}

#[tokio::test]
async fn inspections_tell_what_is_known_and_name_what_is_not() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = get(&controller, &admin, "/controllers").await.data()[0]["id"].clone();
    let path = "/inspections";
    let names = ["Links", "circuits", "connected-routers"];
    let body = json!({"appRegex": ".*", "requestedValues": names});
    let reply = ask(&controller, &admin, Method::POST, path, body).await;
    let expected = json!({"errors": null, "success": true, "values": [
        {"appId": id, "name": "Links", "value": []},
        {"appId": id, "name": "circuits", "value": []},
        {"appId": id, "name": "connected-routers", "value": null},
    ]});
    assert_eq!(reply.json(), expected);
    let body = json!({"appRegex": ".*", "requestedValues": ["nonsense"]});
    let reply = ask(&controller, &admin, Method::POST, path, body)
        .await
        .json();
    assert_eq!(
        (&reply["success"], &reply["values"]),
        (&json!(false), &json!(null))
    );
    assert!(reply["errors"][0].as_str().unwrap().contains("nonsense"));
    for (expression, names) in [("^nobody$", vec!["links"]), (".*", vec![])] {
        let body = json!({"appRegex": expression, "requestedValues": names});
        let reply = ask(&controller, &admin, Method::POST, path, body).await;
        assert_eq!(
            reply.json(),
            json!({"errors": null, "success": true, "values": null})
        );
    }
    // As OpenZiti 2.1 answers.
    let id = id.as_str().unwrap();
    let body = json!({"appRegex": "c(", "requestedValues": ["links"]});
    let reply = ask(&controller, &admin, Method::POST, path, body).await;
    assert_eq!(reply.status, StatusCode::OK);
    let reason = format!("{id}: error parsing regexp: missing closing ): `c(`");
    assert_eq!(
        reply.json(),
        json!({"errors": [reason], "success": false, "values": null})
    );
    let body = json!({"appRegex": "(a{1000}){1000}", "requestedValues": []});
    let reply = ask(&controller, &admin, Method::POST, path, body).await;
    assert_eq!(reply.json()["success"], false);
    for (body, field) in [
        (json!({"requestedValues": []}), "appRegex"),
        (json!({"appRegex": ".*"}), "requestedValues"),
        (
            json!({"appRegex": "", "requestedValues": vec!["x"; 101]}),
            "requestedValues",
        ),
    ] {
        let reply = ask(&controller, &admin, Method::POST, path, body).await;
        assert_at_fault(&reply, field);
    }
}

#[tokio::test]
async fn fabric_api_that_is_not_bound_is_not_found() {
    let table = RouteTable::new(routes::all(), &[Api::Client, Api::Management]).unwrap();
    let found = table.find(Api::Fabric, "/routers", &Method::GET);
    assert!(matches!(found, RouteLookup::NotFound));
}
