//! Lines as OpenZiti 2.1 writes them, and subscriptions that it takes or refuses.

use super::*;
use crate::event::api_session::{ApiSession, ApiSessionKind, ApiSessionType};
use crate::event::authentication::{Authentication, AuthenticationKind, Method};
use crate::event::circuit::{Circuit, CircuitKind, CircuitPath};
use crate::event::cluster::{Cluster, ClusterKind};
use crate::event::connect::{Connect, ConnectDestination, ConnectSource};
use crate::event::entity_change::{
    ChangeAuthor, ChangeKind, ChangeMetadata, ChangeSource, EntityChange, EntityCommit,
};
use crate::event::entity_state::EntityState;
use crate::event::link::{Link, LinkConnection, LinkKind};
use crate::event::metric::{LinkRouters, metrics_of};
use crate::event::router::RouterStatus;
use crate::event::sdk::{SdkStatus, SdkStatusKind};
use crate::event::service::{ServiceCount, ServiceCountKind};
use crate::event::session::{Session, SessionKind, SessionProvider, SessionType};
use crate::event::terminator::TerminatorStatus;
use crate::event::usage::usage_of;
use portcullis_wire::control::metrics::{Histogram, Meter, Metrics, UsageBucket, UsageCounter};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

const TIME: &str = "2026-11-22T23:11:09.5Z";

fn event(body: Body) -> Event {
    Event {
        source: "c1".into(),
        time: TIME.parse().expect("a time"),
        body,
    }
}

fn subscription(event_type: &str, options: &Value) -> Subscription {
    Subscription::new(event_type, options).expect("a subscription")
}

/// The only line of an event for who wants everything of its namespace.
fn line(body: Body) -> String {
    let namespace = body.namespace().as_str();
    let lines = subscription(namespace, &Value::Null).lines(&event(body));
    let [line] = lines.as_slice() else {
        panic!("{} lines", lines.len());
    };
    // As in the samples.
    line.json.replace(TIME, "<t>")
}

fn created_circuit() -> Circuit {
    Circuit {
        kind: CircuitKind::Created {
            took: Duration::from_nanos(1_608_854),
            path_cost: 1_073_741_843,
        },
        circuit_id: "<c>".into(),
        client_id: "<ident>".into(),
        service_id: "<svc>".into(),
        terminator_id: "<term>".into(),
        instance_id: "".into(),
        path: CircuitPath {
            nodes: Some(vec!["<r1>".into(), "<r2>".into()]),
            links: Some(vec!["<l>".into()]),
            ingress_id: "<a>".into(),
            egress_id: "<b>".into(),
            terminator_local_address: "127.0.0.1:34086".into(),
            terminator_remote_address: "127.0.0.1:28030".into(),
            ..CircuitPath::default()
        },
        tags: Some(tags(&[
            ("clientId", "<ident>"),
            ("hostId", "<host>"),
            ("serviceId", "<svc>"),
        ])),
    }
}

fn tags(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn circuits() {
    assert_eq!(
        line(Body::Circuit(created_circuit())),
        r#"{"namespace":"circuit","event_src_id":"c1","timestamp":"<t>","version":2,"event_type":"created","circuit_id":"<c>","client_id":"<ident>","service_id":"<svc>","terminator_id":"<term>","instance_id":"","creation_timespan":1608854,"path":{"nodes":["<r1>","<r2>"],"links":["<l>"],"ingress_id":"<a>","egress_id":"<b>","terminator_local_addr":"127.0.0.1:34086","terminator_remote_addr":"127.0.0.1:28030"},"link_count":1,"path_cost":1073741843,"tags":{"clientId":"<ident>","hostId":"<host>","serviceId":"<svc>"}}"#
    );
    let failed = Circuit {
        kind: CircuitKind::Failed {
            took: Duration::from_nanos(67_487),
            path_cost: None,
            cause: "NO_TERMINATORS",
        },
        terminator_id: "".into(),
        path: CircuitPath::default(),
        tags: Some(tags(&[("clientId", "<ident>"), ("serviceId", "<svc>")])),
        ..created_circuit()
    };
    assert_eq!(
        line(Body::Circuit(failed)),
        r#"{"namespace":"circuit","event_src_id":"c1","timestamp":"<t>","version":2,"event_type":"failed","circuit_id":"<c>","client_id":"<ident>","service_id":"<svc>","terminator_id":"","instance_id":"","creation_timespan":67487,"path":{"nodes":null,"links":null,"ingress_id":"","egress_id":""},"link_count":0,"failure_cause":"NO_TERMINATORS","tags":{"clientId":"<ident>","serviceId":"<svc>"}}"#
    );
    let deleted = Circuit {
        kind: CircuitKind::Deleted {
            age: Duration::from_nanos(7_697_264_802),
        },
        tags: None,
        ..created_circuit()
    };
    let deleted = line(Body::Circuit(deleted));
    assert!(
        deleted.ends_with(r#""link_count":1,"duration":7697264802,"tags":null}"#),
        "{deleted}"
    );
}

#[test]
fn sessions_without_their_tokens() {
    let api_session = ApiSession {
        kind: ApiSessionKind::Created,
        id: "<uuid>".into(),
        session_type: ApiSessionType::Jwt,
        identity_id: "<id>".into(),
        ip_address: "127.0.0.1:53530".into(),
        has_certificate: false,
    };
    assert_eq!(
        line(Body::ApiSession(api_session)),
        r#"{"namespace":"apiSession","event_src_id":"c1","timestamp":"<t>","event_type":"created","id":"<uuid>","type":"jwt","token":"","identity_id":"<id>","ip_address":"127.0.0.1:53530","cert_generated":false}"#
    );
    let session = Session {
        kind: SessionKind::Created,
        session_type: SessionType::Bind,
        provider: SessionProvider::Jwt,
        id: "<cuid>".into(),
        api_session_id: "<uuid>".into(),
        identity_id: "<host>".into(),
        service_id: "<svc>".into(),
    };
    assert_eq!(
        line(Body::Session(session.clone())),
        r#"{"namespace":"session","event_src_id":"c1","timestamp":"<t>","event_type":"created","session_type":"Bind","provider":"jwt","id":"<cuid>","token":"<cuid>","api_session_id":"<uuid>","identity_id":"<host>","service_id":"<svc>"}"#
    );
    let legacy = Session {
        provider: SessionProvider::Legacy,
        ..session
    };
    assert!(!line(Body::Session(legacy)).contains("token"));
}

#[test]
fn logins() {
    let attempt = |kind| Authentication {
        kind,
        method: Method::Cert,
        authenticator_id: "".into(),
        external_jwt_signer_id: "".into(),
        identity_id: "".into(),
        auth_policy_id: "".into(),
        remote_address: "127.0.0.1:39664".into(),
        has_improper_client_cert_chain: false,
    };
    let reason = "no client certificates found".into();
    assert_eq!(
        line(Body::Authentication(attempt(AuthenticationKind::Failure {
            reason
        }))),
        r#"{"namespace":"authentication","event_src_id":"c1","timestamp":"<t>","event_type":"fail","type":"cert","authenticator_id":"","external_jwt_signer_id":"","identity_id":"","auth_policy_id":"","remote_address":"127.0.0.1:39664","success":false,"reason":"no client certificates found","improper_client_cert_chain":false}"#
    );
    let success = line(Body::Authentication(attempt(AuthenticationKind::Success)));
    assert!(success.contains(r#""event_type":"success""#), "{success}");
    assert!(
        success.contains(r#""success":true,"reason":"""#),
        "{success}"
    );
}

#[test]
fn parts_of_the_network_that_come_and_go() {
    let leader = Cluster {
        kind: ClusterKind::HasLeader,
        index: None,
        peers: Vec::new(),
        leader_id: Some("c1".into()),
    };
    assert_eq!(
        line(Body::Cluster(leader)),
        r#"{"namespace":"cluster","event_src_id":"c1","timestamp":"<t>","eventType":"state.has_leader","leaderId":"c1"}"#
    );
    let connect = Connect {
        source: ConnectSource::Identity,
        destination: ConnectDestination::Router,
        source_id: "<ident>".into(),
        source_address: "127.0.0.1:52368".into(),
        destination_id: "<r2>".into(),
        destination_address: "127.0.0.1:28012".into(),
    };
    assert_eq!(
        line(Body::Connect(connect)),
        r#"{"namespace":"connect","event_src_id":"c1","timestamp":"<t>","src_type":"identity","dst_type":"router","src_id":"<ident>","src_addr":"127.0.0.1:52368","dst_id":"<r2>","dst_addr":"127.0.0.1:28012"}"#
    );
    let router = RouterStatus {
        router_id: "<r1>".into(),
        is_online: true,
    };
    assert_eq!(
        line(Body::Router(router)),
        r#"{"namespace":"router","timestamp":"<t>","event_src_id":"c1","event_type":"router-online","router_id":"<r1>","router_online":true}"#
    );
    let sdk = SdkStatus {
        kind: SdkStatusKind::Online,
        identity_id: "<ident>".into(),
    };
    assert_eq!(
        line(Body::Sdk(sdk)),
        r#"{"namespace":"sdk","event_src_id":"c1","timestamp":"<t>","event_type":"sdk-online","identity_id":"<ident>"}"#
    );
    let terminator = TerminatorStatus {
        is_router_online: true,
        service_id: "<svc>".into(),
        terminator_id: "<term>".into(),
        router_id: "<r2>".into(),
        host_id: "<host>".into(),
        instance_id: "".into(),
        precedence: "default",
        static_cost: 0,
        dynamic_cost: 0,
        total: Some(1),
        usable_default: Some(1),
        usable_required: None,
    };
    assert_eq!(
        line(Body::Terminator(terminator)),
        r#"{"namespace":"terminator","event_src_id":"c1","timestamp":"<t>","event_type":"router-online","service_id":"<svc>","terminator_id":"<term>","router_id":"<r2>","host_id":"<host>","instance_id":"","router_online":true,"precedence":"default","static_cost":0,"dynamic_cost":0,"total_terminators":1,"usable_default_terminators":1,"usable_required_terminators":-1}"#
    );
}

#[test]
fn links() {
    let new = Link {
        kind: LinkKind::New,
        link_id: "<l>".into(),
        source_router_id: Some("<r1>".into()),
        destination_router_id: Some("<r2>".into()),
        protocol: Some("tls".into()),
        dial_address: Some("tls:127.0.0.1:28022".into()),
        cost: Some(1),
        connections: vec![LinkConnection {
            id: "link.default".into(),
            local_address: "tcp:127.0.0.1:41612".into(),
            remote_address: "tcp:127.0.0.1:28022".into(),
        }],
    };
    assert_eq!(
        line(Body::Link(new)),
        r#"{"namespace":"link","event_src_id":"c1","timestamp":"<t>","event_type":"routerLinkNew","link_id":"<l>","src_router_id":"<r1>","dst_router_id":"<r2>","protocol":"tls","dial_address":"tls:127.0.0.1:28022","cost":1,"connections":[{"id":"link.default","local_addr":"tcp:127.0.0.1:41612","remote_addr":"tcp:127.0.0.1:28022"}]}"#
    );
    let fault = Link {
        kind: LinkKind::Fault,
        link_id: "<l>".into(),
        source_router_id: None,
        destination_router_id: None,
        protocol: None,
        dial_address: None,
        cost: None,
        connections: Vec::new(),
    };
    assert_eq!(
        line(Body::Link(fault)),
        r#"{"namespace":"link","event_src_id":"c1","timestamp":"<t>","event_type":"fault","link_id":"<l>"}"#
    );
}

#[test]
fn changes_of_entities() {
    let change = EntityChange {
        event_id: "<uuid>".into(),
        kind: ChangeKind::Created,
        metadata: Arc::new(ChangeMetadata {
            author: ChangeAuthor {
                kind: "identity",
                id: "<id>".to_owned(),
                name: "Default Admin".to_owned(),
            },
            source: Some(ChangeSource {
                kind: "rest",
                auth: Some("edge"),
                local_addr: Some("localhost:1280".into()),
                remote_addr: "127.0.0.1:49950".to_owned(),
                method: Some("POST"),
            }),
            trace_id: None,
            version: "v2.1.0",
        }),
        entity_type: "services",
        is_parent: false,
        before: EntityState::default(),
        after: EntityState::new(br#"{"id":"<svc>","createdAt":"<t>"}"#.to_vec()),
    };
    assert_eq!(
        line(Body::EntityChange(change)),
        r#"{"namespace":"entityChange","event_src_id":"c1","timestamp":"<t>","eventId":"<uuid>","eventType":"created","metadata":{"author":{"type":"identity","id":"<id>","name":"Default Admin"},"source":{"type":"rest","auth":"edge","localAddr":"localhost:1280","remoteAddr":"127.0.0.1:49950","method":"POST"},"version":"v2.1.0"},"entityType":"services","isParentEvent":false,"initialState":null,"finalState":{"id":"<svc>","createdAt":"<t>"}}"#
    );
    let commit = EntityCommit {
        event_id: "<uuid>".into(),
        entity_type: "services",
        is_parent: false,
    };
    assert_eq!(
        line(Body::EntityCommit(commit.clone())),
        r#"{"namespace":"entityChange","event_src_id":"c1","timestamp":"<t>","eventId":"<uuid>","eventType":"committed"}"#
    );
    let wants = |options: &Value, commit: &EntityCommit| {
        let commit = event(Body::EntityCommit(commit.clone()));
        subscription("entityChange", options).wants(&commit)
    };
    assert!(wants(&json!({"include": "services"}), &commit));
    assert!(!wants(&json!({"include": ["routers"]}), &commit));
    let parent = EntityCommit {
        is_parent: true,
        ..commit
    };
    assert!(!wants(&json!({}), &parent));
    assert!(wants(&json!({"includeParentEvents": "true"}), &parent));
    for (event_type, options, expected) in [
        (
            "entityChange",
            json!({"include": "services"}),
            [true, false],
        ),
        (
            "entityChange",
            json!({"include": "routers"}),
            [false, false],
        ),
        (
            "entityChange",
            json!({"includeParentEvents": true}),
            [true, true],
        ),
        ("router", json!({}), [false, false]),
    ] {
        let subscription = subscription(event_type, &options);
        let wanted = [false, true].map(|half| subscription.wants_entities("services", half));
        assert_eq!(wanted, expected, "{event_type} {options}");
    }
}

#[test]
fn dials_of_services() {
    let count = ServiceCount {
        kind: ServiceCountKind::Success,
        terminator_id: "<term>".into(),
        service_id: "<svc>".into(),
        count: 2,
        interval_start: 1_795_389_060,
        interval_length: 60,
    };
    assert_eq!(
        line(Body::Service(count)),
        r#"{"namespace":"service","event_src_id":"c1","timestamp":"<t>","version":2,"event_type":"service.dial.success","terminator_id":"<term>","service_id":"<svc>","count":2,"interval_start_utc":1795389060,"interval_length":60}"#
    );
}

fn metrics_message() -> Metrics {
    let usage = UsageBucket {
        values: [("ingress.rx".to_owned(), 47), ("egress.tx".to_owned(), 84)].into(),
        tags: tags(&[("clientId", "<ident>")]),
    };
    Metrics {
        event_id: "<uuid>".to_owned(),
        meters: [("link.dropped_msgs:<l>".to_owned(), Meter::default())].into(),
        histograms: [("link.<l>.latency".to_owned(), Histogram::default())].into(),
        integers: [("edge.connections".to_owned(), 3)].into(),
        usage_counters: vec![UsageCounter {
            start_seconds: 1_795_389_075,
            interval_seconds: 15,
            buckets: [("<c>".to_owned(), usage)].into(),
        }],
        ..Metrics::default()
    }
}

/// Lines of metrics without their times.
fn metric_lines(options: &Value) -> Vec<String> {
    let routers_of = |link: &str| {
        assert_eq!(link, "<l>");
        Some(LinkRouters {
            source: "<r1>".into(),
            destination: "<r2>".into(),
        })
    };
    let subscription = subscription("metrics", options);
    let (router, message) = ("<r1>".into(), metrics_message());
    let metrics = metrics_of(&router, &message, routers_of);
    let events = metrics.map(|metric| event(Body::Metric(metric)));
    let lines = events.flat_map(|event| subscription.lines(&event));
    lines.map(|line| line.json.replace(TIME, "<t>")).collect()
}

#[test]
fn metrics() {
    let lines = metric_lines(&json!({}));
    assert_eq!(lines.len(), 3);
    assert_eq!(
        lines[0],
        r#"{"namespace":"metrics","event_src_id":"c1","timestamp":"<t>","metric_type":"intValue","source_id":"<r1>","version":3,"metric":"edge.connections","metrics":{"value":3},"source_event_id":"<uuid>"}"#
    );
    assert_eq!(
        lines[1],
        r#"{"namespace":"metrics","event_src_id":"c1","timestamp":"<t>","metric_type":"meter","source_id":"<r1>","source_entity_id":"<l>","version":3,"metric":"link.dropped_msgs","metrics":{"count":0,"m15_rate":0,"m1_rate":0,"m5_rate":0,"mean_rate":0},"tags":{"sourceRouterId":"<r1>","targetRouterId":"<r2>"},"source_event_id":"<uuid>"}"#
    );
}

#[test]
fn metrics_are_filtered_by_source_name_and_part() {
    assert_eq!(
        metric_lines(&json!({"sourceFilter": "r2"})),
        Vec::<String>::new()
    );
    let gauges = metric_lines(&json!({"metricFilter": "connections\\.$"}));
    assert_eq!(gauges.len(), 1);
    let rates = metric_lines(&json!({"metricFilter": "m1_rate$"}));
    assert_eq!(rates.len(), 1);
    assert!(
        rates[0].contains(r#""metrics":{"m1_rate":0}"#),
        "{}",
        rates[0]
    );
}

#[test]
fn copies_of_metrics_make_no_events() {
    let copy = Metrics {
        is_copy: true,
        ..metrics_message()
    };
    let router = "<r1>".into();
    assert_eq!(metrics_of(&router, &copy, |_| None).count(), 0);
    assert!(usage_of(&router, &copy).is_empty());
}

/// Types of events and lines of the usage in the message, without their times.
fn usage_lines(options: &Value) -> Vec<(&'static str, String)> {
    let usage = usage_of(&"<r1>".into(), &metrics_message());
    let subscription = subscription("usage", options);
    let events = usage.into_iter().map(|usage| event(Body::Usage(usage)));
    let lines = events.flat_map(|event| subscription.lines(&event));
    lines
        .map(|line| (line.event_type, line.json.replace(TIME, "<t>")))
        .collect()
}

#[test]
fn usage_has_two_versions() {
    let version_2 = usage_lines(&json!({}));
    assert_eq!(version_2.len(), 2);
    assert_eq!(
        version_2[1],
        ("usage", r#"{"namespace":"usage","event_src_id":"c1","timestamp":"<t>","version":2,"event_type":"usage.ingress.rx","source_id":"<r1>","circuit_id":"<c>","usage":47,"interval_start_utc":1795389075,"interval_length":15,"tags":{"clientId":"<ident>"}}"#.to_owned())
    );
    let version_3 = usage_lines(&json!({"version": "3"}));
    assert_eq!(
        version_3,
        [("usage.v3", r#"{"namespace":"usage","event_src_id":"c1","timestamp":"<t>","version":3,"source_id":"<r1>","circuit_id":"<c>","usage":{"egress.tx":84,"ingress.rx":47},"interval_start_utc":1795389075,"interval_length":15,"tags":{"clientId":"<ident>"}}"#.to_owned())]
    );
    let filtered = usage_lines(&json!({"version": 3, "include": ["egress.tx"]}));
    assert!(filtered[0].1.contains(r#""usage":{"egress.tx":84}"#));
    let others = usage_lines(&json!({"version": 3, "include": ["fabric.rx"]}));
    assert!(others.is_empty());
}

#[test]
fn former_names_stay_in_the_events() {
    let lines =
        subscription("fabric.circuits", &json!({})).lines(&event(Body::Circuit(created_circuit())));
    assert_eq!(lines[0].event_type, "circuit");
    assert!(
        lines[0]
            .json
            .starts_with(r#"{"namespace":"fabric.circuits","#)
    );
}

#[test]
fn kinds_are_named_in_a_list_or_alone() {
    let wants = |include: Value| {
        let options = json!({ "include": include });
        subscription("circuit", &options).wants(&event(Body::Circuit(created_circuit())))
    };
    assert!(wants(json!("created")));
    assert!(wants(json!(["deleted", "created"])));
    assert!(!wants(json!("failed")));
    assert!(wants(Value::Null));
}

#[test]
fn bad_options_are_named_with_what_would_be_right() {
    let error = |event_type: &str, options: Value| {
        let error = Subscription::new(event_type, &options).expect_err("bad");
        error.to_string()
    };
    assert_eq!(
        error("circuit", json!({"include": "bad"})),
        "subscription to `circuit`: option `include`: must be one of created, pathUpdated, deleted, failed, \
         not \"bad\""
    );
    assert_eq!(
        error("session", json!({"include": []})),
        "subscription to `session`: option `include`: an empty list wants nothing; leave the option out to \
         get everything"
    );
    assert_eq!(
        error("edge.entityCounts", json!({"interval": 5})),
        "subscription to `entityCount`: option `interval`: must be a duration such as `5m` or `30s`, not 5"
    );
    assert_eq!(
        error("entityCount", json!({"interval": "1ms"})),
        "subscription to `entityCount`: option `interval`: must be at least 1s, not \"1ms\""
    );
    assert_eq!(
        error("usage", json!({"version": 4})),
        "subscription to `usage`: option `version`: must be 2 or 3, not 4"
    );
    assert_eq!(
        error("metrics", json!({"metricFilter": "c("})),
        "subscription to `metrics`: option `metricFilter`: not a regular expression: unclosed group"
    );
    let long = "a".repeat(1 << 20);
    assert_eq!(
        error("metrics", json!({"sourceFilter": long})),
        "subscription to `metrics`: option `sourceFilter`: a regular expression has at most 4096 bytes"
    );
    assert_eq!(
        error("metrics", json!({"sourceFilter": "(a{100}){100}{100}"})),
        "subscription to `metrics`: option `sourceFilter`: the regular expression repeats too much"
    );
    assert_eq!(
        error("entityChange", json!({"propagateAlways": 1})),
        "subscription to `entityChange`: option `propagateAlways`: must be `true` or `false`, not 1"
    );
}

#[test]
fn options_have_an_effect_where_the_type_has_them() {
    let uses = |event_type, options: Value, option| subscription(event_type, &options).uses(option);
    assert!(uses("circuit", json!({}), "include"));
    assert!(!uses("link", json!({}), "include"));
    assert!(uses("usage", json!({"version": 3}), "include"));
    assert!(!uses("usage", json!({}), "include") && uses("usage", json!({}), "version"));
}

#[test]
fn entities_are_counted_at_intervals() {
    let interval = |options| subscription("entityCount", &options).count_interval();
    assert_eq!(interval(json!({})), Some(Duration::from_mins(5)));
    assert_eq!(
        interval(json!({"interval": "1h30m"})),
        Some(Duration::from_mins(90))
    );
    assert_eq!(subscription("link", &json!({})).count_interval(), None);
}
