//! Memoized lookups within one piece of work.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Maximum number of entries, so that long lists stay within bounded memory; the memo is cleared
/// beyond it.
const MAX_ENTRIES: usize = 4096;

/// Memoized values by key.
pub(crate) struct Memo<K, T>(RefCell<BTreeMap<K, T>>);

impl<K, T> Default for Memo<K, T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Ord, T: Clone> Memo<K, T> {
    /// Returns the value of a key, computing it if it is missing.
    pub(crate) fn get_or_insert_with(&self, key: K, make: impl FnOnce() -> T) -> T {
        match self.get_or_try_insert_with(key, || Ok::<_, Infallible>(make())) {
            Ok(value) => value,
        }
    }

    /// Like [`Memo::get_or_insert_with`] for fallible computations; errors are not memoized.
    pub(crate) fn get_or_try_insert_with<E>(
        &self,
        key: K,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(value) = self.0.borrow().get(&key) {
            return Ok(value.clone());
        }
        let value = make()?;
        let mut entries = self.0.borrow_mut();
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        entries.insert(key, value.clone());
        Ok(value)
    }

    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}
