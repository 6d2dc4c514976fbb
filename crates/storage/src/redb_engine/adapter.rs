//! Puts a [`Disk`] under redb and remembers how it failed.

use crate::disk::Disk;
use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What became of one opening of a database.
///
/// redb tells that a call failed but not which kind of call, and refuses all further ones after
/// any failure; whether a commit may be answered or the process has to end hangs on the kind.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// A sync failed: what is on the disk is unknown from here on.
    sync_failed: AtomicBool,
    /// A write failed for another reason than want of room.
    write_failed: AtomicBool,
    /// The database has to be opened anew before it is used again.
    stale: AtomicBool,
    /// The database has been replaced; nothing may reach the disk through it.
    retired: AtomicBool,
}

impl Watch {
    pub(super) fn lost_writes(&self) -> bool {
        self.sync_failed.load(Ordering::Acquire) || self.write_failed.load(Ordering::Acquire)
    }

    pub(super) fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
    }

    pub(super) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Acquire)
    }

    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    fn check(&self) -> io::Result<()> {
        if self.retired.load(Ordering::Acquire) {
            return Err(io::Error::other("the store has been opened anew"));
        }
        Ok(())
    }
}

/// Tells whether an error means that there is no room.
pub(super) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

#[derive(Debug)]
pub(super) struct Adapter {
    disk: Arc<dyn Disk>,
    watch: Arc<Watch>,
    locked: AtomicBool,
}

impl Adapter {
    pub(super) fn new(disk: Arc<dyn Disk>, watch: Arc<Watch>) -> Self {
        Self {
            disk,
            watch,
            locked: AtomicBool::new(false),
        }
    }

    fn note_write(&self, result: io::Result<()>) -> io::Result<()> {
        result.inspect_err(|error| {
            if !is_full(error) {
                self.watch.write_failed.store(true, Ordering::Release);
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

/// Tells whether a range is that of the whole disk, the only one that can be locked.
fn is_whole(start: Bound<u64>, end: Bound<u64>) -> bool {
    matches!(start, Bound::Unbounded | Bound::Included(0)) && end == Bound::Unbounded
}

impl StorageBackend for Adapter {
    fn len(&self) -> io::Result<u64> {
        self.watch.check()?;
        self.disk.size()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.watch.check()?;
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.watch.check()?;
        self.note_write(self.disk.resize(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.watch.check()?;
        self.disk
            .sync()
            .inspect_err(|_| self.watch.sync_failed.store(true, Ordering::Release))
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.watch.check()?;
        self.note_write(self.disk.write(offset, data))
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

impl Drop for Adapter {
    fn drop(&mut self) {
        // A database that was given up half-open must not keep the disk from the next one.
        if let Err(error) = self.release() {
            tracing::warn!("the store's lock cannot be given up: {error}");
        }
    }
}
