use std::collections::BTreeSet;
use std::future::pending;
use std::path::Path;

use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_forwarding::ForwardingOptions;
use portcullis_metrics::{MetricName, MetricRegistry};
use portcullis_router::control::KnownControllers;
use portcullis_router_config::{CheckOptions, SourceFile, load};
use portcullis_wire::control::route::{DestinationKind, Route};
use portcullis_xgress::{Endpoint, Side};

use super::circuits::{MAX_CIRCUITS, end};
use super::*;
use crate::circuit_message::CircuitMessage;
use crate::clock::RouterClock;
use crate::relay::{Destination, EndView, Relay};
use crate::testing::{OneLink, TestController, forward};

struct Link;

impl Destination for Link {
    fn deliver(&self, _message: CircuitMessage) -> Result<(), CircuitMessage> {
        Ok(())
    }

    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn unrouted(&self, _circuit: &str) {}

    fn kind(&self) -> &'static str {
        "link"
    }
}

/// A part that never answers.
struct Stuck;

impl Inspectable for Stuck {
    fn inspect(&self, _subject: &Subject) -> InspectFuture {
        Box::pin(pending())
    }
}

/// A part that knows everything.
struct Wordy;

impl Inspectable for Wordy {
    fn inspect(&self, subject: &Subject) -> InspectFuture {
        Inspected::Text(format!("{} {}", subject.kind, subject.argument)).now()
    }
}

const FILE: &str = "
v: 3
identity: {cert: 'pem:x', key: \"-----BEGIN PRIVATE KEY-----\\nSECRET\\n-----END PRIVATE KEY-----\", ca: ca.pem}
ctrl: {endpoint: 'tls:c.example.test:6262'}
proxy: {type: http, address: 'p.example.test:1', username: me, password: SECRET}
";

/// The relay of a router between two others, with so many circuits, the first of which is `c1`.
fn relay(controllers: Arc<Controllers>, clock: RouterClock, circuits: usize) -> Relay {
    let relay = Relay::new(
        "r1".into(),
        ForwardingOptions::default(),
        controllers,
        clock,
    );
    for address in ["a", "b"] {
        let _hop = relay.attach(address, Arc::new(Link));
    }
    let [a, b] = ["a", "b"].map(|address| (address, DestinationKind::Link));
    for number in 1..=circuits {
        let route = Route {
            circuit_id: format!("c{number}"),
            forwards: vec![forward(a, b), forward(b, a)],
            ..Route::default()
        };
        relay.route(&route, &"ctrl".into()).unwrap();
    }
    relay
}

fn circuits_of(relay: Relay) -> Circuits {
    Circuits::new(Arc::new(relay), Arc::new(OneLink))
}

fn inspections() -> (Arc<Inspections>, Arc<Basics>) {
    let controllers = Arc::new(Controllers::new(Duration::from_secs(1)));
    let clock = RouterClock::start(Timestamp::UNIX_EPOCH);
    let effective = load(
        &SourceFile::new("r.yml", FILE.as_bytes()),
        &CheckOptions::new(),
    )
    .effective;
    let basics = Arc::new(Basics {
        router: "r1".into(),
        clock,
        metrics: Arc::new(MetricRegistry::default()),
        controllers: Arc::clone(&controllers),
        known: Arc::new(Mutex::new(KnownControllers::new(Vec::new(), None))),
        config: Basics::shown_config(&effective, Path::new("r.yml")),
    });
    let relay = relay(Arc::clone(&controllers), clock, 1);
    let inspections = Inspections::new(controllers, TaskTracker::new());
    inspections.register(Basics::KINDS, &basics);
    inspections.register(Circuits::KINDS, &Arc::new(circuits_of(relay)));
    (Arc::new(inspections), basics)
}

async fn answer(inspections: &Inspections, names: &[&str]) -> InspectResponse {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    inspections.answer(InspectRequest { names }).await
}

async fn json(inspections: &Inspections, name: &str) -> Json {
    let response = answer(inspections, &[name]).await;
    assert!(response.is_success, "{response:?}");
    let value = response.values.into_iter().next().unwrap();
    assert_eq!(value.name, name);
    serde_json::from_str(value.value.expose()).unwrap()
}

#[tokio::test]
async fn that_circuits_are_left_out_is_said() {
    for (carried, expected) in [(MAX_CIRCUITS, None), (MAX_CIRCUITS + 2, Some(2))] {
        let controllers = Arc::new(Controllers::new(Duration::from_secs(1)));
        let clock = RouterClock::start(Timestamp::UNIX_EPOCH);
        let relay = relay(Arc::clone(&controllers), clock, carried);
        let inspections = Inspections::new(controllers, TaskTracker::new());
        inspections.register(Circuits::KINDS, &Arc::new(circuits_of(relay)));
        let listed = json(&inspections, "router-circuits").await;
        assert_eq!(listed["circuits"].as_object().unwrap().len(), MAX_CIRCUITS);
        let errors = expected.map(|count| vec![format!("{count} more circuits are not shown")]);
        assert_eq!(listed["errors"], serde_json::json!(errors));
    }
}

#[tokio::test]
async fn circuits_have_the_shape_that_openziti_gives_them() {
    let (inspections, _) = inspections();
    let mut listed = json(&inspections, "router-circuits").await;
    listed["circuits"]["c1"]["timeSinceActivity"].take();
    let expected = serde_json::json!({"circuits": {"c1": {
        "id": "c1",
        "ctrlId": "ctrl",
        "timeSinceActivity": null,
        "routes": {"a": "b", "b": "a"},
        "destinations": {"a": "link", "b": "link"},
    }}});
    assert_eq!(listed, expected);
    let one = json(&inspections, "circuitAndStacks:c1").await;
    assert_eq!(one["circuitId"], "c1");
    assert_eq!(one["forwards"]["a"], "b");
    assert_eq!(one["xgressDetails"], serde_json::json!({}));
    let other = answer(&inspections, &["circuit:C1"]).await;
    assert!(other.is_success && other.values.is_empty(), "{other:?}");
}

#[tokio::test]
async fn circuits_are_shown_with_their_links() {
    let controllers = Arc::new(Controllers::new(Duration::from_secs(1)));
    let clock = RouterClock::start(Timestamp::UNIX_EPOCH);
    let relay = relay(Arc::clone(&controllers), clock, 1);
    let _hop = relay.attach("l1", Arc::new(Link));
    let [a, l1] = ["a", "l1"].map(|address| (address, DestinationKind::Link));
    let route = Route {
        circuit_id: "over l1".to_owned(),
        forwards: vec![forward(a, l1), forward(l1, a)],
        ..Route::default()
    };
    relay.route(&route, &"ctrl".into()).unwrap();
    let inspections = Inspections::new(controllers, TaskTracker::new());
    inspections.register(Circuits::KINDS, &Arc::new(circuits_of(relay)));
    inspections.register(Links::KINDS, &Arc::new(Links::new(Arc::new(OneLink))));
    let shown = json(&inspections, "circuit:over l1").await;
    let links = json(&inspections, "links").await;
    let expected = serde_json::json!({"link": {"l1": links["links"][0]}});
    assert_eq!(shown["relatedEntities"], expected);
    let other = json(&inspections, "circuit:c1").await;
    assert_eq!(other["relatedEntities"], Json::Null);
}

#[test]
fn ends_have_the_members_that_openziti_gives_them() {
    let now = portcullis_channel::Now::default();
    let options = Arc::new(portcullis_xgress::Options::default());
    let endpoint = Endpoint::new(Side::Initiator, "c1".to_owned(), options, now);
    let view = |retransmitted_before| EndView {
        side: Side::Initiator,
        kind: "xgress/edge",
        silent_for: Duration::from_millis(194),
        retransmitted_before,
        stats: endpoint.stats(),
    };
    let shown = end("a", &view(None));
    for (part, expected) in [
        (
            &shown,
            "address originator timeSinceLastLinkRx sendBufferDetail recvBufferDetail xgressPointer \
             linkSendBufferPointer goroutines sequence flags lastSizeSent kind",
        ),
        (
            &shown["sendBufferDetail"],
            "windowSize queuedPayloadCount linkSendBufferSize linkRecvBufferSize accumulator successfulAcks \
             duplicateAcks retransmits closed blockedByLocalWindow blockedByRemoteWindow retxScale retxThreshold \
             timeSinceLastRetx closeWhenEmpty acquiredSafely",
        ),
        (
            &shown["recvBufferDetail"],
            "size payloadCount sequence maxSequence nextPayload acquiredSafely",
        ),
    ] {
        let names: BTreeSet<_> = part
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(names, expected.split_whitespace().collect());
    }
    assert_eq!(shown["timeSinceLastLinkRx"], "194ms");
    let since = |shown: &Json| shown["sendBufferDetail"]["timeSinceLastRetx"].clone();
    assert_eq!(since(&shown), "");
    let shown = end("a", &view(Some(Duration::from_mins(5))));
    assert_eq!(since(&shown), "5m0s");
}

#[tokio::test]
async fn no_configuration_comes_from_controllers() {
    let (inspections, _) = inspections();
    assert_eq!(
        json(&inspections, "router-config-registry").await,
        serde_json::json!({"sealed": true, "closed": false, "handlers": null})
    );
}

#[tokio::test]
async fn controllers_have_the_shape_that_openziti_gives_them() {
    let (inspections, basics) = inspections();
    let nobody = serde_json::json!({"leaderId": "", "controllers": {}});
    assert_eq!(json(&inspections, "router-controllers").await, nobody);
    let id = ControllerId::from("c1");
    let _controller = TestController::connect(&id, &basics.controllers).await;
    basics.known.lock().lead(&id, 1);
    let shown = json(&inspections, "router-controllers").await;
    assert_eq!(shown["leaderId"], "c1");
    assert_eq!(shown["controllers"]["c1"]["isLeader"], true);
    // A sample of OpenZiti 2.1.
    let sample = r#"{"address":"tls:<host>:<p>","connected":true,"controllerId":"c1","isLeader":true,
        "latency":"3.493195ms","responsive":true,"timeSinceLastContact":"8.598s","version":"v2.1.0"}"#;
    let sample: Json = serde_json::from_str(sample).unwrap();
    assert_eq!(kinds(&shown["controllers"]["c1"]), kinds(&sample));
}

/// The members of an object, with what they are.
fn kinds(object: &Json) -> BTreeMap<&str, &'static str> {
    let members = object.as_object().unwrap().iter();
    let kind = |value: &Json| match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "text",
        Json::Array(_) => "list",
        Json::Object(_) => "object",
    };
    members
        .map(|(name, value)| (name.as_str(), kind(value)))
        .collect()
}

#[tokio::test]
async fn unknown_names_have_no_value_and_known_ones_any_case() {
    let (inspections, _) = inspections();
    let response = answer(&inspections, &["bogus", "StackDump", "connected-routers"]).await;
    assert!(response.is_success);
    let names: Vec<_> = response
        .values
        .iter()
        .map(|value| value.name.as_str())
        .collect();
    assert_eq!(names, ["StackDump"]);
}

#[tokio::test]
async fn router_without_edge_says_so() {
    let (inspections, _) = inspections();
    let response = answer(&inspections, &["sdk-terminators", "ert-terminators"]).await;
    assert!(!response.is_success);
    assert_eq!(
        response.errors,
        ["no xgress factory configured for edge binding"]
    );
    assert_eq!(response.values.len(), 1);
}

#[tokio::test]
async fn configuration_is_shown_without_secrets() {
    let (inspections, _) = inspections();
    let config = json(&inspections, "config").await;
    assert!(!config.to_string().contains("SECRET"), "{config}");
    insta::assert_snapshot!(serde_json::to_string_pretty(&config).unwrap(), @r#"
    {
      "@file": "r.yml",
      "ctrl": {
        "endpoint": "tls:c.example.test:6262"
      },
      "identity": {
        "ca": "ca.pem"
      },
      "proxy": {
        "address": "p.example.test:1",
        "password": "(a password)",
        "type": "http",
        "username": "me"
      },
      "v": 3
    }
    "#);
}

#[tokio::test]
async fn metrics_are_those_of_the_registry() {
    let (inspections, basics) = inspections();
    let _gauge = basics.metrics.gauge(MetricName::plain("edge.connections"));
    for name in ["metrics", "metrics:prometheus", "Metrics:json"] {
        let metrics = json(&inspections, name).await;
        assert_eq!(metrics["sourceId"], "r1");
        assert_eq!(metrics["intValues"]["edge.connections"], 0);
    }
}

#[tokio::test(start_paused = true)]
async fn slow_and_large_parts_take_nothing_from_others() {
    let (inspections, _) = inspections();
    inspections.register(&["links"], &Arc::new(Stuck));
    inspections.register(&["sdk-context"], &Arc::new(Wordy));
    let large = format!("sdk-context:{}", "x".repeat(MAX_BYTES));
    let response = answer(&inspections, &["links", "sdk-context:Id", &large]).await;
    assert_eq!(response.errors.len(), 2, "{:?}", response.errors.first());
    assert_eq!(response.values.len(), 1);
    assert_eq!(response.values[0].value.expose(), "sdk-context Id");
}

#[tokio::test(start_paused = true)]
async fn controllers_get_replies_and_too_many_requests_are_refused() {
    let (inspections, _) = inspections();
    inspections.register(&["links"], &Arc::new(Stuck));
    let id = ControllerId::from("ctrl");
    let mut controller = TestController::connect(&id, &inspections.controllers).await;
    let question = ControlMessage::InspectRequest(InspectRequest {
        names: vec!["links".to_owned()],
    });
    for _ in 0..=MAX_REQUESTS {
        let frame = controller.ask(&question).await;
        let reply_to = frame.reply_to();
        let message = ControlMessage::decode(&frame.into_message()).unwrap();
        if let ControlMessage::InspectRequest(asked) = message {
            inspections.handle(&id, reply_to, asked);
        }
    }
    let mut errors = BTreeSet::new();
    for _ in 0..=MAX_REQUESTS {
        match controller.next().await {
            ControlMessage::InspectResponse(response) => errors.extend(response.errors),
            other => panic!("{other:?}"),
        }
    }
    let errors: Vec<_> = errors.iter().map(String::as_str).collect();
    assert_eq!(
        errors,
        [
            "\"links\" takes too long",
            "the router answers too many other inspections"
        ]
    );
}

#[tokio::test]
async fn links_have_the_shape_that_openziti_gives_them() {
    let (inspections, _) = inspections();
    inspections.register(Links::KINDS, &Arc::new(Links::new(Arc::new(OneLink))));
    let links = json(&inspections, "links").await;
    assert!(links["errors"].is_null());
    let lists = ["links", "destinations"].map(|name| links[name].as_array().unwrap());
    let items: Vec<_> = lists
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(items.join("\n"), @r#"
    {"connStateIteration":4,"connections":[{"Dest":"127.0.0.1:2","Source":"127.0.0.1:1","Type":"link.default"}],"dest":"r2","destVersion":"v2.1.0","dialAddress":"tls:r2.example.test:6000","dialed":true,"id":"l1","iteration":1,"key":"default->tls:r2->default","protocol":"tls","split":true,"underlays":{"link.ack":1,"link.default":1}}
    {"healthy":true,"id":"r2","linkStates":[{"connectedCount":3,"ctrlsNotified":true,"dialAttempts":0,"dialerBinding":"","dialerGroups":["default","far"],"establishedLinkId":"l1","id":"l1","key":"default->tls:r2->default","nextDial":"0001-01-01T00:00:00Z","retryDelay":"0s","status":"established","targetAddress":"tls:r2.example.test:6000","targetBinding":"","targetGroups":["default"]}],"version":"v2.1.0"}
    {"healthy":false,"id":"r3","linkStates":[{"connectedCount":1,"ctrlsNotified":false,"dialAttempts":2,"dialerBinding":"","dialerGroups":["default","far"],"establishedLinkId":"","id":"l1","key":"default->tls:r2->default","nextDial":"1970-01-01T00:00:07Z","retryDelay":"2s","status":"dialFailed","targetAddress":"tls:r2.example.test:6000","targetBinding":"","targetGroups":["default"]}],"unhealthySince":"1970-01-01T00:00:07Z","version":"v2.1.0"}
    "#);
}
