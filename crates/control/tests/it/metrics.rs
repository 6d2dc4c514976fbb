//! What the controller measures of the channels of routers, and keeps of their reports.

use crate::circuits::Network;
use portcullis_app::monitoring;
use portcullis_metrics::{Exposition, TICK};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::metrics::Metrics;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn some_metrics(connections: i64) -> ControlMessage {
    ControlMessage::Metrics(Metrics {
        event_id: "e1".to_owned(),
        integers: BTreeMap::from([("edge.connections".to_owned(), connections)]),
        // Another controller makes events of it; this one shows it nonetheless.
        is_copy: true,
        ..Metrics::default()
    })
}

#[tokio::test]
async fn channels_are_measured_as_long_as_they_are_open() {
    let mut network = Network::start().await;
    let circuit = network.open().await;
    assert!(!circuit.is_empty());
    let app = &network.stage.controller.app;
    monitoring::tick(app, TICK);
    let events = &network.stage.events;
    events.want("metrics", &json!({"metricFilter": "^ctrl\\..*"}));
    monitoring::publish(app);
    let told: Vec<Value> = events
        .take()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let measured = |metric: &str, router: &str, part: &str| {
        let found = told
            .iter()
            .find(|event| event["metric"] == metric && event["source_entity_id"] == router);
        let found = found.unwrap_or_else(|| panic!("{metric} of {router}: {told:#?}"));
        assert_eq!(found["source_id"], "ctrl-1");
        found["metrics"][part].as_f64().unwrap()
    };
    for router in [&network.first.id, &network.second.id] {
        let received = measured("ctrl.rx.msgrate", router, "count");
        assert!(received >= 1.0, "{received}");
        assert!(measured("ctrl.tx.bytesrate", router, "count") > 20.0);
        assert!((measured("ctrl.rx.msgsize", router, "count") - received).abs() < 0.5);
        measured("ctrl.latency", router, "p95");
        assert!(measured("ctrl.queue_time", router, "count") >= 1.0);
    }
    let page = || monitoring::page(app, Exposition::Prometheus, false);
    for (direction, meter) in [
        ("transmit", "ctrl.tx.msgrate"),
        ("receive", "ctrl.rx.msgrate"),
    ] {
        let page = page();
        let sample =
            format!("portcullis_channel_frames_total{{network_io_direction=\"{direction}\"}} ");
        let frames = page.lines().find_map(|line| line.strip_prefix(&sample));
        let frames: f64 = frames.unwrap_or_else(|| panic!("{page}")).parse().unwrap();
        let routers = [&network.first.id, &network.second.id];
        let of_each = routers.map(|router| measured(meter, router, "count"));
        assert!(frames >= of_each.iter().sum(), "{direction}: {frames}");
    }
    let gone = network.first.id.clone();
    network.first.channel.close();
    let of_gone = format!("ziti_ctrl_latency_seconds_count{{source_entity_id=\"{gone}\"");
    let closing = async {
        while page().contains(&of_gone) {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    let closed = tokio::time::timeout(std::time::Duration::from_secs(20), closing).await;
    assert!(closed.is_ok(), "{}", page());
    assert!(page().contains("portcullis_routers_connected 1\n"));
    network.stage.stop().await;
}

#[tokio::test]
async fn the_last_report_of_a_router_is_kept_if_somebody_may_ask_for_it() {
    let network = Network::start().await;
    let app = &network.stage.controller.app;
    let (router, id) = (&network.first, &network.first.id);
    let shown = || {
        let page = monitoring::page(app, Exposition::Prometheus, false);
        let mut lines = page.lines();
        let sample = format!("ziti_edge_connections{{source_id=\"{id}\"}} ");
        lines.find_map(|line| line.strip_prefix(&sample).map(str::to_owned))
    };
    router.send(&some_metrics(1));
    router.settle().await;
    assert_eq!(shown(), None);
    app.metrics().reports().keep();
    for connections in [2, 3] {
        router.send(&some_metrics(connections));
        router.settle().await;
        assert_eq!(shown(), Some(connections.to_string()));
    }
    network.stage.stop().await;
}
