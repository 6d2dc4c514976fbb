//! What was looked up, for when the same work comes across it again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Most entries of what is remembered: long lists are not to fill the memory.
const MOST: usize = 4096;

/// Values by what they are found by, worked out once each.
pub(crate) struct Remembered<K, T>(RefCell<BTreeMap<K, T>>);

impl<K, T> Default for Remembered<K, T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Ord, T: Clone> Remembered<K, T> {
    /// The value of a key, which is made if it is not known.
    pub(crate) fn get(&self, key: K, make: impl FnOnce() -> T) -> T {
        match self.try_get(key, || Ok::<_, Infallible>(make())) {
            Ok(value) => value,
        }
    }

    /// The same where making it can fail, which is not remembered.
    pub(crate) fn try_get<E>(&self, key: K, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if let Some(value) = self.0.borrow().get(&key) {
            return Ok(value.clone());
        }
        let value = make()?;
        let mut remembered = self.0.borrow_mut();
        if remembered.len() >= MOST {
            remembered.clear();
        }
        remembered.insert(key, value.clone());
        Ok(value)
    }

    /// Forgets all of them.
    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}
