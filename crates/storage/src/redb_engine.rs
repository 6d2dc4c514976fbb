//! The embedded engine: one redb table, one writer thread, group commit.

mod adapter;
mod copy_target;
mod counters;
mod database;
mod meta;
mod options;
mod queue;
mod reader;
mod shared_view;
mod writer;

use crate::disk::{Disk, FileDisk, MemoryDisk};
use crate::engine::{
    Body, CommitError, Engine, Observer, Overloaded, Snapshot, StoreError, Ticket,
};
use crate::feed::Feed;
use crate::key::Kind;
use counters::Counters;
use database::Store;
use queue::{Job, Queue};
use shared_view::SharedView;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::{fs, io};

pub(crate) use copy_target::CopyTarget;
pub use options::{Fatal, FatalHandler, Migration, OpenError, Options, SCHEMA_VERSION, Schema};

/// An [`Engine`] on a redb database.
///
/// Closing it, by dropping it, commits what is still queued.
pub struct RedbEngine<C> {
    shared: Arc<Shared<C>>,
    writer: Option<JoinHandle<()>>,
}

/// What callers and the writer's thread have in common.
struct Shared<C> {
    /// Ends before the store, which can then be closed in order.
    view: SharedView,
    store: Store,
    queue: Queue<C>,
    feed: Feed<C>,
    counters: Counters,
    observers: RwLock<Vec<Arc<dyn Observer<C>>>>,
    fatal: FatalHandler,
}

impl<C: Send + Sync + 'static> RedbEngine<C> {
    /// Opens the store at `path`, or creates it for its owner's eyes only.
    ///
    /// # Errors
    ///
    /// [`OpenError`] says what is wrong with which file.
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

    /// Makes a store in memory.
    pub fn in_memory(options: Options) -> Result<Self, OpenError> {
        Self::on_disk(Arc::new(MemoryDisk::default()), options)
    }

    /// Opens the store on `disk`; an empty disk becomes a new store.
    pub fn on_disk(disk: Arc<dyn Disk>, options: Options) -> Result<Self, OpenError> {
        Self::start(disk, "the disk", options)
    }

    fn start(disk: Arc<dyn Disk>, place: &str, options: Options) -> Result<Self, OpenError> {
        let (store, state) = Store::open(disk, place, &options)?;
        let shared = Arc::new(Shared {
            view: SharedView::default(),
            store,
            queue: Queue::new(options.queue_capacity),
            feed: Feed::new(state.revision, options.feed_capacity),
            counters: Counters::new(&state.counters),
            observers: RwLock::default(),
            fatal: options.fatal,
        });
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

/// Creates a store that appears under its name only once it is whole.
///
/// A store cut short while it is made would otherwise look like one that has lost its rows.
fn create(path: &Path, options: &Options) -> Result<(), OpenError> {
    let draft = draft(path);
    // Nobody has asked for a draft: it is the store that cannot be made.
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
        // Another process was faster; its store is opened.
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

/// Makes the names in the directory of `path` survive a loss of power.
pub(crate) fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::File::open(directory)?.sync_all()
}

impl<C: Send + Sync + 'static> Engine<C> for RedbEngine<C> {
    fn submit(&self, body: Body<C>) -> Result<Ticket, Overloaded> {
        let (ticket, resolver) = Ticket::new();
        self.shared.queue.push(Job { body, resolver })?;
        Ok(ticket)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        match self.shared.view.of(&self.shared.store) {
            Ok(view) => Ok(view),
            Err(error) => {
                // Only the writer may reopen a store, and without work it would not wake up.
                self.shared.queue.nudge();
                Err(error)
            },
        }
    }

    fn feed(&self) -> &Feed<C> {
        &self.shared.feed
    }

    fn allocate(&self, kind: Kind) -> u64 {
        self.shared.counters.draw(kind)
    }

    fn observe(&self, observer: Arc<dyn Observer<C>>) {
        self.shared
            .observers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(observer);
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
            // An observer that holds the engine's last owner drops it on the writer's own thread.
            && writer.thread().id() != std::thread::current().id()
        {
            // The writer catches its panics; there is nothing left to learn from the join.
            let _ = writer.join();
        }
    }
}

/// Turns the outcome of a group into what each of its tickets says.
type Verdict = Result<(), CommitError>;
