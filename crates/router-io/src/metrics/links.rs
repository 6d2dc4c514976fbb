//! What links have carried, and how long they take.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_metrics::{
    Histogram, Meter, MetricName, MetricRegistry, MetricSource, Snapshot, Unit,
};

use crate::links::{LinkInventory, LinkSizes, LinkView};

/// A link that does not answer for this long counts as slow.
const SILENCE: Duration = Duration::from_secs(30);

/// The latency of a link that does not answer: no way over others is as long.
const NO_ANSWER: Duration = Duration::from_secs(88);

/// Figures of all links. Controllers need the latencies for the costs of links.
pub(crate) struct LinkMetrics {
    inventory: Arc<dyn LinkInventory>,
    registry: Arc<MetricRegistry>,
    sent: Fabric,
    received: Fabric,
    links: Mutex<BTreeMap<String, Figures>>,
}

/// What all links carry in one direction.
struct Fabric {
    sizes: Arc<Histogram>,
    messages: Arc<Meter>,
    bytes: Arc<Meter>,
}

/// Figures of a link, which are reported as long as it is open.
struct Figures {
    latency: Arc<Histogram>,
    queue_time: Arc<Histogram>,
    sent_messages: Arc<Meter>,
    sent_bytes: Arc<Meter>,
    received_messages: Arc<Meter>,
    received_bytes: Arc<Meter>,
    dropped_sending: Arc<Meter>,
    dropped_forwarding: Arc<Meter>,
    dropped_receiving: Arc<Meter>,
}

impl LinkMetrics {
    pub(crate) fn register(
        inventory: Arc<dyn LinkInventory>,
        registry: &Arc<MetricRegistry>,
    ) -> Arc<Self> {
        let meter = |name| registry.meter(MetricName::plain(name));
        let all = LinkSizes::of_all(registry);
        let metrics = Arc::new(Self {
            inventory,
            registry: Arc::clone(registry),
            sent: Fabric {
                sizes: all.sent,
                messages: meter("fabric.tx.msgrate"),
                bytes: meter("fabric.tx.bytesrate"),
            },
            received: Fabric {
                sizes: all.received,
                messages: meter("fabric.rx.msgrate"),
                bytes: meter("fabric.rx.bytesrate"),
            },
            links: Mutex::new(BTreeMap::new()),
        });
        registry.add_source(&metrics);
        metrics
    }
}

impl MetricSource for LinkMetrics {
    fn collect(&self, snapshot: &mut Snapshot) {
        let links = self.links.lock().len();
        snapshot.set_gauge(MetricName::plain("fabric.links"), links);
    }

    fn update(&self) {
        self.sent.update();
        self.received.update();
        let views = self.inventory.views();
        let mut links = self.links.lock();
        let mut before = std::mem::take(&mut *links);
        for view in views.iter().filter(|view| view.is_used) {
            let figures = before.remove(&view.id);
            let figures = figures.unwrap_or_else(|| Figures::new(view, &self.registry));
            figures.update(view);
            links.insert(view.id.clone(), figures);
        }
    }
}

impl Fabric {
    fn update(&self) {
        let (messages, bytes) = self.sizes.totals();
        self.messages.advance_to(messages);
        self.bytes.advance_to(bytes);
    }
}

impl Figures {
    fn new(view: &LinkView, registry: &MetricRegistry) -> Self {
        let id: Arc<str> = view.id.as_str().into();
        let meter = |what| registry.meter(MetricName::of_link(Arc::clone(&id), what));
        let dropped = |name| registry.meter(MetricName::of(name, Arc::clone(&id)));
        let of_link = |what| MetricName::of_link(Arc::clone(&id), what);
        registry.report(of_link("tx.msgsize"), &view.sizes.sent);
        registry.report(of_link("rx.msgsize"), &view.sizes.received);
        let time = |what| registry.histogram(of_link(what), Unit::Nanoseconds);
        Self {
            latency: time("latency"),
            queue_time: time("queue_time"),
            sent_messages: meter("tx.msgrate"),
            sent_bytes: meter("tx.bytesrate"),
            received_messages: meter("rx.msgrate"),
            received_bytes: meter("rx.bytesrate"),
            dropped_sending: dropped("link.dropped_msgs"),
            dropped_forwarding: dropped("link.dropped_fwd_msgs"),
            dropped_receiving: dropped("link.dropped_rx_msgs"),
        }
    }

    fn update(&self, view: &LinkView) {
        if view.liveness.unanswered_for >= SILENCE {
            self.latency.record_time(NO_ANSWER);
        } else if let Some(latency) = view.liveness.latency {
            self.latency.record_time(latency);
        }
        self.queue_time.record_time(view.queue_delay);
        let counts = &view.counts;
        self.sent_messages.advance_to(counts.sent.messages);
        self.sent_bytes.advance_to(counts.sent.bytes);
        self.received_messages.advance_to(counts.received.messages);
        self.received_bytes.advance_to(counts.received.bytes);
        self.dropped_sending.advance_to(counts.dropped_sending);
        self.dropped_forwarding
            .advance_to(counts.dropped_forwarding);
        self.dropped_receiving.advance_to(counts.dropped_receiving);
    }
}
