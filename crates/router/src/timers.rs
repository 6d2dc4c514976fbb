//! Deadlines by what they are for.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_domain::clock::Timestamp;

/// At most one deadline for each key.
#[derive(Debug)]
pub(crate) struct Timers<K> {
    by_time: BTreeSet<(Timestamp, K)>,
    by_key: BTreeMap<K, Timestamp>,
}

impl<K> Default for Timers<K> {
    fn default() -> Self {
        Self {
            by_time: BTreeSet::new(),
            by_key: BTreeMap::new(),
        }
    }
}

impl<K: Ord + Clone> Timers<K> {
    /// Sets the deadline of a key, in place of an earlier one.
    pub(crate) fn set(&mut self, key: K, at: Timestamp) {
        self.clear(&key);
        self.by_time.insert((at, key.clone()));
        self.by_key.insert(key, at);
    }

    pub(crate) fn get(&self, key: &K) -> Option<Timestamp> {
        self.by_key.get(key).copied()
    }

    pub(crate) fn clear(&mut self, key: &K) {
        if let Some(at) = self.by_key.remove(key) {
            self.by_time.remove(&(at, key.clone()));
        }
    }

    pub(crate) fn clear_all(&mut self) {
        self.by_time.clear();
        self.by_key.clear();
    }

    pub(crate) fn next(&self) -> Option<Timestamp> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Takes the key whose deadline passed first.
    pub(crate) fn pop_due(&mut self, now: Timestamp) -> Option<K> {
        let (at, _) = self.by_time.first()?;
        if *at > now {
            return None;
        }
        let (_, key) = self.by_time.pop_first()?;
        self.by_key.remove(&key);
        Some(key)
    }
}
