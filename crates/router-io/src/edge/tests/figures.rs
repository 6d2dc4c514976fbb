//! From a circuit that is used to whoever reads the figures.

use std::sync::Arc;
use std::time::Duration;

use portcullis_router::metrics::MetricsOptions;
use portcullis_simulated_sdk::{dial_through, dial_v2, receive_all, send_all};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::metrics::Metrics;
use portcullis_wire::edge::ConnectionId;

use super::network::{SERVICE, Seeded};
use super::world::{ROUTER, World};
use crate::metrics::MetricsReporter;
use crate::web::tests::{BOTH, Served};

/// Bytes that the circuit carries.
const TOTAL: usize = 200_000;

fn reporter(world: &World) -> MetricsReporter {
    MetricsReporter {
        registry: Arc::clone(&world.metrics),
        relay: Arc::clone(world.edge.shared.ends.relay()),
        options: MetricsOptions {
            report_interval: Duration::from_millis(100),
            queue_size: 10,
            usage_age: Duration::ZERO,
        },
        router: ROUTER.into(),
        controllers: Arc::clone(&world.controllers),
        clock: world.clock,
        entropy: Arc::new(Seeded::new(3)),
    }
}

#[tokio::test]
async fn figures_of_a_circuit_reach_the_controller_and_prometheus() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    tokio::spawn(reporter(&world).run(world.stop.clone()));
    let served = Served::with(BOTH, Arc::clone(&world.metrics)).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", false).await;
    let client = world.sdk("alice").await;
    let (_, connected) = dial_through(&client, &mut host, dial_v2(1, SERVICE, false)).await;
    let circuit = connected.unwrap().circuit_id.unwrap();
    let (sent, received) = tokio::join!(
        send_all(&client, ConnectionId(1), 1, TOTAL),
        receive_all(&mut host)
    );
    assert_eq!(sent, received);

    let total = u64::try_from(TOTAL).unwrap();
    let signed = i64::try_from(TOTAL).unwrap();
    let report = controller.heard(|message| match message {
        ControlMessage::Metrics(report) => (report.meters.get("egress.tx.bytesrate"))
            .is_some_and(|meter| meter.count == signed)
            .then(|| report.clone()),
        _ => None,
    });
    let report: Metrics = report.await;
    assert_eq!(report.source_id, ROUTER);
    assert_eq!(report.meters["ingress.rx.bytesrate"].count, signed);
    assert_eq!(report.integers["edge.connections"], 2);
    assert!(report.histograms["ingress.rx.msgsize"].count > 0);

    let page = served.ask("GET /metrics HTTP/1.1").await;
    for line in [
        format!("ziti_ingress_rx_bytes_total{{source_id=\"r1\"}} {TOTAL}"),
        format!("ziti_egress_tx_bytes_total{{source_id=\"r1\"}} {TOTAL}"),
        "ziti_edge_connections{source_id=\"r1\"} 2".to_owned(),
    ] {
        assert!(page.contains(&line), "{line}: {page}");
    }

    // Perhaps in several intervals.
    let usage = |name: &str| {
        let told = controller.all_heard().into_iter();
        let reports = told.filter_map(|message| match message {
            ControlMessage::Metrics(report) => Some(report.usage_counters),
            _ => None,
        });
        let buckets = reports
            .flatten()
            .filter_map(|mut counter| counter.buckets.remove(&circuit));
        let bytes = buckets.filter_map(|bucket| bucket.values.get(name).copied());
        bytes.sum::<u64>()
    };
    controller.until(|_| usage("egress.tx") >= total).await;
    assert_eq!((usage("ingress.rx"), usage("egress.tx")), (total, total));
    served.end().await;
}
