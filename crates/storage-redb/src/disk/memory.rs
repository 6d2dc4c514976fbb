//! Memory-backed disks.

use super::Disk;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A disk in memory, for tests and for embedding without a file.
#[derive(Default)]
pub struct MemoryDisk {
    bytes: RwLock<Vec<u8>>,
    locked: AtomicBool,
}

impl MemoryDisk {
    fn bytes(&self) -> RwLockReadGuard<'_, Vec<u8>> {
        self.bytes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes_mut(&self) -> RwLockWriteGuard<'_, Vec<u8>> {
        self.bytes.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for MemoryDisk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryDisk")
            .field("size", &self.bytes().len())
            .finish_non_exhaustive()
    }
}

/// The index range of `length` bytes at `offset`.
fn byte_range(offset: u64, length: usize) -> io::Result<std::ops::Range<usize>> {
    let start = usize::try_from(offset).map_err(io::Error::other)?;
    let end = start
        .checked_add(length)
        .ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
    Ok(start..end)
}

impl Disk for MemoryDisk {
    fn size(&self) -> io::Result<u64> {
        u64::try_from(self.bytes().len()).map_err(io::Error::other)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.bytes();
        let found = bytes
            .get(byte_range(offset, out.len())?)
            .ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.bytes_mut();
        let place = byte_range(offset, data.len())?;
        if bytes.len() < place.end {
            bytes.resize(place.end, 0);
        }
        if let Some(found) = bytes.get_mut(place) {
            found.copy_from_slice(data);
        }
        Ok(())
    }

    fn resize(&self, size: u64) -> io::Result<()> {
        let size = usize::try_from(size).map_err(io::Error::other)?;
        self.bytes_mut().resize(size, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        Ok(!self.locked.swap(true, Ordering::AcqRel))
    }

    fn unlock(&self) -> io::Result<()> {
        self.locked.store(false, Ordering::Release);
        Ok(())
    }
}
