//! What a link has carried.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use portcullis_metrics::{Histogram, MetricName, MetricRegistry, Unit};

/// Counts since a link was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LinkCounts {
    pub(crate) sent: Traffic,
    pub(crate) received: Traffic,
    /// Messages that were not sent since there was no room, or the link was closed.
    pub(crate) dropped_sending: u64,
    /// Those of them that came from other links and from SDKs; ends in this router wait for room.
    pub(crate) dropped_forwarding: u64,
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

/// The sizes of what all links carry.
#[derive(Debug, Clone)]
pub(crate) struct LinkSizes {
    pub(crate) sent: Arc<Histogram>,
    pub(crate) received: Arc<Histogram>,
}

#[derive(Debug)]
pub(super) struct Counters {
    own: LinkSizes,
    all: LinkSizes,
    dropped_sending: AtomicU64,
    dropped_forwarding: AtomicU64,
    dropped_receiving: AtomicU64,
    unreadable: AtomicU64,
}

impl LinkSizes {
    /// Those of one link.
    pub(crate) fn new() -> Self {
        let sizes = || Arc::new(Histogram::new(Unit::Bytes));
        Self {
            sent: sizes(),
            received: sizes(),
        }
    }

    /// Those of all links together.
    pub(crate) fn of_all(registry: &MetricRegistry) -> Self {
        let sizes = |name| registry.histogram(MetricName::plain(name), Unit::Bytes);
        Self {
            sent: sizes("fabric.tx.msgsize"),
            received: sizes("fabric.rx.msgsize"),
        }
    }
}

impl From<&Histogram> for Traffic {
    fn from(sizes: &Histogram) -> Self {
        let (messages, bytes) = sizes.totals();
        Self { messages, bytes }
    }
}

impl Counters {
    /// Counts for one link, and for all together.
    pub(super) fn new(all: &LinkSizes) -> Self {
        Self {
            own: LinkSizes::new(),
            all: all.clone(),
            dropped_sending: AtomicU64::new(0),
            dropped_forwarding: AtomicU64::new(0),
            dropped_receiving: AtomicU64::new(0),
            unreadable: AtomicU64::new(0),
        }
    }

    pub(super) const fn sizes(&self) -> &LinkSizes {
        &self.own
    }

    pub(super) fn get(&self) -> LinkCounts {
        LinkCounts {
            sent: Traffic::from(&*self.own.sent),
            received: Traffic::from(&*self.own.received),
            dropped_sending: self.dropped_sending.load(Ordering::Relaxed),
            dropped_forwarding: self.dropped_forwarding.load(Ordering::Relaxed),
            dropped_receiving: self.dropped_receiving.load(Ordering::Relaxed),
            unreadable: self.unreadable.load(Ordering::Relaxed),
        }
    }

    pub(super) fn sent(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.own.sent.record(bytes);
        self.all.sent.record(bytes);
    }

    pub(super) fn received(&self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.own.received.record(bytes);
        self.all.received.record(bytes);
    }

    pub(super) fn dropped_sending(&self) {
        self.dropped_sending.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn dropped_forwarding(&self) {
        self.dropped_forwarding.fetch_add(1, Ordering::Relaxed);
        self.dropped_sending();
    }

    pub(super) fn dropped_receiving(&self) {
        self.dropped_receiving.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }
}
