//! Links: lists, changes, removal.

use super::Live;
use http::Method;
use portcullis_domain::ids::LinkId;
use portcullis_domain::view::LinkView;
use portcullis_testkit::{FakeNetwork, Removal};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn a_link_is_shown_with_its_routers() {
    let live = Live::start().await;
    let (one, two) = (
        live.edge_router("one").await,
        live.transit_router("two").await,
    );
    live.network.set_link(FakeNetwork::link("l1", &one, &two));
    let router = |id: &str, name: &str| {
        json!({
            "_links": {
                "self": {"href": format!("./routers/{id}")},
                "terminators": {"href": format!("./routers/{id}/terminators")},
            },
            "entity": "routers", "id": id, "name": name,
        })
    };
    let expected = json!({
        "connections": [{
            "type": "link.default", "source": "tcp:192.0.2.1:50000", "dest": "tcp:192.0.2.2:6262",
        }],
        "cost": 6, "destLatency": 3_000_000, "destRouter": router(&two, "two"), "down": false,
        "id": "l1", "iteration": 1, "protocol": "tls", "sourceLatency": 2_000_000,
        "sourceRouter": router(&one, "one"), "state": "Connected", "staticCost": 1,
    });
    assert_eq!(live.look("/links/l1").await.data(), expected);
    let list = live.look("/links").await.json();
    assert_eq!(list["data"], json!([expected]));
    let paging = json!({"pagination": {"limit": 10, "offset": 0, "totalCount": 1}});
    assert_eq!(list["meta"], paging);
}

#[tokio::test]
async fn a_link_outlives_the_records_of_its_routers() {
    let live = Live::start().await;
    live.network
        .set_link(FakeNetwork::link("l1", "gone", "away"));
    let link = live.look("/links/l1").await.data();
    assert_eq!(link["sourceRouter"]["id"], "gone");
    assert_eq!(link["destRouter"]["name"], "<deleted>");
}

#[tokio::test]
async fn links_are_found_by_what_they_are() {
    let live = Live::start().await;
    for number in 1..=4 {
        live.network.set_link(LinkView {
            static_cost: number,
            cost: number + 5,
            is_down: number == 2,
            destination_latency: Duration::from_nanos(u64::from(number) * 10),
            iteration: 10 - number,
            ..FakeNetwork::link(&format!("l{number}"), "a", &format!("r{number}"))
        });
    }
    for (query, expected) in [
        ("", "l1 l2 l3 l4"),
        ("?limit=2", "l1 l2"),
        ("?limit=2&offset=1", "l2 l3"),
        ("?sort=cost%20desc&limit=3", "l4 l3 l2"),
        ("?filter=true%20limit%20none", "l1 l2 l3 l4"),
        ("?filter=true%20skip%203%20limit%20none", "l4"),
        ("?filter=destRouter%3D%22r3%22", "l3"),
        (
            "?filter=sourceRouter%3D%22a%22%20and%20staticCost%20%3E%202",
            "l3 l4",
        ),
        (
            "?filter=state%3D%22Connected%22%20sort%20by%20iteration",
            "l4 l3 l2 l1",
        ),
        ("?filter=destLatency%3C25", "l1 l2"),
        (
            "?filter=sourceLatency%3D2000000%20and%20protocol%3D%22tls%22%20and%20id%3D%22l2%22",
            "l2",
        ),
        (
            "?filter=dialAddress%20contains%20%226262%22%20limit%201",
            "l1",
        ),
        ("?filter=state%3D%22Failed%22", ""),
    ] {
        let found = live.ids(&format!("/links{query}")).await;
        assert_eq!(found.join(" "), expected, "{query}");
    }
    let list = live.look("/links?limit=1&filter=cost%3E6").await.json();
    assert_eq!(list["meta"]["pagination"]["totalCount"], 3);
    let refused = live.look("/links?filter=down%3Dtrue").await;
    assert_eq!(refused.error(), (400, "INVALID_FILTER".to_owned()));
}

#[tokio::test]
async fn a_link_gets_another_cost_and_is_taken_out_of_use() {
    let live = Live::start().await;
    live.network.set_link(FakeNetwork::link("l1", "a", "b"));
    let state = async || {
        let link = live.look("/links/l1").await.data();
        (link["staticCost"].clone(), link["down"].clone())
    };
    for (patch, expected) in [
        (json!({"staticCost": 40}), (json!(40), json!(false))),
        (json!({"down": true}), (json!(40), json!(true))),
        (json!({}), (json!(40), json!(true))),
        (
            json!({"down": false, "staticCost": 0}),
            (json!(0), json!(false)),
        ),
    ] {
        let reply = live.fabric(Method::PATCH, "/links/l1", patch.clone()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(state().await, expected, "{patch}");
    }
}

#[tokio::test]
async fn a_link_that_the_controller_does_not_know_is_closed_nevertheless() {
    let live = Live::start().await;
    live.network.set_link(FakeNetwork::link("l1", "a", "b"));
    let delete = async |id: &str| {
        let path = format!("/links/{id}");
        live.fabric(Method::DELETE, &path, Value::Null).await
    };
    assert_eq!(delete("l1").await.status, 200);
    assert_eq!(live.ids("/links").await, [""; 0]);
    for id in ["l1", "strange"] {
        assert_eq!(delete(id).await.error(), (404, "NOT_FOUND".to_owned()));
    }
    let told = ["l1", "l1", "strange"].map(|id| Removal::Link(LinkId::from_wire(id)));
    assert_eq!(live.network.removals(), told);
}

#[tokio::test]
async fn who_may_read_may_not_change() {
    let live = Live::start().await;
    live.network.set_link(FakeNetwork::link("l1", "a", "b"));
    live.network
        .set_circuit(FakeNetwork::circuit("c1", ("i", "s"), &["a"]));
    let permissions = json!({"permissions": ["ops.read"]});
    let controller = &live.controller;
    let reader = controller.create_user(&live.admin, "reader", permissions);
    let reader = reader.await;
    let nobody = controller
        .create_user(&live.admin, "nobody", json!({}))
        .await;
    let down = json!({"down": true});
    for (method, path, body, may_read) in [
        (Method::GET, "/links", Value::Null, true),
        (Method::GET, "/links/l1", Value::Null, true),
        (Method::GET, "/circuits", Value::Null, true),
        (Method::GET, "/circuits/c1", Value::Null, true),
        (Method::PATCH, "/links/l1", down, false),
        (Method::DELETE, "/links/l1", Value::Null, false),
        (Method::DELETE, "/links/x", Value::Null, false),
        (Method::DELETE, "/circuits/c1", Value::Null, false),
    ] {
        let expected = if may_read { 200 } else { 401 };
        let reply = live.fabric_as(&reader, method.clone(), path, body.clone());
        assert_eq!(reply.await.status, expected, "{method} {path}");
        let reply = live.fabric_as(&nobody, method.clone(), path, body).await;
        assert_eq!(reply.status, 401, "{method} {path}");
    }
    assert_eq!(live.network.removals(), []);
    assert_eq!(live.look("/links/l1").await.data()["down"], false);
}
