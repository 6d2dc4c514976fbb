//! What was made of the rows of a view, for whoever reads them in it again.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most values that are held.
const MOST: usize = 4096;
/// Most bytes of the rows that they were made of.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// Values by the keys of the rows that they were made of, and by their types.
///
/// They belong to one view of the store, whose rows never change, and end with it: so none of them
/// can be out of date. When there are too many, all are let go; what is in use comes back.
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
        let value = Arc::clone(self.lock().values.get(&TypeId::of::<T>())?.get(key)?);
        value.downcast().ok()
    }

    /// Holds what was made of the row under `key` and what belongs to it, `bytes` bytes in all.
    pub fn keep<T: Any + Send + Sync>(&self, key: &[u8], value: Arc<T>, bytes: usize) {
        if bytes > MOST_BYTES {
            return;
        }
        let mut held = self.lock();
        if held.count >= MOST || held.bytes + bytes > MOST_BYTES {
            *held = Held::default();
        }
        let of_type = held.values.entry(TypeId::of::<T>()).or_default();
        if of_type.insert(key.into(), value).is_none() {
            held.count += 1;
            held.bytes += bytes;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
            assert!(readings.lock().count <= MOST);
        }
        let last = 3 * MOST - 1;
        assert_eq!(
            readings.find::<usize>(&last.to_be_bytes()).as_deref(),
            Some(&last)
        );
        for number in 0..10_usize {
            readings.keep(&number.to_be_bytes(), Arc::new(number), MOST_BYTES / 4);
            assert!(readings.lock().bytes <= MOST_BYTES);
        }
        readings.keep(b"long", Arc::new(()), MOST_BYTES + 1);
        assert!(readings.find::<()>(b"long").is_none());
    }
}
