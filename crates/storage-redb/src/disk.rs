//! Storage media of a store: a file, or memory.

mod file;
mod memory;
mod scratch;

use std::fmt::Debug;
use std::io;

pub use file::FileDisk;
pub use memory::MemoryDisk;
pub use scratch::ScratchDisk;

/// A random-access byte device.
///
/// The engine uses only this port, so that tests can simulate disks that fill up, fail or lose
/// unsynced data.
pub trait Disk: Debug + Send + Sync {
    /// The length in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Reads `out.len()` bytes at `offset`; reading past the end is an error.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Writes `data` at `offset`.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Truncates or extends to `size` bytes; new ones are zero.
    fn resize(&self, size: u64) -> io::Result<()>;

    /// Makes all previous writes durable.
    fn sync(&self) -> io::Result<()>;

    /// Locks the disk for one store; `false` when it is already locked.
    fn try_lock(&self) -> io::Result<bool>;

    fn unlock(&self) -> io::Result<()>;
}
