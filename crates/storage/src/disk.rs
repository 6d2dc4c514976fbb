//! What a store lies on: a file, or memory.

mod file;
mod memory;

use std::fmt::Debug;
use std::io;

pub use file::FileDisk;
pub use memory::MemoryDisk;

/// Bytes at offsets, to be synced.
///
/// The engine works on this port alone, so that tests can put a disk under it that fills up,
/// fails or loses what was not synced.
pub trait Disk: Debug + Send + Sync {
    /// The length in bytes.
    fn size(&self) -> io::Result<u64>;

    /// Fills `out` from `offset` on; reading past the end is an error.
    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;

    /// Writes `data` at `offset`.
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Cuts or extends to `size` bytes; new ones are zero.
    fn resize(&self, size: u64) -> io::Result<()>;

    /// Returns once everything written so far survives a loss of power.
    fn sync(&self) -> io::Result<()>;

    /// Takes the disk for one store; `false` when another has it.
    fn try_lock(&self) -> io::Result<bool>;

    /// Gives the disk up again.
    fn unlock(&self) -> io::Result<()>;
}
