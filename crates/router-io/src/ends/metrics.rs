//! What ends of circuits measure.

use std::sync::Arc;

use portcullis_channel::Moment;
use portcullis_metrics::{Gauge, Histogram, Meter, MetricName, MetricRegistry, Timer, Unit};
use portcullis_router::metrics::{CircuitUsage, Traffic};
use portcullis_wire::xgress::{Payload, PayloadFlags};
use portcullis_xgress::{Counters, Side, Stats};

use crate::circuit_message::CircuitMessage;

/// The figures of all ends of circuits at a router. They are reported as long as this is held.
pub(crate) struct EndMetrics {
    ingress: Border,
    egress: Border,
    sent_acknowledgements: Arc<Meter>,
    received_acknowledgements: Arc<Meter>,
    lost_acknowledgements: Arc<Meter>,
    duplicate_acknowledgements: Arc<Meter>,
    waiting_acknowledgements: Arc<Gauge>,
    duplicate_payloads: Arc<Meter>,
    refused_payloads: Arc<Meter>,
    retransmissions: Arc<Meter>,
    lost_retransmissions: Arc<Meter>,
    unacknowledged_payloads: Arc<Gauge>,
    unacknowledged_bytes: Arc<Gauge>,
    blocked_by_window: Blocked,
    blocked_by_peer: Blocked,
    blocked_time: Arc<Timer>,
    write_time: Arc<Timer>,
    dropped_for_sdks: Dropped,
}

/// What SDKs had no room for that are ends themselves.
struct Dropped {
    messages: Arc<Meter>,
    payloads: Arc<Meter>,
    acknowledgements: Arc<Meter>,
}

/// What passes between ends of one side and whatever they end at, by OpenZiti's name of the side.
struct Border {
    received: Flow,
    sent: Flow,
}

struct Flow {
    messages: Arc<Meter>,
    bytes: Arc<Meter>,
    sizes: Arc<Histogram>,
}

/// Ends that may not send.
struct Blocked {
    now: Arc<Gauge>,
    times: Arc<Meter>,
}

/// Counts what passes between an end of a circuit and whatever it ends at.
#[derive(Clone)]
pub(crate) struct BorderMeter {
    metrics: Arc<EndMetrics>,
    usage: Arc<CircuitUsage>,
    side: Side,
}

/// What one end measures. It tells the difference to what it has told before, once for many messages.
pub(super) struct EndMeter {
    pub(super) border: BorderMeter,
    told: Told,
    blocked_since: Option<Moment>,
    /// Since when something could be written, if the local side was not ready for it.
    unwritten_since: Option<Moment>,
}

#[derive(Clone, Copy, Default)]
struct Told {
    counters: Counters,
    unacknowledged_payloads: usize,
    unacknowledged_bytes: u64,
    has_acknowledgements: bool,
    is_blocked_by_window: bool,
    is_blocked_by_peer: bool,
}

impl EndMetrics {
    pub(crate) fn new(registry: &MetricRegistry) -> Arc<Self> {
        let meter = |name| registry.meter(MetricName::plain(name));
        let gauge = |name| registry.gauge(MetricName::plain(name));
        let timer = |name| registry.timer(MetricName::plain(name));
        let flow = |[messages, bytes, sizes]: [&'static str; 3]| Flow {
            messages: meter(messages),
            bytes: meter(bytes),
            sizes: registry.histogram(MetricName::plain(sizes), Unit::Bytes),
        };
        Arc::new(Self {
            ingress: Border {
                received: flow([
                    "ingress.rx.msgrate",
                    "ingress.rx.bytesrate",
                    "ingress.rx.msgsize",
                ]),
                sent: flow([
                    "ingress.tx.msgrate",
                    "ingress.tx.bytesrate",
                    "ingress.tx.msgsize",
                ]),
            },
            egress: Border {
                received: flow([
                    "egress.rx.msgrate",
                    "egress.rx.bytesrate",
                    "egress.rx.msgsize",
                ]),
                sent: flow([
                    "egress.tx.msgrate",
                    "egress.tx.bytesrate",
                    "egress.tx.msgsize",
                ]),
            },
            sent_acknowledgements: meter("xgress.tx.acks"),
            received_acknowledgements: meter("xgress.rx.acks"),
            lost_acknowledgements: meter("xgress.ack_failures"),
            duplicate_acknowledgements: meter("xgress.ack_duplicates"),
            waiting_acknowledgements: gauge("xgress.acks.queue_size"),
            duplicate_payloads: meter("xgress.payload_duplicates"),
            refused_payloads: meter("xgress.dropped_payloads"),
            retransmissions: meter("xgress.retransmissions"),
            lost_retransmissions: meter("xgress.retransmission_failures"),
            unacknowledged_payloads: gauge("xgress.tx_unacked_payloads"),
            unacknowledged_bytes: gauge("xgress.tx_unacked_payload_bytes"),
            blocked_by_window: Blocked {
                now: gauge("xgress.blocked_by_local_window"),
                times: meter("xgress.blocked_by_local_window_rate"),
            },
            blocked_by_peer: Blocked {
                now: gauge("xgress.blocked_by_remote_window"),
                times: meter("xgress.blocked_by_remote_window_rate"),
            },
            blocked_time: timer("xgress.blocked_time"),
            write_time: timer("xgress.tx_write_time"),
            dropped_for_sdks: Dropped {
                messages: meter("xgress.edge.dropped_msgs"),
                payloads: meter("xgress.edge.dropped_payloads"),
                acknowledgements: meter("xgress.edge.dropped_acks"),
            },
        })
    }

    const fn border(&self, side: Side) -> &Border {
        match side {
            Side::Initiator => &self.ingress,
            Side::Terminator => &self.egress,
        }
    }

    /// An acknowledgement or a repeated payload found no way.
    pub(super) fn lost(&self, is_acknowledgement: bool) {
        if is_acknowledgement {
            self.lost_acknowledgements.mark(1);
        } else {
            self.lost_retransmissions.mark(1);
        }
    }
}

impl Flow {
    fn count(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.messages.mark(1);
        self.bytes.mark(bytes);
        self.sizes.record(bytes);
    }
}

impl Blocked {
    fn tell(&self, before: bool, now: bool) {
        match (before, now) {
            (false, true) => {
                self.now.add(1);
                self.times.mark(1);
            },
            (true, false) => self.now.add(-1),
            _ => {},
        }
    }
}

impl BorderMeter {
    pub(super) const fn new(
        metrics: Arc<EndMetrics>,
        usage: Arc<CircuitUsage>,
        side: Side,
    ) -> Self {
        Self {
            metrics,
            usage,
            side,
        }
    }

    /// Something comes from whatever the circuit ends at.
    pub(crate) fn received(&self, bytes: usize) {
        self.metrics.border(self.side).received.count(bytes);
        let traffic = match self.side {
            Side::Initiator => Traffic::IngressReceived,
            Side::Terminator => Traffic::EgressReceived,
        };
        self.usage.count(traffic, bytes);
    }

    /// Something goes to whatever the circuit ends at.
    pub(crate) fn sent(&self, bytes: usize) {
        self.metrics.border(self.side).sent.count(bytes);
        let traffic = match self.side {
            Side::Initiator => Traffic::IngressSent,
            Side::Terminator => Traffic::EgressSent,
        };
        self.usage.count(traffic, bytes);
    }

    /// The SDK had no room for a message.
    pub(crate) fn dropped(&self, message: &CircuitMessage) {
        let dropped = &self.metrics.dropped_for_sdks;
        dropped.messages.mark(1);
        match message {
            CircuitMessage::Payload(_) => dropped.payloads.mark(1),
            CircuitMessage::Acknowledgement(_) => dropped.acknowledgements.mark(1),
            CircuitMessage::Control(_) => {},
        }
    }
}

impl EndMeter {
    pub(super) fn new(border: BorderMeter) -> Self {
        Self {
            border,
            told: Told::default(),
            blocked_since: None,
            unwritten_since: None,
        }
    }

    pub(super) fn metrics(&self) -> &EndMetrics {
        &self.border.metrics
    }

    pub(super) fn acknowledgement_sent(&self) {
        self.metrics().sent_acknowledgements.mark(1);
    }

    pub(super) fn acknowledgement_received(&self) {
        self.metrics().received_acknowledgements.mark(1);
    }

    /// The local side was written to, as far as it was ready, and something is left or not.
    pub(super) fn written(&mut self, has_written: bool, is_left: bool, now: Moment) {
        if has_written {
            let since = self.unwritten_since.take().unwrap_or(now);
            self.metrics().write_time.record(now.since(since));
        }
        if is_left {
            self.unwritten_since.get_or_insert(now);
        } else {
            self.unwritten_since = None;
        }
    }

    /// Tells what an end is doing now.
    pub(super) fn tell(&mut self, stats: &Stats, has_acknowledgements: bool, now: Moment) {
        let is_blocked = stats.is_blocked_by_window || stats.is_blocked_by_peer;
        match self.blocked_since {
            None if is_blocked => self.blocked_since = Some(now),
            Some(since) if !is_blocked => {
                self.blocked_since = None;
                self.metrics().blocked_time.record(now.since(since));
            },
            _ => {},
        }
        self.tell_difference(Told {
            counters: stats.counters,
            unacknowledged_payloads: stats.outstanding_payloads,
            unacknowledged_bytes: stats.outstanding_bytes,
            has_acknowledgements,
            is_blocked_by_window: stats.is_blocked_by_window,
            is_blocked_by_peer: stats.is_blocked_by_peer,
        });
    }

    fn tell_difference(&mut self, now: Told) {
        let told = std::mem::replace(&mut self.told, now);
        let metrics = self.metrics();
        let (before, counters) = (&told.counters, &now.counters);
        for (meter, before, now) in [
            (
                &metrics.duplicate_acknowledgements,
                before.duplicate_acknowledgements,
                counters.duplicate_acknowledgements,
            ),
            (
                &metrics.duplicate_payloads,
                before.duplicate_payloads,
                counters.duplicate_payloads,
            ),
            (
                &metrics.refused_payloads,
                before.refused_payloads,
                counters.refused_payloads,
            ),
            (
                &metrics.retransmissions,
                before.retransmissions,
                counters.retransmissions,
            ),
        ] {
            if now > before {
                meter.mark(now - before);
            }
        }
        for (gauge, before, now) in [
            (
                &metrics.unacknowledged_payloads,
                signed(told.unacknowledged_payloads),
                signed(now.unacknowledged_payloads),
            ),
            (
                &metrics.unacknowledged_bytes,
                signed(told.unacknowledged_bytes),
                signed(now.unacknowledged_bytes),
            ),
            (
                &metrics.waiting_acknowledgements,
                told.has_acknowledgements.into(),
                now.has_acknowledgements.into(),
            ),
        ] {
            if now != before {
                gauge.add(now - before);
            }
        }
        let window = &metrics.blocked_by_window;
        window.tell(told.is_blocked_by_window, now.is_blocked_by_window);
        let peer = &metrics.blocked_by_peer;
        peer.tell(told.is_blocked_by_peer, now.is_blocked_by_peer);
    }
}

impl Drop for EndMeter {
    /// Nothing is on its way any more.
    fn drop(&mut self) {
        self.tell_difference(Told {
            counters: self.told.counters,
            ..Told::default()
        });
    }
}

/// Bytes of a payload that an SDK sends or gets, unless it is sent again: the router does not know what has
/// arrived.
pub(crate) fn first_time_bytes(payload: &Payload) -> Option<usize> {
    let is_repeated = payload.flags.contains(PayloadFlags::RETRANSMITTED);
    (!is_repeated).then(|| payload.data.expose().len())
}

fn signed(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}
