//! A circuit in the trace of an identity: what it has carried, and why it has ended.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use portcullis_channel_traces::{RouteTrace, StepMask};
use portcullis_xgress::Side;

/// A circuit that is traced, from the route that says so to its end at this router.
#[derive(Debug)]
pub struct CircuitTrace {
    trace: RouteTrace,
    from_initiator: Direction,
    from_terminator: Direction,
    reason: OnceLock<&'static str>,
}

/// What goes one way.
#[derive(Debug, Default)]
struct Direction {
    payloads: AtomicU64,
    bytes: AtomicU64,
}

impl CircuitTrace {
    pub fn new(trace: RouteTrace) -> Self {
        Self {
            trace,
            from_initiator: Direction::default(),
            from_terminator: Direction::default(),
            reason: OnceLock::new(),
        }
    }

    pub const fn trace(&self) -> &RouteTrace {
        &self.trace
    }

    /// Counts a payload from one end. Returns whether that has to be told: the first one, if the trace asks for
    /// it.
    pub fn carried(&self, from: Side, bytes: usize) -> bool {
        let direction = self.direction(from);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        direction.bytes.fetch_add(bytes, Ordering::Relaxed);
        let is_first = direction.payloads.fetch_add(1, Ordering::Relaxed) == 0;
        is_first && self.trace.steps.contains(StepMask::TRANSFER_DATA)
    }

    /// Bytes of payloads from one end, including those that were sent again.
    pub fn bytes(&self, from: Side) -> u64 {
        self.direction(from).bytes.load(Ordering::Relaxed)
    }

    /// Says why the circuit is going to end; only the first reason counts.
    pub fn ends_because(&self, reason: &'static str) {
        self.reason.get_or_init(|| reason);
    }

    /// Why it has ended.
    pub fn reason(&self) -> &'static str {
        self.reason
            .get()
            .copied()
            .unwrap_or("it is not carried any more")
    }

    const fn direction(&self, from: Side) -> &Direction {
        match from {
            Side::Initiator => &self.from_initiator,
            Side::Terminator => &self.from_terminator,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circuit(steps: StepMask) -> CircuitTrace {
        CircuitTrace::new(RouteTrace {
            trace_id: "t1".to_owned(),
            request_id: "q1".to_owned(),
            steps,
        })
    }

    #[test]
    fn the_first_payload_each_way_is_told() {
        let circuit = circuit(StepMask::ALL);
        assert!(circuit.carried(Side::Initiator, 3));
        assert!(!circuit.carried(Side::Initiator, 4));
        assert!(circuit.carried(Side::Terminator, 0));
        assert!(!circuit.carried(Side::Terminator, 5));
        assert_eq!(circuit.bytes(Side::Initiator), 7);
        assert_eq!(circuit.bytes(Side::Terminator), 5);
    }

    #[test]
    fn what_was_not_asked_for_is_counted_and_not_told() {
        let circuit = circuit(StepMask::ESTABLISH_PATH);
        assert!(!circuit.carried(Side::Initiator, 3));
        assert_eq!(circuit.bytes(Side::Initiator), 3);
    }

    #[test]
    fn the_first_reason_counts() {
        let circuit = circuit(StepMask::ALL);
        assert_eq!(circuit.reason(), "it is not carried any more");
        circuit.ends_because("one");
        circuit.ends_because("two");
        assert_eq!(circuit.reason(), "one");
    }
}
