//! The embedded engine of the store: one redb table, one writer thread, group commit.
//!
//! Code shared by the threads takes locks and tickets from here by way of `super`, so that
//! `interleavings` can compile it again with the types of loom.
//!
//! # Examples
//!
//! ```
//! use portcullis_storage::engine::{Engine as _, ReadTx as _, StoreError, submit_with};
//! use portcullis_storage_redb::{Options, RedbEngine};
//!
//! let engine: RedbEngine<&str> = RedbEngine::in_memory(Options::default())?;
//! let outcome = submit_with(&engine, |tx| {
//!     tx.put(b"door", b"closed");
//!     tx.record("door written");
//!     Ok::<_, StoreError>("done")
//! })?;
//! assert_eq!(outcome.wait()??, "done");
//! assert_eq!(engine.snapshot()?.get(b"door")?.as_deref(), Some(&b"closed"[..]));
//! assert_eq!(engine.feed().revision(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backend;
mod copy;
mod copy_writer;
mod counters;
mod database;
pub mod disk;
pub mod guard;
#[cfg(test)]
mod interleavings;
mod meta;
mod options;
mod overlay;
mod queue;
mod reader;
mod shared;
mod shared_view;
mod writer;

use crate::disk::{Disk, FileDisk, MemoryDisk, ScratchDisk};
use database::Store;
use portcullis_storage::directory::sync_directory_of;
use portcullis_storage::engine::{
    Committed, Engine, Observer, OverloadedError, Resolver, Snapshot, StoreError, Ticket, TxBody,
};
use portcullis_storage::feed::Feed;
use portcullis_storage::key::Kind;
use shared::Shared;
use std::path::{Path, PathBuf};
use std::sync::{self, Arc};
use std::thread::JoinHandle;
use std::{fs, io};

pub use options::{
    FatalError, FatalHandler, Migration, OpenError, Options, SCHEMA_VERSION, Schema,
};

/// An [`Engine`] on a redb database.
///
/// Dropping the engine commits what is still queued.
pub struct RedbEngine<C> {
    shared: Arc<Shared<C>>,
    writer: Option<JoinHandle<()>>,
}

impl<C: Send + Sync + 'static> RedbEngine<C> {
    /// Opens the store at `path`, or creates it with mode 600.
    ///
    /// # Errors
    ///
    /// [`OpenError`] with the file and the cause.
    pub fn open(path: &Path, options: Options) -> Result<Self, OpenError> {
        let place = path.display().to_string();
        let io = |source| OpenError::Io {
            place: place.clone(),
            source,
        };
        if !path.try_exists().map_err(io)? {
            create(path, &options)?;
        }
        let disk = FileDisk::open(path).map_err(io)?;
        Self::start(Arc::new(disk), &place, options)
    }

    /// Opens the store at `path`, whose file stays as it is: what is written is kept in memory.
    ///
    /// # Errors
    ///
    /// [`OpenError`] with the file and the cause.
    pub fn open_unchanged(path: &Path, options: Options) -> Result<Self, OpenError> {
        let place = path.display().to_string();
        match ScratchDisk::open(path) {
            Ok(disk) => Self::start(Arc::new(disk), &place, options),
            Err(source) => Err(OpenError::Io { place, source }),
        }
    }

    /// Creates a store in memory.
    pub fn in_memory(options: Options) -> Result<Self, OpenError> {
        Self::on_disk(Arc::new(MemoryDisk::default()), options)
    }

    /// Opens the store on `disk`; an empty disk becomes a new store.
    pub fn on_disk(disk: Arc<dyn Disk>, options: Options) -> Result<Self, OpenError> {
        Self::start(disk, "the disk", options)
    }

    fn start(disk: Arc<dyn Disk>, place: &str, options: Options) -> Result<Self, OpenError> {
        let (store, state) = Store::open(disk, place, &options)?;
        let shared = Arc::new(Shared::new(store, &state, options));
        let served = Arc::clone(&shared);
        let writer = std::thread::Builder::new()
            .name("store-writer".into())
            .spawn(move || writer::run(&served))
            .map_err(|source| OpenError::Io {
                place: place.to_owned(),
                source,
            })?;
        Ok(Self {
            shared,
            writer: Some(writer),
        })
    }
}

/// Creates a store that appears under its name only once it is complete.
///
/// An interrupted creation would otherwise look like a store that has lost its rows.
fn create(path: &Path, options: &Options) -> Result<(), OpenError> {
    let draft = draft(path);
    // Errors name the store, not the draft.
    let place = path.display().to_string();
    let io = |source| OpenError::Io {
        place: place.clone(),
        source,
    };
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
        _ => {},
    }
    let disk = FileDisk::create(&draft).map_err(io)?;
    drop(Store::open(Arc::new(disk), &place, options)?);
    match fs::hard_link(&draft, path) {
        // Another process was faster; open its store.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(io(error));
        },
        _ => {},
    }
    fs::remove_file(&draft).map_err(io)?;
    sync_directory_of(path).map_err(io)
}

fn draft(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

impl<C: Send + Sync + 'static> Engine<C> for RedbEngine<C> {
    fn submit(&self, body: TxBody<C>) -> Result<Ticket, OverloadedError> {
        self.shared.submit(body)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        Ok(self.shared.snapshot()?)
    }

    fn feed(&self) -> &Feed<C> {
        &self.shared.feed
    }

    fn allocate(&self, kind: Kind) -> u64 {
        self.shared.counters.draw(kind)
    }

    fn observe(&self, observer: Arc<dyn Observer<C>>) {
        self.shared.observe(observer);
    }
}

impl<C> std::fmt::Debug for RedbEngine<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedbEngine")
            .field("revision", &self.shared.feed.revision())
            .finish_non_exhaustive()
    }
}

impl<C> Drop for RedbEngine<C> {
    fn drop(&mut self) {
        self.shared.queue.close();
        if let Some(writer) = self.writer.take()
            // An observer that owns the engine last drops it on the writer thread.
            && writer.thread().id() != std::thread::current().id()
        {
            // The writer catches its own panics, so the result of the join does not matter.
            let _ = writer.join();
        }
    }
}

/// Locks a mutex, ignoring poisoning.
fn lock<T>(mutex: &sync::Mutex<T>) -> sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(sync::PoisonError::into_inner)
}
