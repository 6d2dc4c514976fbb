//! Circuits: lists and removal.

use super::Live;
use http::Method;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::CircuitId;
use portcullis_domain::view::CircuitView;
use portcullis_testkit::{FakeNetwork, Removal};
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn a_circuit_is_shown_with_its_service_and_path() {
    let live = Live::start().await;
    let (one, two) = (live.edge_router("one").await, live.edge_router("two").await);
    let service = live.service("db").await;
    let circuit = FakeNetwork::circuit("c1", ("laptop", &service), &[&one, &two]);
    live.network.set_circuit(CircuitView {
        tags: Arc::new([("clientId".to_owned(), "laptop".to_owned())].into()),
        ..circuit
    });
    let reference = |kind: &str, id: &str, name: &str, below: &[&str]| {
        let mut links = json!({"self": {"href": format!("./{kind}/{id}")}});
        for below in below {
            links[below] = json!({"href": format!("./{kind}/{id}/{below}")});
        }
        json!({"_links": links, "entity": kind, "id": id, "name": name})
    };
    let router = |id: &str, name: &str| reference("routers", id, name, &["terminators"]);
    let link = format!("{one}-{two}");
    let expected = json!({
        "_links": {
            "self": {"href": "./circuits/c1"},
            "services": {"href": "./circuits/c1/services"},
            "terminators": {"href": "./circuits/c1/terminators"},
        },
        "clientId": "laptop",
        "createdAt": "1970-01-01T00:00:00.000Z", "updatedAt": "1970-01-01T00:00:00.000Z",
        "id": "c1",
        "path": {
            "links": [reference("links", &link, &link, &[])],
            "nodes": [router(&one, "one"), router(&two, "two")],
        },
        "service": reference("services", &service, "db", &["terminators"]),
        "tags": {"clientId": "laptop"},
        "terminator": reference("terminators", "terminator-c1", "terminator-c1", &[]),
    });
    assert_eq!(live.look("/circuits/c1").await.data(), expected);
    assert_eq!(live.look("/circuits").await.data(), json!([expected]));
}

#[tokio::test]
async fn a_circuit_may_be_older_than_what_is_known_of_it() {
    let live = Live::start().await;
    live.network.set_circuit(CircuitView {
        terminator: None,
        ..FakeNetwork::circuit("c1", ("i", "gone"), &["r"])
    });
    let circuit = live.look("/circuits/c1").await.data();
    assert_eq!(circuit["terminator"]["id"], "");
    assert_eq!(circuit["service"]["name"], "<deleted>");
    assert_eq!(circuit["path"]["links"], json!([]));
    let filter = "/circuits?filter=terminator%3Dnull";
    assert_eq!(live.ids(filter).await, ["c1"]);
}

#[tokio::test]
async fn circuits_are_found_by_what_they_are() {
    let live = Live::start().await;
    for number in 1..=4_i64 {
        let client = if number % 2 == 0 { "even" } else { "odd" };
        live.network.set_circuit(CircuitView {
            created_at: Timestamp::UNIX_EPOCH + SignedDuration::from_hours(10 - number),
            ..FakeNetwork::circuit(&format!("c{number}"), (client, "s"), &["r"])
        });
    }
    for (query, expected) in [
        ("", "c1 c2 c3 c4"),
        ("?sort=createdAt", "c4 c3 c2 c1"),
        ("?sort=updatedAt&limit=1&offset=1", "c3"),
        ("?filter=clientId%3D%22odd%22", "c1 c3"),
        (
            "?filter=service%3D%22s%22%20and%20terminator%3D%22terminator-c2%22",
            "c2",
        ),
        (
            "?filter=createdAt%3Cdatetime(1970-01-01T07:30:00Z)",
            "c3 c4",
        ),
        ("?filter=id%20in%20%5B%22c2%22,%22c9%22%5D", "c2"),
    ] {
        let found = live.ids(&format!("/circuits{query}")).await;
        assert_eq!(found.join(" "), expected, "{query}");
    }
    for refused in ["tags.x%3D1", "anyOf(service)%3D%22x%22", "cost%3D1"] {
        let reply = live.look(&format!("/circuits?filter={refused}")).await;
        assert_eq!(
            reply.error(),
            (400, "INVALID_FILTER".to_owned()),
            "{refused}"
        );
    }
}

/// More than are read at once; the list neither skips nor repeats any.
#[tokio::test]
async fn a_long_list_is_whole() {
    let live = Live::start().await;
    let all: Vec<_> = (0..3000).map(|number| format!("c{number:04}")).collect();
    for id in &all {
        live.network
            .set_circuit(FakeNetwork::circuit(id, ("i", "s"), &["a", "b"]));
    }
    assert_eq!(live.ids("/circuits?filter=true%20limit%20none").await, all);
    let page = live.look("/circuits?offset=2048&limit=2").await.json();
    assert_eq!(super::ids(&page["data"]), ["c2048", "c2049"]);
    assert_eq!(page["meta"]["pagination"]["totalCount"], 3000);
    let newest = live.ids("/circuits?sort=id%20desc&limit=2").await;
    assert_eq!(newest, ["c2999", "c2998"]);
}

#[tokio::test]
async fn a_circuit_is_ended_at_once_or_when_it_is_drained() {
    let live = Live::start().await;
    for id in ["c1", "c2", "c3"] {
        live.network
            .set_circuit(FakeNetwork::circuit(id, ("i", "s"), &["r"]));
    }
    for (id, body) in [
        ("c1", Value::Null),
        ("c2", json!({"immediate": true})),
        ("c3", json!({"immediate": false})),
    ] {
        let path = format!("/circuits/{id}");
        let reply = live.fabric(Method::DELETE, &path, body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let again = live.fabric(Method::DELETE, &path, Value::Null).await;
        assert_eq!(again.error(), (404, "NOT_FOUND".to_owned()));
    }
    let told = [("c1", false), ("c2", true), ("c3", false)].map(|(id, immediate)| {
        let id = CircuitId::from_wire(id);
        Removal::Circuit { id, immediate }
    });
    assert_eq!(live.network.removals(), told);
}
