//! A disk that fails when it is told to.

use portcullis_storage::disk::{Disk, MemoryDisk};
use std::io;
use std::sync::Mutex;

/// A disk in memory whose writes, or whose syncs, fail for as long as it is told to.
#[derive(Debug, Default)]
pub struct FaultyDisk {
    inner: MemoryDisk,
    failing: Mutex<Option<(DiskCall, io::ErrorKind)>>,
}

/// What a disk is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiskCall {
    /// To write.
    Write,
    /// To make what was written durable.
    Sync,
}

impl FaultyDisk {
    /// Makes a kind of calls fail.
    pub fn fail(&self, call: DiskCall, kind: io::ErrorKind) {
        *self.failing.lock().unwrap() = Some((call, kind));
    }

    /// Makes all calls succeed again.
    pub fn recover(&self) {
        *self.failing.lock().unwrap() = None;
    }

    fn pass(&self, call: DiskCall) -> io::Result<()> {
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
        self.pass(DiskCall::Write)?;
        self.inner.write(offset, data)
    }

    fn resize(&self, size: u64) -> io::Result<()> {
        self.pass(DiskCall::Write)?;
        self.inner.resize(size)
    }

    fn sync(&self) -> io::Result<()> {
        self.pass(DiskCall::Sync)?;
        self.inner.sync()
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.inner.try_lock()
    }

    fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }
}
