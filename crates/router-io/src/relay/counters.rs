//! What has passed through a router, in numbers.

use std::sync::atomic::{AtomicU64, Ordering};

use portcullis_forwarding::NoWay;

/// What a router has forwarded since it started, and what not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RelayCounts {
    pub(crate) forwarded_messages: u64,
    /// Of data in payloads.
    pub(crate) forwarded_bytes: u64,
    pub(crate) unknown_circuit: u64,
    pub(crate) no_forward: u64,
    /// The link was lost, or the end gone.
    pub(crate) not_attached: u64,
    /// There was no room in what it led to.
    pub(crate) no_room: u64,
    /// Circuits of which controllers were told that they lead nowhere.
    pub(crate) faults: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    forwarded_messages: AtomicU64,
    forwarded_bytes: AtomicU64,
    unknown_circuit: AtomicU64,
    no_forward: AtomicU64,
    not_attached: AtomicU64,
    no_room: AtomicU64,
    faults: AtomicU64,
}

impl Counters {
    pub(super) fn forwarded(&self, bytes: usize) {
        self.forwarded_messages.fetch_add(1, Ordering::Relaxed);
        if bytes > 0 {
            let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
            self.forwarded_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    pub(super) fn no_way(&self, why: NoWay) {
        let counter = match why {
            NoWay::UnknownCircuit => &self.unknown_circuit,
            NoWay::NoForward => &self.no_forward,
            NoWay::NotAttached => &self.not_attached,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn no_room(&self) {
        self.no_room.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn faults(&self, circuits: usize) {
        let circuits = u64::try_from(circuits).unwrap_or(u64::MAX);
        self.faults.fetch_add(circuits, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> RelayCounts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        RelayCounts {
            forwarded_messages: get(&self.forwarded_messages),
            forwarded_bytes: get(&self.forwarded_bytes),
            unknown_circuit: get(&self.unknown_circuit),
            no_forward: get(&self.no_forward),
            not_attached: get(&self.not_attached),
            no_room: get(&self.no_room),
            faults: get(&self.faults),
        }
    }
}
