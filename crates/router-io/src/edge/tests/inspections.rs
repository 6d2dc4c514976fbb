//! What operators see of the edge, and what it measures.

use std::sync::Arc;
use std::time::Duration;

use portcullis_metrics::MetricValue;
use portcullis_simulated_sdk::{Sdk, dial_through, dial_v2};
use portcullis_wire::edge::{ConnectionId, EdgeMessage, InspectRequest, InspectResponse};
use portcullis_wire::xgress::{Payload, PayloadFlags, PayloadSequence};
use serde_json::{Value as Json, json};

use super::network::SERVICE;
use super::world::World;
use crate::inspect::{Circuits, EdgeView, Inspectable as _, Inspected, Subject};
use crate::testing::OneLink;

/// Asks for a value, as controllers do.
async fn inspect(world: &World, name: &str) -> Json {
    inspect_with_room(world, name, 1 << 20).await
}

/// The same where only so many bytes are collected.
async fn inspect_with_room(world: &World, name: &str, room: usize) -> Json {
    let relay = world.edge.shared.ends.relay();
    let subject = Subject::parse(name);
    let asked = if Circuits::KINDS.contains(&subject.kind.as_str()) {
        Circuits::new(relay.clone(), Arc::new(OneLink)).inspect(&subject)
    } else {
        let view = EdgeView::new(world.edge.clone(), relay.clone());
        view.with_room(room).inspect(&subject)
    };
    match asked.await.unwrap() {
        Inspected::Json(json) => json,
        Inspected::Text(text) => serde_json::from_str(&text).unwrap(),
        Inspected::Nothing => panic!("nothing is known of {name}"),
    }
}

/// As a text, a line for each thing, without what is different each time.
fn shown(mut value: Json) -> String {
    hide(&mut value);
    let mut lines = Vec::new();
    for (name, member) in value.as_object().unwrap() {
        match member {
            Json::Object(things) if !things.is_empty() => {
                lines.push(format!("{name}:"));
                let things = things.iter();
                lines.extend(things.map(|(name, thing)| format!("  {name}: {thing}")));
            },
            _ => lines.push(format!("{name}: {member}")),
        }
    }
    lines.join("\n")
}

fn hide(value: &mut Json) {
    const VARYING: [&str; 10] = [
        "createTime",
        "lastAttempt",
        "last_full_sync",
        "srcAddr",
        "dstAddr",
        "timeSinceActivity",
        "timeSinceLastLinkRx",
        "retxThreshold",
        "unreported_count",
        "unreported_state_changed",
    ];
    match value {
        Json::Object(members) => {
            for (name, member) in members {
                if VARYING.contains(&name.as_str()) {
                    *member = "…".into();
                } else {
                    hide(member);
                }
            }
        },
        Json::Array(items) => items.iter_mut().for_each(hide),
        _ => {},
    }
}

/// Waits for a question, and answers it.
async fn answers(sdk: &mut Sdk, values: Json) -> InspectRequest {
    let found = sdk.finds(|message, request| match message {
        EdgeMessage::InspectRequest(asked) => Some((asked.clone(), request.clone())),
        _ => None,
    });
    let (asked, request) = found.await;
    let answer = EdgeMessage::InspectResponse(InspectResponse {
        json: json!({ "success": true, "errors": null, "values": values })
            .to_string()
            .into(),
        ..InspectResponse::default()
    });
    sdk.replies(&request, &answer);
    asked
}

#[tokio::test]
async fn who_is_connected_and_hosts() {
    let (world, _controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", true).await;
    let mut terminators = inspect(&world, "sdk-terminators").await;
    let text = terminators.to_string();
    assert!(!text.contains(&token), "{text}");
    let id = terminators["entries"][0]["id"].take();
    assert_eq!(terminators["entries"][0]["key"].take(), id);
    insta::assert_snapshot!(shown(terminators), @r#"
    entries: [{"assignIds":true,"channelConnId":"1","connId":1,"cost":0,"createTime":"…","id":null,"identityId":"bob","instance":"","key":null,"lastAttempt":"…","listenerId":"listener","operationActive":false,"precedence":"Default","serviceId":"wiki","state":"established","supportsInspect":false,"token":"redacted","useSdkXgress":true}]
    errors: null
    "#);
    insta::assert_snapshot!(shown(inspect(&world, "identity-connection-statuses").await), @r#"
    batch_interval: "3s"
    full_sync_interval: "5m0s"
    identity_connections:
      bob: {"being_reported_count":0,"being_reported_state_changed":false,"connections":[{"closed":false,"dstAddr":"…","id":"1","srcAddr":"…"}],"unreported_count":"…","unreported_state_changed":"…"}
    last_full_sync: "…"
    max_queued_events: 65536
    need_full_sync: null
    queued_event_count: 0
    "#);
}

#[tokio::test]
async fn the_data_model_without_what_may_be_secret() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let index = inspect(&world, "router-data-model-index").await;
    assert!(index["index"].as_u64().unwrap() > 0 && index["timeline"].is_string());
    insta::assert_snapshot!(shown(inspect(&world, "router-data-model").await), @r#"
    configTypes: {}
    configs: {}
    identities:
      alice: {"appDataSha256":null,"defaultHostingCost":0,"defaultHostingPrecedence":0,"disabled":false,"id":"alice","name":"alice's name","postureChecks":{},"serviceConfigs":{},"serviceHostingCosts":{},"serviceHostingPrecedences":{},"servicePolicies":["bind","dial"],"services":{"vault":{"bind":1,"dial":1},"wiki":{"bind":1,"dial":1}}}
    postureChecks: {}
    revocations: {}
    routers: {}
    servicePolicies:
      bind: {"id":"bind","identities":["alice"],"name":"bind","policyType":"BindPolicy","postureChecks":[],"services":["vault","wiki"]}
      dial: {"id":"dial","identities":["alice"],"name":"dial","policyType":"DialPolicy","postureChecks":[],"services":["vault","wiki"]}
    services:
      vault: {"configs":[],"encryptionRequired":true,"id":"vault","name":"vault.example.test","servicePolicies":["bind","dial"]}
      wiki: {"configs":[],"encryptionRequired":false,"id":"wiki","name":"wiki.example.test","servicePolicies":["bind","dial"]}
    "#);
}

#[tokio::test]
async fn circuits_with_the_ends_that_sdks_are() {
    let (world, _controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", true).await;
    let mut client = world.sdk("alice").await;
    let (dial, connected) = dial_through(&client, &mut host, dial_v2(1, SERVICE, true)).await;
    let circuit = connected.unwrap().circuit_id.unwrap();

    insta::assert_snapshot!(shown(inspect(&world, "router-edge-circuits").await), @r#"
    circuits:
      c1/e-c1: {"address":"e-c1","channelConnId":"1","circuitId":"c1","ctrlId":"instance-1","edgeConnId":2147483648,"identityId":"bob","originator":"Terminator","tags":{},"timeSinceLastLinkRx":"…"}
      c1/i-c1: {"address":"i-c1","channelConnId":"2","circuitId":"c1","ctrlId":"instance-1","edgeConnId":1,"identityId":"alice","originator":"Initiator","tags":{},"timeSinceLastLinkRx":"…"}
    "#);
    let relay = world.edge.shared.ends.relay();
    assert_eq!((relay.circuits(0).len(), relay.circuits(9).len()), (0, 1));
    assert_eq!((relay.sdk_ends(1).len(), relay.sdk_ends(9).len()), (1, 2));
    let view = EdgeView::new(world.edge.clone(), relay.clone()).with_ends(1);
    let asked = view.inspect(&Subject::parse("router-edge-circuits"));
    let Inspected::Json(some) = asked.await.unwrap() else {
        panic!("circuits are shown as JSON")
    };
    assert_eq!(some["circuits"].as_object().unwrap().len(), 1);
    assert_eq!(
        some["errors"],
        json!(["more ends of circuits are not shown"])
    );
    let of_sdk = json!({ "circuits": { "circuits": { &circuit: {
        "circuitId": circuit, "connId": 1, "originator": "Initiator", "isXgress": true,
    } } } });
    let of_host = json!({ "circuits": { "circuits": null } });
    let (listed, asked, _) = tokio::join!(
        inspect(&world, "router-sdk-circuits"),
        answers(&mut client, of_sdk),
        answers(&mut host, of_host),
    );
    assert_eq!(
        (asked.connection, asked.names),
        (None, vec!["circuits".to_owned()])
    );
    insta::assert_snapshot!(shown(listed), @r#"
    circuits:
      alice/2/c1: {"address":"i-c1","channelConnId":"2","circuitId":"c1","connId":1,"ctrlId":"instance-1","identityId":"alice","isXgress":true,"originator":"Initiator"}
    "#);

    let name = format!("circuit:{circuit}");
    let (one, asked, _) = tokio::join!(
        inspect(&world, &name),
        answers(&mut client, json!({ &name: { "originator": "Initiator" } })),
        answers(&mut host, json!({ "other": {} })),
    );
    assert_eq!(
        (asked.connection, asked.names),
        (Some(ConnectionId(1)), vec![name])
    );
    assert!(dial.new_connection.is_some());
    insta::assert_snapshot!(shown(one), @r#"
    circuitId: "c1"
    errors: ["end e-c1: the client does not tell it"]
    forwards:
      e-c1: "i-c1"
      i-c1: "e-c1"
    relatedEntities:
      edge: {"1":{"address":"i-c1","channelConnId":"2","circuitId":"c1","ctrlId":"instance-1","edgeConnId":1,"identityId":"alice","originator":"Initiator","tags":{},"timeSinceLastLinkRx":"…"},"2147483648":{"address":"e-c1","channelConnId":"1","circuitId":"c1","ctrlId":"instance-1","edgeConnId":2147483648,"identityId":"bob","originator":"Terminator","tags":{},"timeSinceLastLinkRx":"…"}}
    xgressDetails:
      i-c1: {"originator":"Initiator"}
    "#);
}

#[tokio::test]
async fn sdks_are_asked_for_their_context() {
    let (world, _controller) = World::connected(&["alice"]).await;
    insta::assert_snapshot!(shown(inspect(&world, "sdk-context:alice").await), @r#"error: "no connections found for identity alice""#);
    let mut client = world.sdk("alice").await;
    let (context, asked) = tokio::join!(
        inspect(&world, "sdk-context:alice"),
        answers(&mut client, json!({ "context": { "contextId": "1" } })),
    );
    assert_eq!(asked.names, ["context"]);
    insta::assert_snapshot!(shown(context), @r#"
    identityId: "alice"
    results: [{"connId":"1","context":{"contextId":"1"}}]
    "#);
    // An SDK that does not know what it is asked for, as those in C.
    let (context, _) = tokio::join!(
        inspect(&world, "sdk-context:alice"),
        answers(&mut client, json!({})),
    );
    insta::assert_snapshot!(shown(context), @r#"
    errors: ["identity alice conn 1: the client does not tell it"]
    identityId: "alice"
    results: []
    "#);
}

/// However much they say, and however many they are.
#[tokio::test]
async fn what_sdks_say_is_collected_only_as_far_as_there_is_room() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let mut clients = [
        world.sdk("alice").await,
        world.sdk("alice").await,
        world.sdk("alice").await,
    ];
    let long = "x".repeat(600);
    let [one, two, three] = &mut clients;
    let context = json!({ "context": { "text": &long } });
    let (shown, ..) = tokio::join!(
        inspect_with_room(&world, "sdk-context:alice", 1000),
        answers(one, context.clone()),
        answers(two, context.clone()),
        answers(three, context),
    );
    assert_eq!(shown["results"].as_array().unwrap().len(), 1, "{shown}");
    assert_eq!(shown["errors"], json!(["2 more clients are not shown"]));

    let circuits = json!({ "circuits": { "circuits": { "c1": { "text": &long } } } });
    let (shown, ..) = tokio::join!(
        inspect_with_room(&world, "router-sdk-circuits", 1000),
        answers(one, circuits.clone()),
        answers(two, circuits.clone()),
        answers(three, circuits),
    );
    assert_eq!(shown["circuits"].as_object().unwrap().len(), 1, "{shown}");
    assert_eq!(shown["errors"], json!(["2 more clients are not shown"]));
}

#[tokio::test]
async fn lists_of_the_edge_stop_at_a_size_and_say_so() {
    let (world, _controller) = World::connected(&["alice", "bob"]).await;
    let mut hosts = Vec::new();
    for identity in ["alice", "bob"] {
        let mut host = world.sdk(identity).await;
        let token = world.network.service_token(identity, SERVICE, "Bind");
        host.binds(&token, "listener", true).await;
        hosts.push(host);
    }
    let terminators = inspect_with_room(&world, "sdk-terminators", 500).await;
    assert_eq!(terminators["entries"].as_array().unwrap().len(), 1);
    let more = json!(["1 more terminators are not shown"]);
    assert_eq!(terminators["errors"], more);
    let nothing = inspect_with_room(&world, "sdk-terminators", 2).await;
    assert_eq!(nothing["entries"], Json::Null);

    let identities = inspect_with_room(&world, "identity-connection-statuses", 300).await;
    let shown = identities["identity_connections"].as_object().unwrap();
    assert_eq!(shown.keys().collect::<Vec<_>>(), ["alice"]);
    let more = json!(["1 more identities are not shown"]);
    assert_eq!(identities["errors"], more);
    assert_eq!(identities["queued_event_count"], 0);
}

#[tokio::test]
async fn data_model_that_is_too_large_is_not_shown() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let view = EdgeView::new(world.edge.clone(), world.edge.shared.ends.relay().clone());
    let asked = view
        .with_room(500)
        .inspect(&Subject::parse("router-data-model"));
    assert_eq!(
        asked.await.unwrap_err().to_string(),
        "the data model is longer than 500 bytes"
    );
}

#[tokio::test]
async fn what_sdks_carry_themselves_is_counted() {
    let (world, _controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", true).await;
    let client = world.sdk("alice").await;
    let (_, connected) = dial_through(&client, &mut host, dial_v2(1, SERVICE, true)).await;
    let circuit = connected.unwrap().circuit_id.unwrap();
    for flags in [PayloadFlags::default(), PayloadFlags::RETRANSMITTED] {
        client
            .says(EdgeMessage::Payload(Payload {
                connection: Some(ConnectionId(1)),
                circuit_id: circuit.clone(),
                sequence: PayloadSequence::default(),
                flags,
                data: bytes::Bytes::from_static(b"hello").into(),
                ..Payload::default()
            }))
            .await;
        let is_payload = |message: &EdgeMessage| matches!(message, EdgeMessage::Payload(_));
        host.finds(|message, _| is_payload(message).then_some(()))
            .await;
    }
    let relay = world.edge.shared.ends.relay();
    let usage = relay
        .usage()
        .end_interval(Duration::ZERO, world.clock.timestamp());
    let usage: Vec<_> = usage
        .iter()
        .map(|counter| &counter.buckets[&circuit])
        .collect();
    insta::assert_debug_snapshot!(usage, @r#"
    [
        UsageBucket {
            values: {
                "egress.tx": 5,
                "ingress.rx": 5,
            },
            tags: {},
        },
    ]
    "#);
    let snapshot = world.metrics.snapshot();
    let told = snapshot.iter().filter_map(|(name, value)| match value {
        MetricValue::Meter { count, .. } if *count > 0 => Some(format!("{name}: {count}")),
        MetricValue::Gauge(value) if *value > 0 => Some(format!("{name} = {value}")),
        _ => None,
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"), @r"
    edge.connect.successes: 2
    edge.connections = 2
    egress.tx.bytesrate: 5
    egress.tx.msgrate: 1
    ingress.rx.bytesrate: 5
    ingress.rx.msgrate: 1
    ");
}
