//! What is measured of a link, under the names that controllers know: they compute its cost from the latency.

use std::sync::Arc;
use std::time::Duration;

use portcullis_router::metrics::{Histogram, Meter, MetricName, MetricRegistry, Unit};

use crate::links::counters::{LinkCounts, Traffic};
use crate::links::open_link::{OpenLink, SILENCE};

/// How often a link is looked at.
pub(super) const SAMPLE_INTERVAL: Duration = Duration::from_secs(2);

/// The latency of a link that does not answer: no way over another one is as long.
const NO_ANSWER: Duration = Duration::from_secs(88);

/// The meters of a link, which take from its counters what was added.
pub(super) struct LinkMeters {
    latency: Arc<Histogram>,
    sent: TrafficMeters,
    received: TrafficMeters,
    dropped: Arc<Meter>,
    before: LinkCounts,
}

struct TrafficMeters {
    messages: Arc<Meter>,
    bytes: Arc<Meter>,
}

impl LinkMeters {
    pub(super) fn new(registry: &MetricRegistry, link: &OpenLink) -> Self {
        let id: Arc<str> = link.link.id.as_str().into();
        let of_link = |what| MetricName::of_link(Arc::clone(&id), what);
        let meters = |messages, bytes| TrafficMeters {
            messages: registry.meter(of_link(messages)),
            bytes: registry.meter(of_link(bytes)),
        };
        Self {
            latency: registry.histogram(of_link("latency"), Unit::Nanoseconds),
            sent: meters("tx.msgrate", "tx.bytesrate"),
            received: meters("rx.msgrate", "rx.bytesrate"),
            dropped: registry.meter(MetricName::of("link.dropped_msgs", Arc::clone(&id))),
            before: LinkCounts::default(),
        }
    }

    pub(super) fn sample(&mut self, link: &OpenLink) {
        let liveness = link.liveness();
        if liveness.unanswered_for >= SILENCE {
            self.latency.record_time(NO_ANSWER);
        } else if let Some(latency) = liveness.latency {
            self.latency.record_time(latency);
        }
        let now = link.counters.get();
        self.sent.add(self.before.sent, now.sent);
        self.received.add(self.before.received, now.received);
        self.dropped
            .mark(now.dropped_sending - self.before.dropped_sending);
        self.before = now;
    }
}

impl TrafficMeters {
    fn add(&self, before: Traffic, now: Traffic) {
        self.messages.mark(now.messages - before.messages);
        self.bytes.mark(now.bytes - before.bytes);
    }
}
