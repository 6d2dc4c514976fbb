//! What a link has carried.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since a link was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LinkCounts {
    pub(crate) sent: Traffic,
    pub(crate) received: Traffic,
    /// Messages that were not sent since there was no room.
    pub(crate) dropped_sending: u64,
    /// Messages that came and found no room in what they lead to.
    pub(crate) dropped_receiving: u64,
    /// Messages that no link carries, such as payloads in the compact form, or that cannot be read.
    pub(crate) unreadable: u64,
}

/// Messages, and their bytes on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Counters {
    sent: TrafficCounter,
    received: TrafficCounter,
    dropped_sending: AtomicU64,
    dropped_receiving: AtomicU64,
    unreadable: AtomicU64,
}

#[derive(Debug, Default)]
struct TrafficCounter {
    messages: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    pub(super) fn get(&self) -> LinkCounts {
        LinkCounts {
            sent: self.sent.get(),
            received: self.received.get(),
            dropped_sending: self.dropped_sending.load(Ordering::Relaxed),
            dropped_receiving: self.dropped_receiving.load(Ordering::Relaxed),
            unreadable: self.unreadable.load(Ordering::Relaxed),
        }
    }

    pub(super) fn sent(&self, bytes: usize) {
        self.sent.add(bytes);
    }

    pub(super) fn received(&self, bytes: usize) {
        self.received.add(bytes);
    }

    pub(super) fn dropped_sending(&self) {
        self.dropped_sending.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn dropped_receiving(&self) {
        self.dropped_receiving.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }
}

impl TrafficCounter {
    fn add(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn get(&self) -> Traffic {
        Traffic {
            messages: self.messages.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
        }
    }
}
