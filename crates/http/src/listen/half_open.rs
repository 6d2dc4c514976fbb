//! Connections whose handshake is not done yet.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Bounds the number of unfinished handshakes by dropping the oldest.
#[derive(Debug)]
pub(super) struct HalfOpen {
    max: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    by_age: BTreeMap<u64, CancellationToken>,
}

/// Place of one connection among the unfinished; given up when dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    evicted: CancellationToken,
    registry: Arc<HalfOpen>,
}

impl HalfOpen {
    /// Makes a registry of at most `max` connections.
    pub(super) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max: max.max(1),
            waiting: Mutex::default(),
        })
    }

    /// Enters a new connection, at the price of the oldest when there is no room.
    pub(super) fn enter(self: &Arc<Self>) -> Place {
        let evicted = CancellationToken::new();
        let mut waiting = self.lock();
        while waiting.by_age.len() >= self.max {
            waiting.evict_oldest();
        }
        let number = waiting.next;
        waiting.next += 1;
        waiting.by_age.insert(number, evicted.clone());
        Place {
            number,
            evicted,
            registry: Arc::clone(self),
        }
    }

    /// Drops the oldest connection, to have its descriptor back.
    pub(super) fn evict_oldest(&self) {
        self.lock().evict_oldest();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn evict_oldest(&mut self) {
        if let Some((_, oldest)) = self.by_age.pop_first() {
            oldest.cancel();
        }
    }
}

impl Place {
    /// Waits until the place is taken away.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.registry.lock().by_age.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_costs_the_oldest() {
        let registry = HalfOpen::new(2);
        let first = registry.enter();
        let second = registry.enter();
        assert!(!first.evicted.is_cancelled());

        let third = registry.enter();

        assert!(first.evicted.is_cancelled());
        assert!(!second.evicted.is_cancelled());
        assert!(!third.evicted.is_cancelled());
    }

    #[test]
    fn finished_handshake_makes_room() {
        let registry = HalfOpen::new(2);
        let first = registry.enter();
        drop(registry.enter());

        let third = registry.enter();

        assert!(!first.evicted.is_cancelled());
        assert!(!third.evicted.is_cancelled());
    }
}
