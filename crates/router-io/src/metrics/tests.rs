use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::EntropyError;
use portcullis_forwarding::ForwardingOptions;
use portcullis_metrics::{MetricName, MetricValue};
use portcullis_router::metrics::Traffic;
use portcullis_wire::xgress::Payload;

use super::*;
use crate::circuit_message::CircuitMessage;
use crate::relay::Destination;
use crate::testing::{OneLink, TestController, TestRouter};

/// Counts, in place of randomness.
#[derive(Default)]
struct Counter(AtomicU8);

impl Entropy for Counter {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        Ok(())
    }
}

fn reporter(controllers: &Arc<Controllers>, registry: &Arc<MetricRegistry>) -> MetricsReporter {
    let clock = RouterClock::start(Timestamp::UNIX_EPOCH);
    let options = ForwardingOptions::default();
    let relay = Relay::new("r1".into(), options, Arc::clone(controllers), clock);
    MetricsReporter {
        registry: Arc::clone(registry),
        relay: Arc::new(relay),
        options: MetricsOptions {
            report_interval: Duration::from_mins(1),
            queue_size: 2,
            usage_age: Duration::from_secs(80),
        },
        router: "r1".into(),
        controllers: Arc::clone(controllers),
        clock,
        entropy: Arc::new(Counter::default()),
    }
}

async fn next_report(controller: &mut TestController) -> Metrics {
    match controller.next().await {
        ControlMessage::Metrics(report) => report,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn reports_wait_for_controllers_and_one_of_them_makes_events() {
    let controllers = Arc::new(Controllers::new(Duration::from_secs(1)));
    let registry = Arc::new(MetricRegistry::default());
    let meter = registry.meter(MetricName::plain("faults.link"));
    let reporter = reporter(&controllers, &registry);
    let circuit = reporter.relay.usage().circuit("c1");
    let stop = CancellationToken::new();
    let running = tokio::spawn(reporter.run(stop.clone()));
    meter.mark(60);
    circuit.count(Traffic::IngressReceived, 5);
    // Three reports that nobody takes, of which the oldest is dropped.
    tokio::time::sleep(Duration::from_secs(185)).await;
    let mut first = TestController::connect(&"a".into(), &controllers).await;
    let mut second = TestController::connect(&"b".into(), &controllers).await;
    let mut told = Vec::new();
    for _ in 0..3 {
        let report = next_report(&mut first).await;
        assert!(!report.is_copy);
        assert_eq!(report.source_id, "r1");
        assert_eq!(report.meters["faults.link"].count, 60);
        let copy = next_report(&mut second).await;
        assert!(copy.is_copy);
        assert_eq!(copy.event_id, report.event_id);
        told.push(report);
    }
    let seconds: Vec<_> = told
        .iter()
        .map(|report| report.time.as_ref().unwrap().seconds)
        .collect();
    assert_eq!(seconds, [120, 180, 240]);
    let usage = told.iter().map(|report| report.usage_counters.len());
    assert_eq!(usage.sum::<usize>(), 1, "{told:?}");
    stop.cancel();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_to_tell_is_not_told() {
    let controllers = Arc::new(Controllers::new(Duration::from_secs(1)));
    let registry = Arc::new(MetricRegistry::default());
    let reporter = reporter(&controllers, &registry);
    let mut queue = ReportQueue::new(1);
    reporter.queue_report(&mut queue);
    assert!(queue.is_empty());
}

#[tokio::test]
async fn relay_tells_what_it_could_not_forward() {
    let router = TestRouter::new("r1");
    let registry = MetricRegistry::default();
    let _metrics = RelayMetrics::register(Arc::clone(&router.relay), &registry);
    let destination: Arc<dyn Destination> = Arc::new(Nowhere);
    let (hop, _) = router.relay.attach("a", destination);
    let payload = Payload {
        circuit_id: "unknown".to_owned(),
        ..Payload::default()
    };
    let message = CircuitMessage::Payload(Box::new(payload));
    router.relay.forward_or_drop(hop, message);
    registry.tick(TICK);
    let snapshot = registry.snapshot();
    let unknown = snapshot.get(&MetricName::plain("forwarder.unknown_circuit_msgs"));
    assert!(
        matches!(unknown, Some(MetricValue::Meter { count: 1, .. })),
        "{unknown:?}"
    );
    let circuits = snapshot.get(&MetricName::plain("forwarder.circuits"));
    assert_eq!(circuits, Some(&MetricValue::Gauge(0)));
}

struct Nowhere;

impl Destination for Nowhere {
    fn deliver(&self, _message: CircuitMessage) -> Result<(), CircuitMessage> {
        Ok(())
    }

    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn unrouted(&self, _circuit: &str) {}
}

#[test]
fn links_tell_their_latency_and_what_they_carry() {
    let registry = Arc::new(MetricRegistry::default());
    let _metrics = LinkMetrics::register(Arc::new(OneLink), &registry);
    registry.tick(TICK);
    let snapshot = registry.snapshot();
    let of_link = |what| snapshot.get(&MetricName::of_link("l1".into(), what));
    let latency = of_link("latency");
    let Some(MetricValue::Histogram { distribution, .. }) = latency else {
        panic!("{latency:?}");
    };
    assert!((distribution.mean - 2e6).abs() < 1e3, "{distribution:?}");
    let waited = of_link("queue_time");
    assert!(
        matches!(waited, Some(MetricValue::Histogram { distribution, .. }) if distribution.mean > 2e6),
        "{waited:?}"
    );
    let sent = of_link("tx.bytesrate");
    assert!(
        matches!(sent, Some(MetricValue::Meter { count: 300, .. })),
        "{sent:?}"
    );
    let mut of_links = snapshot.iter();
    // OpenZiti's controllers end when they map another one.
    assert!(
        of_links.all(|(name, _)| !name.to_string().starts_with("link.") || name.entity().is_some())
    );
    let links = snapshot.get(&MetricName::plain("fabric.links"));
    assert_eq!(links, Some(&MetricValue::Gauge(1)));
}
