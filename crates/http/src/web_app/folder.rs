//! Files of an application on disk.

use super::WebApp;
use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Accesses at a time: a disk that hangs takes no more threads than these from others.
const MAX_ACCESSES: usize = 8;

/// Access to files, on threads that may block.
#[derive(Debug, Clone)]
pub(super) struct Disk {
    accesses: Arc<Semaphore>,
}

/// A file that was found. It is opened for each read, so that a client that reads slowly keeps none
/// open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenFile {
    /// Without symbolic links.
    pub(super) path: PathBuf,
    pub(super) version: Version,
}

/// What changes when a file is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) device: u64,
    pub(super) inode: u64,
    /// When it was last written, in seconds since 1970, and nanoseconds.
    pub(super) seconds: i64,
    pub(super) nanos: i64,
    /// Bytes.
    pub(super) length: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self {
            accesses: Arc::new(Semaphore::new(MAX_ACCESSES)),
        }
    }
}

impl Disk {
    /// Finds a file, or the index if there is no such file; `None` if there is no index either.
    pub(super) async fn open(&self, app: &WebApp, relative: PathBuf) -> Option<OpenFile> {
        let (location, index) = (app.location.clone(), app.index_file.clone());
        self.run(move || {
            let root = location.canonicalize()?;
            find(&root, &relative).or_else(|_no_file| find(&root, Path::new(&index)))
        })
        .await
        .inspect_err(|error| tracing::debug!(%error, "the application has no index"))
        .ok()
    }

    /// Reads bytes of a file, unless it has changed since it was found.
    pub(super) async fn read(&self, file: &OpenFile, range: Range<u64>) -> io::Result<Vec<u8>> {
        let file = file.clone();
        self.run(move || file.read(range)).await
    }

    /// Runs `work` on a thread that may block.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let accesses = Arc::clone(&self.accesses);
        let permit = accesses.acquire_owned().await.map_err(io::Error::other)?;
        let task = spawn_blocking(move || {
            let outcome = work();
            drop(permit);
            outcome
        });
        task.await.map_err(io::Error::other)?
    }
}

/// Finds a regular file in `root`, which has no symbolic links.
fn find(root: &Path, relative: &Path) -> io::Result<OpenFile> {
    let path = root.join(relative).canonicalize()?;
    if !path.starts_with(root) {
        return Err(io::Error::other("a symbolic link leads out of the folder"));
    }
    let metadata = path.metadata()?;
    // Opening a pipe might block, and reading one never end.
    if !metadata.is_file() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    File::open(&path)?;
    let version = Version::of(&metadata);
    Ok(OpenFile { path, version })
}

impl OpenFile {
    fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let changed = || io::Error::other("the file has changed");
        let file = File::open(&self.path)?;
        if Version::of(&file.metadata()?) != self.version {
            return Err(changed());
        }
        let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, range.start)?;
        // Written while it was read: the bytes may be of both.
        if Version::of(&file.metadata()?) != self.version {
            return Err(changed());
        }
        Ok(bytes)
    }
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            seconds: metadata.mtime(),
            nanos: metadata.mtime_nsec(),
            length: metadata.len(),
        }
    }
}
