//! Writer for copies of a store.

use crate::backend::is_full;
use crate::database::{Store, StoreFailure};
use crate::disk::Disk;
use crate::options::{OpenError, Options};
use crate::overlay::Overlay;
use portcullis_storage::engine::StoreError;
use std::sync::Arc;

/// A new store without an engine, to be filled with rows.
pub(crate) struct CopyWriter(Store);

impl CopyWriter {
    /// Creates it on an empty disk.
    pub(crate) fn create(disk: Arc<dyn Disk>, place: &str) -> Result<Self, StoreError> {
        match Store::open(disk, place, &Options::default()) {
            Ok((store, _state)) => Ok(Self(store)),
            Err(OpenError::Io { source, .. }) if is_full(&source) => Err(StoreError::Full),
            Err(error) => Err(StoreError::Unavailable(Arc::new(error))),
        }
    }

    /// Writes rows, including the store's own.
    pub(crate) fn put(&self, rows: &Overlay) -> Result<(), StoreError> {
        self.0.commit(rows, &[]).map_err(|failure| match failure {
            StoreFailure::Transient(error) => error,
            StoreFailure::Fatal(fatal) => StoreError::Unavailable(Arc::new(fatal)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::MemoryDisk;
    use std::io;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A disk with room for some writes only.
    #[derive(Debug)]
    struct FullDisk {
        inner: MemoryDisk,
        left: AtomicUsize,
    }

    impl Disk for FullDisk {
        fn size(&self) -> io::Result<u64> {
            self.inner.size()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.inner.read(offset, out)
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            let take = |left: usize| left.checked_sub(1);
            match (self.left).fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
                Ok(_) => self.inner.write(offset, data),
                Err(_none) => Err(io::ErrorKind::StorageFull.into()),
            }
        }

        fn resize(&self, size: u64) -> io::Result<()> {
            self.inner.resize(size)
        }

        fn sync(&self) -> io::Result<()> {
            self.inner.sync()
        }

        fn try_lock(&self) -> io::Result<bool> {
            self.inner.try_lock()
        }

        fn unlock(&self) -> io::Result<()> {
            self.inner.unlock()
        }
    }

    #[test]
    fn full_disk_is_told_wherever_it_is_met() {
        let mut rows = Overlay::default();
        rows.set(b"key", Some(b"value"));
        let write = |left: usize| {
            let disk = FullDisk {
                inner: MemoryDisk::default(),
                left: AtomicUsize::new(left),
            };
            CopyWriter::create(Arc::new(disk), "copy")?.put(&rows)
        };
        let failures = (0..)
            .map(write)
            .take_while(Result::is_err)
            .inspect(|failed| assert!(matches!(failed, Err(StoreError::Full)), "{failed:?}"))
            .count();
        assert!(failures > 2, "only {failures} writes make a copy");
    }
}
