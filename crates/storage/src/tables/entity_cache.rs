//! Cache of the entities in one snapshot.

use crate::sync::lock;
use std::any::Any;
use std::collections::HashMap;
use std::mem;
use std::sync::{Arc, Mutex};

const MAX_ENTRIES: usize = 16 * 1024;
/// Maximum size of the source rows, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Maximum size of the source row of one entry, in bytes.
const MAX_ENTRY_BYTES: usize = 8 * 1024;

/// What was parsed from the rows of one snapshot, by the key of the row.
///
/// The rows never change, so no entry can be stale. When the cache is full, it is emptied. Sizes
/// are those of the rows; what is parsed from them may take many times as much memory.
#[derive(Default)]
pub struct EntityCache(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    /// A key determines the type of its value.
    values: HashMap<Box<[u8]>, Arc<dyn Any + Send + Sync>>,
    bytes: usize,
}

impl EntityCache {
    /// The cached value for the row under `key`.
    pub(super) fn find<T: Any + Send + Sync>(&self, key: &[u8]) -> Option<Arc<T>> {
        let value = Arc::clone(lock(&self.0).values.get(key)?);
        value.downcast().ok()
    }

    /// Caches a value parsed from the row under `key`, which is `bytes` long. Values of long rows
    /// are not cached, and existing entries are kept.
    pub(super) fn insert<T: Any + Send + Sync>(&self, key: &[u8], value: Arc<T>, bytes: usize) {
        if bytes > MAX_ENTRY_BYTES {
            return;
        }
        let evicted = lock(&self.0).insert(key, value, bytes);
        // Dropped outside the lock: there may be thousands of entries.
        drop(evicted);
    }
}

impl Entries {
    /// Returns the evicted entries.
    fn insert(
        &mut self,
        key: &[u8],
        value: Arc<dyn Any + Send + Sync>,
        bytes: usize,
    ) -> Option<Self> {
        if self.values.contains_key(key) {
            return None;
        }
        let is_full = self.values.len() >= MAX_ENTRIES || self.bytes + bytes > MAX_BYTES;
        let evicted = is_full.then(|| mem::take(self));
        self.values.insert(key.into(), value);
        self.bytes += bytes;
        evicted
    }
}

impl std::fmt::Debug for EntityCache {
    /// Omits the entities, which may be secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("EntityCache")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_found_under_its_key() {
        let cache = EntityCache::default();
        cache.insert(b"a", Arc::new(1_u8), 10);
        assert_eq!(cache.find::<u8>(b"a").as_deref(), Some(&1));
        assert!(cache.find::<u16>(b"a").is_none());
        assert!(cache.find::<u8>(b"b").is_none());
        cache.insert(b"a", Arc::new(2_u8), 10);
        assert_eq!(cache.find::<u8>(b"a").as_deref(), Some(&1));
    }

    #[test]
    fn number_and_size_are_bounded() {
        let cache = EntityCache::default();
        for number in 0..3 * MAX_ENTRIES {
            cache.insert(&number.to_be_bytes(), Arc::new(number), 1);
            assert!(lock(&cache.0).values.len() <= MAX_ENTRIES);
        }
        let last = 3 * MAX_ENTRIES - 1;
        assert_eq!(
            cache.find::<usize>(&last.to_be_bytes()).as_deref(),
            Some(&last)
        );
        for number in 0..2000_usize {
            cache.insert(&number.to_be_bytes(), Arc::new(number), MAX_ENTRY_BYTES);
            assert!(lock(&cache.0).bytes <= MAX_BYTES);
        }
        cache.insert(b"long", Arc::new(()), MAX_ENTRY_BYTES + 1);
        assert!(cache.find::<()>(b"long").is_none());
    }

    #[test]
    fn what_is_there_already_costs_nothing() {
        let cache = EntityCache::default();
        cache.insert(b"first", Arc::new(0), 0);
        for _ in 0..2 * MAX_ENTRIES {
            cache.insert(b"again", Arc::new(1), MAX_ENTRY_BYTES);
        }
        assert!(cache.find::<i32>(b"first").is_some());
    }
}
