//! A bounded cache with two generations.

use parking_lot::{Mutex, MutexGuard};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map of two generations. When the young one is full it replaces the old one, so entries in use
/// survive and unused ones are evicted, without bookkeeping per entry.
pub(crate) struct GenerationalCache<K, V> {
    generations: Mutex<Generations<K, V>>,
    /// Maximum number of entries in a generation.
    generation_size: usize,
}

struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V: Clone> GenerationalCache<K, V> {
    /// Creates an empty cache that holds at most twice `generation` entries.
    pub(crate) fn new(generation: usize) -> Self {
        let (young, old) = (HashMap::new(), HashMap::new());
        Self {
            generations: Mutex::new(Generations { young, old }),
            generation_size: generation,
        }
    }

    pub(crate) fn find<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.lock().find(key, self.generation_size)
    }

    /// Inserts a value that was computed outside the lock.
    pub(crate) fn insert(&self, key: K, value: V) {
        self.lock().insert(key, value, self.generation_size);
    }

    /// Returns the value of a key, computing it under the lock if it is missing.
    pub(crate) fn get_or_insert_with(&self, key: K, make: impl FnOnce() -> V) -> V {
        let mut generations = self.lock();
        generations
            .find(&key, self.generation_size)
            .unwrap_or_else(|| {
                let value = make();
                generations.insert(key, value.clone(), self.generation_size);
                value
            })
    }

    fn lock(&self) -> MutexGuard<'_, Generations<K, V>> {
        self.generations.lock()
    }
}

impl<K: Eq + Hash, V: Clone> Generations<K, V> {
    fn find<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, most: usize) -> Option<V>
    where
        K: Borrow<Q>,
    {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.insert(key, value.clone(), most);
        Some(value)
    }

    fn insert(&mut self, key: K, value: V, most: usize) {
        if self.young.len() >= most {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let cache = GenerationalCache::new(4);
        for number in 0..100 {
            assert_eq!(cache.get_or_insert_with("kept".to_owned(), || 0), 0);
            cache.insert(format!("n{number}"), number);
            let generations = cache.lock();
            assert!(generations.young.len() + generations.old.len() <= 8);
        }
        assert_eq!(cache.find("kept"), Some(0));
        assert_eq!(cache.find("n99"), Some(99));
        assert_eq!(cache.find("n0"), None);
    }
}
