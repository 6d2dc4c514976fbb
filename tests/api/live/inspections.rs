//! Inspections of the network.

use super::{Live, connection};
use http::Method;
use portcullis_domain::clock::Timestamp;
use portcullis_testkit::FakeNetwork;
use serde_json::json;

#[tokio::test]
async fn inspections_show_routers_links_and_circuits() {
    let live = Live::start().await;
    let (one, two) = (live.edge_router("one").await, live.edge_router("two").await);
    live.network
        .set_router(&one, connection(Timestamp::UNIX_EPOCH));
    live.network.set_link(FakeNetwork::link("l1", &one, &two));
    live.network
        .set_circuit(FakeNetwork::circuit("c1", ("i", "s"), &[&one]));
    let body = json!({
        "appRegex": ".*", "requestedValues": ["connected-routers", "Links", "circuits"],
    });
    let answer = live.fabric(Method::POST, "/inspections", body).await.json();
    assert_eq!(
        (&answer["success"], &answer["errors"]),
        (&json!(true), &json!([]))
    );
    let values = &answer["values"];
    assert_eq!(
        values[0]["value"],
        json!([{
            "connectTime": "1970-01-01T00:00:00.000Z", "id": one, "name": "one",
            "underlays": {"ctrl.default": 1, "ctrl.high": 1}, "version": "v2.1.0",
        }])
    );
    assert_eq!(values[1]["name"], "Links");
    assert_eq!(values[1]["value"], live.look("/links").await.data());
    assert_eq!(values[2]["value"], live.look("/circuits").await.data());
}

#[tokio::test]
async fn an_inspection_says_that_there_is_too_much() {
    let live = Live::start().await;
    for number in 0..=10_000 {
        live.network.set_circuit(FakeNetwork::circuit(
            &format!("c{number}"),
            ("i", "s"),
            &["r"],
        ));
    }
    let body = json!({"appRegex": ".*", "requestedValues": ["circuits", "links"]});
    let answer = live.fabric(Method::POST, "/inspections", body).await.json();
    assert_eq!(answer["success"], false);
    let reason = answer["errors"][0].as_str().unwrap();
    assert!(
        reason.ends_with("more than 10000 circuits; list them page by page"),
        "{reason}"
    );
    assert_eq!(answer["values"][0]["name"], "links");
}
