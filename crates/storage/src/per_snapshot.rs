//! Values that belong to a snapshot and are shared by its readers.

use crate::engine::Snapshot;
use crate::sync::lock;
use std::ptr;
use std::sync::{Arc, Mutex, Weak};

/// A value for the latest snapshot, such as a cache of what was read from it.
///
/// An engine may give the same snapshot to everybody until the next commit. The rows of a snapshot
/// never change, so whatever follows from them holds for as long as that snapshot is given out, and
/// nothing has to be invalidated.
pub struct PerSnapshot<T>(Mutex<Option<Latest<T>>>);

struct Latest<T> {
    /// Weak, so that the engine can reuse the pages of its state. While it exists, no other
    /// snapshot has this address.
    snapshot: Weak<dyn Snapshot>,
    value: Arc<T>,
}

impl<T: Default> PerSnapshot<T> {
    /// The value for `snapshot`; a new one if the last call was for another snapshot.
    ///
    /// The last value is kept until then, even if its snapshot is gone.
    pub fn get(&self, snapshot: &Arc<dyn Snapshot>) -> Arc<T> {
        let mut latest = lock(&self.0);
        if let Some(latest) = &*latest
            && ptr::addr_eq(latest.snapshot.as_ptr(), Arc::as_ptr(snapshot))
        {
            return Arc::clone(&latest.value);
        }
        let value = Arc::<T>::default();
        let last = latest.replace(Latest {
            snapshot: Arc::downgrade(snapshot),
            value: Arc::clone(&value),
        });
        drop(latest);
        // Dropped outside the lock: it may be large.
        drop(last);
        value
    }
}

impl<T> Default for PerSnapshot<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> std::fmt::Debug for PerSnapshot<T> {
    /// Omits the value, which may be secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PerSnapshot")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{CopyError, KeyRange, ReadTx, RowVisitor, StoreError};
    use std::path::Path;
    use std::sync::atomic::{AtomicU32, Ordering};

    struct Empty;

    impl ReadTx for Empty {
        fn get(&self, _key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
            Ok(None)
        }

        fn scan(&self, _range: &KeyRange, _visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
            Ok(())
        }
    }

    impl Snapshot for Empty {
        fn revision(&self) -> Result<u64, StoreError> {
            Ok(0)
        }

        fn write_copy(&self, _draft: &Path, _path: &Path) -> Result<(), CopyError> {
            Ok(())
        }
    }

    fn snapshot() -> Arc<dyn Snapshot> {
        Arc::new(Empty)
    }

    #[test]
    fn readers_of_a_snapshot_share_its_value() {
        let values = PerSnapshot::<AtomicU32>::default();
        let shared = snapshot();
        values.get(&shared).store(1, Ordering::Relaxed);
        assert_eq!(values.get(&shared).load(Ordering::Relaxed), 1);
        let next = snapshot();
        assert_eq!(values.get(&next).load(Ordering::Relaxed), 0);
    }

    #[test]
    fn value_ends_with_its_snapshot_and_does_not_keep_it() {
        let values = PerSnapshot::<AtomicU32>::default();
        for _ in 0..100 {
            let shared = snapshot();
            assert_eq!(values.get(&shared).swap(1, Ordering::Relaxed), 0);
            assert_eq!(Arc::strong_count(&shared), 1);
        }
    }
}
