//! Disks over files that stay as they are.

use super::Disk;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const PAGE_BYTES: usize = 4096;

type Page = [u8; PAGE_BYTES];

/// A file that is only read: what is written over it is kept in memory, and lost in the end.
///
/// So a store can be opened, which may repair or migrate it, without a change to its file.
#[derive(Debug)]
pub struct ScratchDisk {
    file: File,
    written: RwLock<Written>,
}

/// What differs from the file.
#[derive(Debug)]
struct Written {
    size: u64,
    /// Bytes of the file that are still there; after them come zeros.
    kept: u64,
    pages: BTreeMap<u64, Box<Page>>,
}

impl ScratchDisk {
    /// Opens an existing file for reading.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let written = RwLock::new(Written {
            size,
            kept: size,
            pages: BTreeMap::new(),
        });
        Ok(Self { file, written })
    }

    fn written(&self) -> RwLockReadGuard<'_, Written> {
        self.written.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn written_mut(&self) -> RwLockWriteGuard<'_, Written> {
        self.written.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A page as it is now.
    fn page(&self, written: &Written, number: u64) -> io::Result<Box<Page>> {
        if let Some(page) = written.pages.get(&number) {
            return Ok(page.clone());
        }
        let mut page = Box::new([0; PAGE_BYTES]);
        let offset = number * PAGE_BYTES as u64;
        let kept = written.kept.saturating_sub(offset);
        let length = usize::try_from(kept).map_or(PAGE_BYTES, |kept| kept.min(PAGE_BYTES));
        if let Some(kept) = page.get_mut(..length) {
            self.file.read_exact_at(kept, offset)?;
        }
        Ok(page)
    }
}

/// The parts of pages that a range of bytes covers: number of the page, and offsets in it and in the range.
fn parts(offset: u64, length: usize) -> impl Iterator<Item = (u64, usize, usize, usize)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let left = length.checked_sub(done).filter(|left| *left > 0)?;
        let at = offset + done as u64;
        let within = usize::try_from(at % PAGE_BYTES as u64).ok()?;
        let count = left.min(PAGE_BYTES - within);
        let part = (at / PAGE_BYTES as u64, within, done, count);
        done += count;
        Some(part)
    })
}

impl Disk for ScratchDisk {
    fn size(&self) -> io::Result<u64> {
        Ok(self.written().size)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        let end = offset.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > written.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        for (number, within, done, count) in parts(offset, out.len()) {
            let page = self.page(&written, number)?;
            if let (Some(to), Some(from)) = (
                out.get_mut(done..done + count),
                page.get(within..within + count),
            ) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written_mut();
        for (number, within, done, count) in parts(offset, data.len()) {
            let mut page = self.page(&written, number)?;
            if let (Some(to), Some(from)) = (
                page.get_mut(within..within + count),
                data.get(done..done + count),
            ) {
                to.copy_from_slice(from);
            }
            written.pages.insert(number, page);
        }
        written.size = written.size.max(offset.saturating_add(data.len() as u64));
        Ok(())
    }

    fn resize(&self, size: u64) -> io::Result<()> {
        let mut written = self.written_mut();
        if size < written.size {
            let first = size.div_ceil(PAGE_BYTES as u64);
            let within = usize::try_from(size % PAGE_BYTES as u64).unwrap_or_default();
            written.pages.split_off(&first);
            if let Some(rest) = written
                .pages
                .get_mut(&(size / PAGE_BYTES as u64))
                .and_then(|page| page.get_mut(within..))
            {
                rest.fill(0);
            }
        }
        written.kept = written.kept.min(size);
        written.size = size;
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Others may read the file as well, but none may write it.
    fn try_lock(&self) -> io::Result<bool> {
        match self.file.try_lock_shared() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{FileDisk, MemoryDisk};

    /// Numbers that look random and are the same in each run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }
    }

    #[test]
    fn file_is_read_by_several_and_written_by_none_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let writer = FileDisk::create(&path).unwrap();
        let readers = [0; 2].map(|_| ScratchDisk::open(&path).unwrap());
        assert!(readers.iter().all(|disk| disk.try_lock().unwrap()));
        assert!(!writer.try_lock().unwrap());
        for disk in &readers {
            disk.unlock().unwrap();
        }
        assert!(writer.try_lock().unwrap());
        assert!(!readers[0].try_lock().unwrap());
    }

    #[test]
    fn it_behaves_like_memory_and_leaves_its_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let content: Vec<u8> = (0..251_u8).cycle().take(20_000).collect();
        std::fs::write(&path, &content).unwrap();
        let (scratch, memory) = (ScratchDisk::open(&path).unwrap(), MemoryDisk::default());
        memory.write(0, &content).unwrap();
        let mut numbers = Numbers(7);
        for step in (0..=u8::MAX).cycle().take(2000) {
            let offset = numbers.below(40_000);
            let length = usize::try_from(numbers.below(9000)).unwrap();
            match numbers.below(4) {
                0 => {
                    let data = vec![step; length];
                    for disk in [&scratch as &dyn Disk, &memory] {
                        disk.write(offset, &data).unwrap();
                    }
                },
                1 => {
                    scratch.resize(offset).unwrap();
                    memory.resize(offset).unwrap();
                },
                _ => {
                    let (mut found, mut expected) = (vec![1; length], vec![1; length]);
                    let outcomes = (
                        scratch.read(offset, &mut found).is_ok(),
                        memory.read(offset, &mut expected).is_ok(),
                    );
                    assert_eq!(outcomes.0, outcomes.1, "{step}");
                    assert!(!outcomes.0 || found == expected, "{step}");
                },
            }
            assert_eq!(scratch.size().unwrap(), memory.size().unwrap());
        }
        assert_eq!(std::fs::read(&path).unwrap(), content);
    }
}
