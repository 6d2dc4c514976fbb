//! What the relay has counted.

use std::sync::Arc;

use portcullis_metrics::{Meter, MetricName, MetricRegistry, MetricSource, Snapshot};

use crate::relay::Relay;

/// Figures of the relay. They are reported as long as this is held.
pub(crate) struct RelayMetrics {
    relay: Arc<Relay>,
    messages: Arc<Meter>,
    bytes: Arc<Meter>,
    unknown_circuit: Arc<Meter>,
    no_forward: Arc<Meter>,
    not_attached: Arc<Meter>,
    no_room: Arc<Meter>,
    faults: Arc<Meter>,
}

impl RelayMetrics {
    pub(crate) fn register(relay: Arc<Relay>, registry: &MetricRegistry) -> Arc<Self> {
        let meter = |name| registry.meter(MetricName::plain(name));
        let metrics = Arc::new(Self {
            relay,
            messages: meter("forwarder.msgrate"),
            bytes: meter("forwarder.bytesrate"),
            unknown_circuit: meter("forwarder.unknown_circuit_msgs"),
            no_forward: meter("forwarder.no_forward_msgs"),
            not_attached: meter("forwarder.not_attached_msgs"),
            no_room: meter("forwarder.dropped_msgs"),
            faults: meter("faults.circuit"),
        });
        registry.add_source(&metrics);
        metrics
    }
}

impl MetricSource for RelayMetrics {
    fn collect(&self, snapshot: &mut Snapshot) {
        let circuits = self.relay.circuit_count();
        snapshot.set_gauge(MetricName::plain("forwarder.circuits"), circuits);
        let memory = self.relay.memory();
        snapshot.set_gauge(MetricName::plain("memory.buffers.used"), memory.used());
        snapshot.set_gauge(MetricName::plain("memory.buffers.limit"), memory.limit());
    }

    fn update(&self) {
        let counts = self.relay.counts();
        self.messages.advance_to(counts.forwarded_messages);
        self.bytes.advance_to(counts.forwarded_bytes);
        self.unknown_circuit.advance_to(counts.unknown_circuit);
        self.no_forward.advance_to(counts.no_forward);
        self.not_attached.advance_to(counts.not_attached);
        self.no_room.advance_to(counts.no_room);
        self.faults.advance_to(counts.faults);
    }
}
