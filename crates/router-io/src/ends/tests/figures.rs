//! What ends tell of themselves.

use std::fmt::Write as _;
use std::time::Duration;

use portcullis_metrics::MetricValue;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::Circuit;
use crate::testing::{CIRCUIT, Disturbance, TestRouter};

/// Carries so many bytes to the server, and twice as many back.
async fn carried(disturbance: Disturbance, length: usize) -> Circuit {
    let mut circuit = Circuit::open(disturbance, 7);
    let content = vec![b'x'; length];
    let server = async {
        let mut received = Vec::new();
        circuit.server.read_to_end(&mut received).await.unwrap();
        circuit.server.write_all(&received).await.unwrap();
        circuit.server.write_all(&received).await.unwrap();
        circuit.server.shutdown().await.unwrap();
    };
    let client = async {
        let mut received = Vec::new();
        let (mut from_server, mut to_server) = tokio::io::split(&mut circuit.client);
        to_server.write_all(&content).await.unwrap();
        to_server.shutdown().await.unwrap();
        from_server.read_to_end(&mut received).await.unwrap();
        assert_eq!(received.len(), 2 * length);
    };
    tokio::join!(server, client);
    circuit.wait_for_ends().await;
    circuit
}

/// All figures but those that depend on how data was cut into messages.
fn shown(router: &TestRouter) -> String {
    let mut text = String::new();
    for (name, value) in router.metrics.snapshot().iter() {
        let name = name.to_string();
        if name.ends_with("acks") || name.ends_with("msgrate") {
            continue;
        }
        match value {
            MetricValue::Gauge(value) => writeln!(text, "{name} = {value}"),
            MetricValue::Meter { count, .. } => writeln!(text, "{name}: {count}"),
            MetricValue::Histogram { distribution, .. } => {
                writeln!(text, "{name}: {} in all", distribution.total)
            },
            MetricValue::Timer { .. } => writeln!(text, "{name}"),
        }
        .unwrap();
    }
    text
}

fn count(router: &TestRouter, wanted: &str) -> u64 {
    let snapshot = router.metrics.snapshot();
    let mut all = snapshot.iter();
    let found = all.find(|(name, _)| name.to_string() == wanted);
    match found.unwrap().1 {
        MetricValue::Meter { count, .. } => *count,
        MetricValue::Timer { distribution, .. } => distribution.count,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn each_side_counts_what_it_takes_and_brings() {
    let circuit = carried(Disturbance::NONE, 100_000).await;
    insta::assert_snapshot!(shown(&circuit.near), @r"
    egress.rx.bytesrate: 0
    egress.rx.msgsize: 0 in all
    egress.tx.bytesrate: 0
    egress.tx.msgsize: 0 in all
    ingress.rx.bytesrate: 100000
    ingress.rx.msgsize: 100000 in all
    ingress.tx.bytesrate: 200000
    ingress.tx.msgsize: 200000 in all
    xgress.ack_duplicates: 0
    xgress.ack_failures: 0
    xgress.acks.queue_size = 0
    xgress.blocked_by_local_window = 0
    xgress.blocked_by_local_window_rate: 0
    xgress.blocked_by_remote_window = 0
    xgress.blocked_by_remote_window_rate: 0
    xgress.blocked_time
    xgress.dropped_payloads: 0
    xgress.edge.dropped_msgs: 0
    xgress.edge.dropped_payloads: 0
    xgress.payload_duplicates: 0
    xgress.retransmission_failures: 0
    xgress.retransmissions: 0
    xgress.tx_unacked_payload_bytes = 0
    xgress.tx_unacked_payloads = 0
    xgress.tx_write_time
    ");
    let far = &circuit.far;
    assert_eq!(count(far, "egress.rx.bytesrate"), 200_000);
    assert_eq!(count(far, "egress.tx.bytesrate"), 100_000);
    assert_eq!(count(far, "ingress.rx.msgrate"), 0);
    assert!(count(far, "xgress.rx.acks") > 0 && count(far, "xgress.tx.acks") > 0);
}

#[tokio::test(start_paused = true)]
async fn usage_of_a_circuit_is_told_by_ends_and_links() {
    let circuit = carried(Disturbance::NONE, 1_000).await;
    let told = |router: &TestRouter| {
        let now = router.relay.clock().timestamp();
        let counters = router.relay.usage().end_interval(Duration::ZERO, now);
        let values = counters
            .iter()
            .map(|counter| &counter.buckets[CIRCUIT].values);
        format!("{:?}", values.collect::<Vec<_>>())
    };
    insta::assert_snapshot!(told(&circuit.near), @r#"[{"ingress.rx": 1000, "ingress.tx": 2000}, {"fabric.rx": 2000, "fabric.tx": 1000}]"#);
    insta::assert_snapshot!(told(&circuit.far), @r#"[{"egress.rx": 2000, "egress.tx": 1000}, {"fabric.rx": 1000, "fabric.tx": 2000}]"#);
}

#[tokio::test(start_paused = true)]
async fn losses_show_and_nothing_is_left_on_the_way() {
    let disturbance = Disturbance {
        loss: 10,
        delay: Duration::from_millis(30),
        queue: 64,
    };
    let circuit = carried(disturbance, 1 << 20).await;
    for router in [&circuit.near, &circuit.far] {
        assert!(count(router, "xgress.retransmissions") > 0);
        assert!(count(router, "xgress.payload_duplicates") > 0);
        assert!(count(router, "xgress.blocked_time") > 0);
        let snapshot = router.metrics.snapshot();
        let gauges = snapshot.iter().filter_map(|(name, value)| match value {
            MetricValue::Gauge(value) => Some((name.to_string(), *value)),
            _ => None,
        });
        let left: Vec<_> = gauges.filter(|(_, value)| *value != 0).collect();
        assert_eq!(left, []);
    }
}
