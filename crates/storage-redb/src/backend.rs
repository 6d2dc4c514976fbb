//! redb storage backend on a [`Disk`], with failure tracking.

use crate::disk::Disk;
use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Failure state of one opened database.
///
/// redb reports that a call failed but not which kind, and refuses all further calls after a
/// failure. Whether a commit may be answered or the process has to end depends on the kind.
#[derive(Debug, Default)]
pub(crate) struct DatabaseHealth {
    /// A sync failed: the state of the disk is unknown.
    sync_failed: AtomicBool,
    /// A write failed for another reason than a full disk.
    write_failed: AtomicBool,
    /// The database has to be reopened before further use.
    stale: AtomicBool,
    /// The database has been replaced and must not touch the disk any more.
    retired: AtomicBool,
}

impl DatabaseHealth {
    pub(crate) fn lost_writes(&self) -> bool {
        self.sync_failed.load(Ordering::Acquire) || self.write_failed.load(Ordering::Acquire)
    }

    pub(crate) fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
    }

    pub(crate) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Acquire)
    }

    pub(crate) fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    fn ensure_active(&self) -> io::Result<()> {
        if self.retired.load(Ordering::Acquire) {
            return Err(io::Error::other("the store has been reopened"));
        }
        Ok(())
    }
}

/// Whether an error means that the disk is full.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

#[derive(Debug)]
pub(crate) struct DiskBackend {
    disk: Arc<dyn Disk>,
    health: Arc<DatabaseHealth>,
    locked: AtomicBool,
}

impl DiskBackend {
    pub(crate) fn new(disk: Arc<dyn Disk>, health: Arc<DatabaseHealth>) -> Self {
        Self {
            disk,
            health,
            locked: AtomicBool::new(false),
        }
    }

    fn track_write(&self, result: io::Result<()>) -> io::Result<()> {
        result.inspect_err(|error| {
            if !is_full(error) {
                self.health.write_failed.store(true, Ordering::Release);
            }
        })
    }

    fn release(&self) -> io::Result<()> {
        if self.locked.swap(false, Ordering::AcqRel) {
            self.disk.unlock()?;
        }
        Ok(())
    }
}

/// Whether a range covers the whole disk; others cannot be locked.
fn is_whole(start: Bound<u64>, end: Bound<u64>) -> bool {
    matches!(start, Bound::Unbounded | Bound::Included(0)) && end == Bound::Unbounded
}

impl StorageBackend for DiskBackend {
    fn len(&self) -> io::Result<u64> {
        self.health.ensure_active()?;
        self.disk.size()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.health.ensure_active()?;
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.health.ensure_active()?;
        self.track_write(self.disk.resize(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.health.ensure_active()?;
        self.disk
            .sync()
            .inspect_err(|_| self.health.sync_failed.store(true, Ordering::Release))
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.health.ensure_active()?;
        self.track_write(self.disk.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.release()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if !is_whole(start, end) {
            return Err(BackendError::Unsupported);
        }
        let taken = self.disk.try_lock().map_err(BackendError::from)?;
        if taken {
            self.locked.store(true, Ordering::Release);
        }
        Ok(taken)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if !is_whole(start, end) {
            return Err(BackendError::Unsupported);
        }
        self.release().map_err(BackendError::from)
    }
}

impl Drop for DiskBackend {
    fn drop(&mut self) {
        // A partially opened database must release the disk for the next one.
        if let Err(error) = self.release() {
            tracing::warn!("the lock of the store cannot be released: {error}");
        }
    }
}
