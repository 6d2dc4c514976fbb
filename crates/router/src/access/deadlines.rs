//! Things with a time, soonest first.

use portcullis_domain::clock::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// At most one time for each key.
#[derive(Debug, Clone)]
pub(super) struct Deadlines<K> {
    times: BTreeMap<K, Timestamp>,
    order: BTreeSet<(Timestamp, K)>,
}

impl<K> Default for Deadlines<K> {
    fn default() -> Self {
        Self {
            times: BTreeMap::new(),
            order: BTreeSet::new(),
        }
    }
}

impl<K: Ord + Clone> Deadlines<K> {
    pub(super) fn set(&mut self, key: K, at: Option<Timestamp>) {
        self.clear(&key);
        if let Some(at) = at {
            self.times.insert(key.clone(), at);
            self.order.insert((at, key));
        }
    }

    pub(super) fn clear(&mut self, key: &K) {
        if let Some(at) = self.times.remove(key) {
            self.order.remove(&(at, key.clone()));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// Takes the soonest.
    pub(super) fn take_first(&mut self) -> Option<K> {
        let (_, key) = self.order.pop_first()?;
        self.times.remove(&key);
        Some(key)
    }

    pub(super) fn first(&self) -> Option<Timestamp> {
        self.order.first().map(|(at, _)| *at)
    }

    /// Takes those that are due.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<K> {
        let mut due = Vec::new();
        while self.first().is_some_and(|at| at <= now) {
            due.extend(self.take_first());
        }
        due
    }
}
