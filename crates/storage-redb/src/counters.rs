//! Counters for record numbers.

use portcullis_storage::key::Kind;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The last allocated number by kind.
pub(crate) struct Counters(Vec<AtomicU64>);

impl Counters {
    pub(crate) fn new(stored: &BTreeMap<u8, u64>) -> Self {
        let last = |kind| stored.get(&kind).copied().unwrap_or(0);
        Self(
            (0..=u8::MAX)
                .map(|kind| AtomicU64::new(last(kind)))
                .collect(),
        )
    }

    pub(crate) fn draw(&self, kind: Kind) -> u64 {
        match self.0.get(usize::from(kind.byte())) {
            Some(counter) => counter.fetch_add(1, Ordering::AcqRel).saturating_add(1),
            // There is a counter for every byte.
            None => u64::MAX,
        }
    }

    /// All counters above zero.
    ///
    /// Read after the bodies of a group have run, they cover every number written by them.
    pub(crate) fn stored(&self) -> BTreeMap<u8, u64> {
        (0..=u8::MAX)
            .zip(&self.0)
            .map(|(kind, counter)| (kind, counter.load(Ordering::Acquire)))
            .filter(|(_, last)| *last > 0)
            .collect()
    }
}
