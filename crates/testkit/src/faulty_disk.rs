//! Disk with injected failures.

use portcullis_storage_redb::disk::{Disk, MemoryDisk};
use std::io;
use std::sync::Mutex;

/// A disk in memory whose writes or syncs can be made to fail.
#[derive(Debug, Default)]
pub struct FaultyDisk {
    inner: MemoryDisk,
    failing: Mutex<Option<(DiskCall, io::ErrorKind)>>,
}

/// Calls of a disk that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskCall {
    /// Writing and resizing.
    Write,
    Sync,
}

impl FaultyDisk {
    /// Makes a type of calls fail.
    pub fn fail(&self, call: DiskCall, kind: io::ErrorKind) {
        *self.failing.lock().unwrap() = Some((call, kind));
    }

    /// Makes all calls succeed again.
    pub fn recover(&self) {
        *self.failing.lock().unwrap() = None;
    }

    fn check(&self, call: DiskCall) -> io::Result<()> {
        match *self.failing.lock().unwrap() {
            Some((failing, kind)) if failing == call => Err(kind.into()),
            _ => Ok(()),
        }
    }
}

impl Disk for FaultyDisk {
    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check(DiskCall::Write)?;
        self.inner.write(offset, data)
    }

    fn resize(&self, size: u64) -> io::Result<()> {
        self.check(DiskCall::Write)?;
        self.inner.resize(size)
    }

    fn sync(&self) -> io::Result<()> {
        self.check(DiskCall::Sync)?;
        self.inner.sync()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}
