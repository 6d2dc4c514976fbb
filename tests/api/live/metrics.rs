//! Metrics of the controller, and of what its routers have reported.

use super::{Live, connection};
use http::Method;
use portcullis_app::monitoring;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_metrics::{Exposition, MetricName, TICK, Unit};
use portcullis_testkit::FakeNetwork;
use portcullis_wire::Timestamp as WireTimestamp;
use portcullis_wire::control::metrics::{Histogram, Meter, Metrics};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What a router reports of a link.
fn report() -> Metrics {
    let sent = Meter {
        count: 1500,
        ..Meter::default()
    };
    let latency = Histogram {
        count: 3,
        p50: 2e6,
        ..Histogram::default()
    };
    Metrics {
        time: Some(WireTimestamp {
            // Its clock is wrong.
            seconds: 1_795_000_000,
            nanos: 0,
        }),
        tags: BTreeMap::from([("source_id".to_owned(), "forged".to_owned())]),
        integers: BTreeMap::from([("edge.connections".to_owned(), 4)]),
        meters: BTreeMap::from([("link.l1.tx.bytesrate".to_owned(), sent)]),
        histograms: BTreeMap::from([("link.l1.latency".to_owned(), latency)]),
        ..Metrics::default()
    }
}

/// What routers report beside it, and is on the dashboard.
fn more_of_links() -> Metrics {
    let dropped = Meter {
        count: 1,
        ..Meter::default()
    };
    let mut report = report();
    report
        .meters
        .insert("link.dropped_msgs:l1".to_owned(), dropped);
    report
}

/// The metrics that a query in the language of Prometheus names.
fn named_metrics(query: &str) -> Vec<&str> {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let beginnings = ["ziti_", "portcullis_", "http_server_", "db_client_"];
    let words = query.split(|letter| !is_of_name(letter));
    words
        .filter(|word| beginnings.iter().any(|begin| word.starts_with(begin)))
        .collect()
}

/// Whether what a metric tells is known to the program alone.
fn is_of_program(metric: &str) -> bool {
    metric.starts_with("portcullis_events_")
        || [
            "portcullis_channel_frames_total",
            "portcullis_store_size_bytes",
            "portcullis_management_channels",
        ]
        .contains(&metric)
}

fn has(text: &str, line: &str) {
    assert!(text.lines().any(|found| found == line), "{line}\n{text}");
}

#[tokio::test]
async fn a_page_has_the_controller_and_what_connected_routers_have_reported() {
    let live = Live::start().await;
    let app = &live.controller.app;
    live.network
        .set_router("r1", connection(Timestamp::UNIX_EPOCH));
    live.network.set_link(FakeNetwork::link("l1", "r1", "r2"));
    let reports = app.metrics().reports();
    reports.keep();
    let came_at = Timestamp::from_millisecond(1_795_389_100_086).unwrap();
    for router in ["r1", "r2"] {
        assert!(reports.take(&RouterId::from_wire(router), &report(), came_at));
    }
    let with_times = monitoring::page(app, Exposition::Prometheus, true);
    has(
        &with_times,
        "ziti_edge_connections{source_id=\"r1\"} 4 1795389100086",
    );
    has(
        &with_times,
        "ziti_link_tx_bytes_total{sourceRouterId=\"r1\",source_entity_id=\"l1\",source_id=\"r1\",\
         targetRouterId=\"r2\"} 1500 1795389100086",
    );
    has(
        &with_times,
        "ziti_link_latency_seconds{sourceRouterId=\"r1\",source_entity_id=\"l1\",source_id=\"r1\",\
         targetRouterId=\"r2\",quantile=\"0.5\"} 0.002 1795389100086",
    );
    // Neither a router that is gone, nor what one says of itself.
    for hidden in ["source_id=\"r2\"", "forged"] {
        assert!(!with_times.contains(hidden), "{with_times}");
    }
    monitoring::tick(app, TICK);
    let text = monitoring::page(app, Exposition::OpenMetrics, false);
    has(&text, "ziti_edge_connections{source_id=\"r1\"} 4");
    has(&text, "portcullis_links 1");
    has(&text, "portcullis_routers_connected 1");
    has(&text, "portcullis_circuits 0");
    has(&text, "portcullis_queue_length{queue=\"commits\"} 0");
    has(&text, "portcullis_entities{type=\"identities\"} 1");
    assert!(text.ends_with("# EOF\n"));
}

#[tokio::test]
async fn each_metric_of_the_dashboard_is_exposed() {
    let dashboard = include_str!("../../../docs/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(dashboard).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array());
    let queries: Vec<_> = targets
        .flatten()
        .map(|target| target["expr"].as_str().unwrap())
        .collect();
    assert!(queries.len() > 15, "{queries:?}");
    let live = Live::start().await;
    let app = &live.controller.app;
    live.network
        .set_router("r1", connection(Timestamp::UNIX_EPOCH));
    live.service("s1").await;
    app.metrics().reports().keep();
    let router = RouterId::from_wire("r1");
    let reports = app.metrics().reports();
    assert!(reports.take(&router, &more_of_links(), Timestamp::UNIX_EPOCH));
    // As the control channel of a router does, which there is none of here.
    let latency = MetricName::of("ctrl.latency", "r1".into());
    let latency = app
        .metrics()
        .registry()
        .histogram(latency, Unit::Nanoseconds);
    latency.record(1);
    let text = monitoring::page(app, Exposition::Prometheus, false);
    let exposed: BTreeSet<_> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    for query in queries {
        let named = named_metrics(query);
        assert!(!named.is_empty(), "{query}");
        for name in named {
            // The rest is exposed by the program; tests/interop/metrics.rs looks at that.
            let is_known = exposed.contains(name) || is_of_program(name);
            assert!(is_known, "{name} in {query}");
        }
    }
}

#[tokio::test]
async fn requests_logins_passwords_and_commits_are_measured() {
    let live = Live::start().await;
    let app = &live.controller.app;
    live.service("s1").await;
    let text = monitoring::page(app, Exposition::Prometheus, false);
    has(
        &text,
        "portcullis_logins_total{method=\"password\",outcome=\"success\"} 1",
    );
    has(&text, "portcullis_password_hash_duration_seconds_count 2");
    has(
        &text,
        "http_server_request_duration_seconds_count{http_request_method=\"POST\",\
         http_response_status_code=\"201\",http_route=\"/edge/management/v1/services\",\
         url_scheme=\"https\"} 1",
    );
    let commits = "db_client_operation_duration_seconds_count{db_operation_name=\"commit\",\
                   db_system_name=\"redb\"} ";
    assert!(text.contains(commits), "{text}");
}

#[tokio::test]
async fn inspections_show_the_metrics_of_the_controller() {
    let live = Live::start().await;
    live.service("s1").await;
    let timer = "/edge/management/v1/services.POST";
    let body = json!({
        "appRegex": ".*", "requestedValues": ["metrics", "Metrics:Prometheus", "metrics:raw"],
    });
    let answer = live.fabric(Method::POST, "/inspections", body).await.json();
    assert_eq!(answer["errors"], json!(null));
    let value = |number: usize| &answer["values"][number]["value"];
    let events = value(0).as_array().unwrap();
    let named = |name: &str| {
        let mut events = events.iter();
        let found = events.find(|event| event["metric"] == name);
        found.unwrap_or_else(|| panic!("{name}: {events:?}"))
    };
    let created = named(timer);
    assert_eq!(created["metric_type"], "timer");
    assert_eq!(created["metrics"]["count"], 1);
    assert_eq!(created["source_id"], created["event_src_id"]);
    for name in [
        "api-session.create",
        "auth.limiter.queued_count",
        "raft.rate_limiter.work_timer",
        "revocation.enforcer.run",
    ] {
        named(name);
    }
    let texts = value(1).as_array().unwrap();
    let shown = |name: &str| {
        let is_named = |text: &Value| text.as_str().unwrap().contains(name);
        assert!(texts.iter().any(is_named), "{name}: {texts:?}");
    };
    shown("# TYPE ziti__edge_management_v1_services_POST histogram\n");
    shown("\nziti_auth_limiter_queued_c{source_id=");
    assert_eq!(value(2)["timers"][timer]["count"], 1);
}
