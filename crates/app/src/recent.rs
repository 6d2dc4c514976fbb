//! What was used lately, within bounds.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Values by key. When the young generation is full it becomes the old one, so that what is in use
/// stays and what is not goes, at no bookkeeping per value.
pub(crate) struct Recent<K, V> {
    generations: Mutex<Generations<K, V>>,
    /// How many values a generation has at most.
    most: usize,
}

struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V: Clone> Recent<K, V> {
    /// Holds nothing, and later at most twice `generation` values.
    pub(crate) fn new(generation: usize) -> Self {
        let (young, old) = (HashMap::new(), HashMap::new());
        Self {
            generations: Mutex::new(Generations { young, old }),
            most: generation,
        }
    }

    /// The value of a key, if there is one.
    pub(crate) fn find<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.lock().find(key, self.most)
    }

    /// Keeps a value, which was made while nobody had to wait for it.
    pub(crate) fn keep(&self, key: K, value: V) {
        self.lock().keep(key, value, self.most);
    }

    /// The value of a key; one that is made here and now, and once, if there is none.
    pub(crate) fn find_or_make(&self, key: K, make: impl FnOnce() -> V) -> V {
        let mut generations = self.lock();
        generations.find(&key, self.most).unwrap_or_else(|| {
            let value = make();
            generations.keep(key, value.clone(), self.most);
            value
        })
    }

    fn lock(&self) -> MutexGuard<'_, Generations<K, V>> {
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
        self.keep(key, value.clone(), most);
        Some(value)
    }

    fn keep(&mut self, key: K, value: V, most: usize) {
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
        let recent = Recent::new(4);
        for number in 0..100 {
            assert_eq!(recent.find_or_make("kept".to_owned(), || 0), 0);
            recent.keep(format!("n{number}"), number);
            let generations = recent.lock();
            assert!(generations.young.len() + generations.old.len() <= 8);
        }
        assert_eq!(recent.find("kept"), Some(0));
        assert_eq!(recent.find("n99"), Some(99));
        assert_eq!(recent.find("n0"), None);
    }
}
