//! What was made of the rows of a view, for whoever wants it in that view again.

use crate::lock;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex};

/// Most values that are held.
const MOST: usize = 16 * 1024;
/// Most bytes of the rows that they were made of.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Most bytes of the rows that one of them was made of.
const MOST_BYTES_OF_ONE: usize = 8 * 1024;

/// Values by the keys of the rows that they were made of, and by their types.
///
/// They belong to one view of the store, whose rows never change, and end with it: so none of them
/// can be out of date. When there are too many, all are let go; what is in use comes back. Rows are
/// what is counted, and what is made of one can take many times as much.
#[derive(Default)]
pub struct Readings(Mutex<Held>);

/// The values of one type.
type OfType = HashMap<Box<[u8]>, Arc<dyn Any + Send + Sync>>;

#[derive(Default)]
struct Held {
    values: HashMap<TypeId, OfType>,
    count: usize,
    bytes: usize,
}

impl Readings {
    /// The value of the type `T` that was made of the row under `key` and what belongs to it.
    pub fn find<T: Any + Send + Sync>(&self, key: &[u8]) -> Option<Arc<T>> {
        let value = Arc::clone(lock(&self.0).values.get(&TypeId::of::<T>())?.get(key)?);
        value.downcast().ok()
    }

    /// Holds what was made of the row under `key` and what belongs to it, `bytes` bytes in all. What
    /// is long is not held, and nothing is held twice.
    pub fn keep<T: Any + Send + Sync>(&self, key: &[u8], value: Arc<T>, bytes: usize) {
        if bytes > MOST_BYTES_OF_ONE {
            return;
        }
        let let_go = lock(&self.0).keep(TypeId::of::<T>(), key, value, bytes);
        // Behind the lock: there may be thousands of them.
        drop(let_go);
    }
}

impl Held {
    /// Answers what had to be let go.
    fn keep(
        &mut self,
        of: TypeId,
        key: &[u8],
        value: Arc<dyn Any + Send + Sync>,
        bytes: usize,
    ) -> Option<Self> {
        let is_there = |values: &OfType| values.contains_key(key);
        if self.values.get(&of).is_some_and(is_there) {
            return None;
        }
        let is_full = self.count >= MOST || self.bytes + bytes > MOST_BYTES;
        let let_go = is_full.then(|| mem::take(self));
        self.values.entry(of).or_default().insert(key.into(), value);
        self.count += 1;
        self.bytes += bytes;
        let_go
    }
}

impl std::fmt::Debug for Readings {
    /// Without the values, which may be secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Readings").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_found_under_its_key_and_type() {
        let readings = Readings::default();
        readings.keep(b"a", Arc::new(1_u8), 10);
        assert_eq!(readings.find::<u8>(b"a").as_deref(), Some(&1));
        assert!(readings.find::<u16>(b"a").is_none());
        assert!(readings.find::<u8>(b"b").is_none());
        readings.keep(b"a", Arc::new(2_u16), 10);
        assert_eq!(readings.find::<u8>(b"a").as_deref(), Some(&1));
        assert_eq!(readings.find::<u16>(b"a").as_deref(), Some(&2));
    }

    #[test]
    fn number_and_size_are_bounded() {
        let readings = Readings::default();
        for number in 0..3 * MOST {
            readings.keep(&number.to_be_bytes(), Arc::new(number), 1);
            assert!(lock(&readings.0).count <= MOST);
        }
        let last = 3 * MOST - 1;
        assert_eq!(
            readings.find::<usize>(&last.to_be_bytes()).as_deref(),
            Some(&last)
        );
        for number in 0..2000_usize {
            readings.keep(&number.to_be_bytes(), Arc::new(number), MOST_BYTES_OF_ONE);
            assert!(lock(&readings.0).bytes <= MOST_BYTES);
        }
        readings.keep(b"long", Arc::new(()), MOST_BYTES_OF_ONE + 1);
        assert!(readings.find::<()>(b"long").is_none());
    }

    #[test]
    fn what_is_there_already_costs_nothing() {
        let readings = Readings::default();
        readings.keep(b"first", Arc::new(0), 0);
        for _ in 0..2 * MOST {
            readings.keep(b"again", Arc::new(1), MOST_BYTES_OF_ONE);
        }
        assert!(readings.find::<i32>(b"first").is_some());
    }
}
