//! Inspections of the network.

use super::{Live, connection};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use http::{Method, StatusCode};
use portcullis_app::network_inspection::{
    InspectionError, InspectionFuture, NetworkInspection, RouterAnswer,
};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_testkit::FakeNetwork;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

#[tokio::test]
async fn inspections_show_routers_links_and_circuits() {
    let live = Live::start().await;
    let (one, two) = (live.edge_router("one").await, live.edge_router("two").await);
    live.network
        .set_router(&one, connection(Timestamp::UNIX_EPOCH));
    live.network.set_link(FakeNetwork::link("l1", &one, &two));
    live.network
        .set_circuit(FakeNetwork::circuit("c1", ("i", "s"), &[&one]));
    live.controller
        .app
        .attach_network_inspection(Arc::new(Routers {
            answers: BTreeMap::from([(one.clone(), answer(&[]))]),
            gate: None,
        }));
    let body = json!({
        "appRegex": ".*", "requestedValues": ["connected-routers", "Links", "circuits"],
    });
    let answer = live.fabric(Method::POST, "/inspections", body).await.json();
    assert_eq!(
        (&answer["success"], &answer["errors"]),
        (&json!(true), &json!(null))
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

#[tokio::test]
async fn an_expression_of_an_inspection_has_a_greatest_length() {
    let live = Live::start().await;
    let body = json!({"appRegex": "a|".repeat(200_000), "requestedValues": ["links"]});
    let answer = live.fabric(Method::POST, "/inspections", body).await.json();
    assert_eq!(answer["success"], false);
    let reason = answer["errors"][0].as_str().unwrap();
    assert!(
        reason.ends_with(": a regular expression has at most 4096 bytes"),
        "{reason}"
    );
    assert_eq!(answer["values"], json!(null));
}

/// Routers that answer as a test says, once the gate is open.
#[derive(Default)]
struct Routers {
    answers: BTreeMap<String, RouterAnswer>,
    /// Closed if it has a watch.
    gate: Option<watch::Receiver<bool>>,
}

impl NetworkInspection for Routers {
    fn inspect_router(
        &self,
        router: &RouterId,
        _names: &Arc<[String]>,
        _within: Duration,
    ) -> InspectionFuture {
        let answer = self.answers.get(router.as_str()).cloned();
        let gate = self.gate.clone();
        Box::pin(async move {
            if let Some(mut gate) = gate {
                gate.wait_for(|is_open| *is_open).await.unwrap();
            }
            answer.ok_or(InspectionError::TimedOut)
        })
    }

    fn own_value(&self, name: &str) -> Result<Option<String>, String> {
        Ok((name == "data-model-index").then(|| r#"{"index":70,"timeline":"t"}"#.to_owned()))
    }
}

fn answer(values: &[(&str, &str)]) -> RouterAnswer {
    let values = values.iter();
    RouterAnswer {
        values: values
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        errors: Vec::new(),
    }
}

#[tokio::test]
async fn inspections_show_controllers_by_id_and_routers_by_id_and_name() {
    let live = Live::start().await;
    let (one, two) = (live.edge_router("one").await, live.edge_router("two").await);
    for router in [&one, &two] {
        live.network
            .set_router(router, connection(Timestamp::UNIX_EPOCH));
    }
    live.edge_router("offline").await;
    let told = [
        (
            "links",
            r#"{"links":[{"id":"l1","dest":"<r2>"}], "errors":null}"#,
        ),
        ("data-model-index", "{broken"),
    ];
    live.controller
        .app
        .attach_network_inspection(Arc::new(Routers {
            answers: BTreeMap::from([(one.clone(), answer(&told))]),
            gate: None,
        }));
    let ask = async |expression: &str, names: &[&str]| {
        let body = json!({"appRegex": expression, "requestedValues": names});
        live.fabric(Method::POST, "/inspections", body).await.json()
    };
    let of_one = [
        json!({"appId": one, "name": "Links", "value": {"links": [{"id": "l1", "dest": "<r2>"}], "errors": null}}),
        json!({"appId": one, "name": "data-model-index", "value": "{broken"}),
    ];
    let names = ["Links", "data-model-index", "Links"];
    for expression in ["^one$", &one[1..]] {
        let seen = ask(expression, &names).await;
        assert_eq!(
            seen,
            json!({"errors": null, "success": true, "values": of_one}),
            "{expression}"
        );
    }
    let controller = live.read("/controllers").await[0].clone();
    let id = controller["id"].as_str().unwrap();
    let index =
        json!({"appId": id, "name": "data-model-index", "value": {"index": 70, "timeline": "t"}});
    let seen = ask(id, &["data-model-index", "router-circuits"]).await;
    assert_eq!(
        seen,
        json!({"errors": null, "success": true, "values": [index]})
    );
    let seen = ask(".*", &["data-model-index", "nonsense"]).await;
    assert_eq!(seen["values"], json!([index, of_one[1]]));
    let mut errors = vec![
        format!("{id}: unknown value \"nonsense\""),
        format!("{two}: the router has not answered in time"),
    ];
    errors.sort();
    assert_eq!(seen["errors"], json!(errors));
}

#[tokio::test]
async fn metrics_of_routers_are_shown_as_events() {
    let live = Live::start().await;
    let one = live.edge_router("one").await;
    live.network
        .set_router(&one, connection(Timestamp::UNIX_EPOCH));
    live.network.set_link(FakeNetwork::link("l1", &one, "r2"));
    let told = r#"{"sourceId":"r","timestamp":{"seconds":0},"meters":{"link.dropped_msgs:l1":{"count":7}}}"#;
    let names = ["metrics", "metrics:prometheus", "metrics:text"];
    live.controller
        .app
        .attach_network_inspection(Arc::new(Routers {
            answers: BTreeMap::from([(one.clone(), answer(&names.map(|name| (name, told))))]),
            gate: None,
        }));
    let body = json!({"appRegex": "^one$", "requestedValues": names});
    let seen = live.fabric(Method::POST, "/inspections", body).await.json();
    let shown = |index: usize| &seen["values"][index]["value"];
    let event = &shown(0)[0];
    assert_eq!(
        (
            &event["metric"],
            &event["source_id"],
            &event["source_entity_id"]
        ),
        (&json!("link.dropped_msgs"), &json!(one), &json!("l1"))
    );
    assert_eq!(
        event["tags"],
        json!({"sourceRouterId": one, "targetRouterId": "r2"})
    );
    let text = shown(1)[0].as_str().unwrap();
    assert!(
        text.contains("# TYPE ziti_link_dropped_msgs gauge\n"),
        "{text}"
    );
    assert_eq!(shown(2)["sourceId"], "r");
}

#[tokio::test]
async fn inspections_beyond_the_limit_are_put_off() {
    let live = Live::start().await;
    let one = live.edge_router("one").await;
    live.network
        .set_router(&one, connection(Timestamp::UNIX_EPOCH));
    let (open, gate) = watch::channel(false);
    live.controller
        .app
        .attach_network_inspection(Arc::new(Routers {
            answers: BTreeMap::from([(one, answer(&[("stackdump", "none")]))]),
            gate: Some(gate),
        }));
    let body = json!({"appRegex": "^one$", "requestedValues": ["stackdump"]});
    let ask = || live.fabric(Method::POST, "/inspections", body.clone());
    let mut waiting: FuturesUnordered<_> = (0..100).map(|_| ask()).collect();
    for _ in 0..84 {
        let refused = waiting.next().await.unwrap();
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(refused.json()["error"]["code"], "RATE_LIMITED");
    }
    open.send(true).unwrap();
    while let Some(answered) = waiting.next().await {
        assert_eq!(answered.json()["values"][0]["value"], "none");
    }
    assert_eq!(ask().await.status, StatusCode::OK);
}
