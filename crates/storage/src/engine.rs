//! Port of a storage engine: ordered rows, a single writer, group commit.

mod error;
mod result_ticket;
mod ticket;

use crate::feed::{CommitGroup, Feed};
use crate::key::Kind;
use crate::sync::lock;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{self, Arc};

pub use crate::key::KeyRange;
pub use error::{Abort, CommitError, CopyError, OverloadedError, StoreError};
pub use result_ticket::{ResultTicket, submit_with};
pub use ticket::{Committed, Resolver, Ticket};

/// Visitor for the rows of a scan; breaks to end it early.
pub type RowVisitor<'v> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>, StoreError> + 'v;

/// Reads rows as of one moment.
pub trait ReadTx {
    /// Reads the value under `key`; `None` when there is no such row.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Visits the rows of `range` in ascending key order.
    ///
    /// An error of `visit` ends the scan and is returned.
    fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError>;
}

/// A [`ReadTx`] that outlives the call that made it.
pub trait Snapshot: ReadTx + Send + Sync {
    /// Revision of the last group in the snapshot.
    fn revision(&self) -> Result<u64, StoreError>;

    /// Writes the contents to a new store at `path`, with mode 600. Only the position of the router data
    /// model ([`MODEL_POSITION_KEY`](crate::key::MODEL_POSITION_KEY)) is left out.
    ///
    /// The copy is written to `draft` in the same directory, and linked to its name once it is
    /// complete and synced. A leftover draft is removed, so nothing else may use that name.
    ///
    /// Commits go on during the copy.
    ///
    /// # Errors
    ///
    /// [`CopyError::Exists`] when `path` exists; it is never overwritten.
    fn write_copy(&self, draft: &Path, path: &Path) -> Result<(), CopyError>;
}

/// Reads and writes rows inside a body; reads see earlier writes.
pub trait WriteTx<C>: ReadTx {
    /// Sets the value under `key`.
    ///
    /// Keys that begin with a zero byte are reserved for the store (see [`crate::key`]).
    fn put(&mut self, key: &[u8], value: &[u8]);

    /// Removes the row under `key`, if any.
    fn delete(&mut self, key: &[u8]);

    /// Adds `change` to the committed group, for observers.
    fn record(&mut self, change: C);
}

/// A transaction body.
///
/// A body may run more than once and has no side effects. It does no cryptography, reads no clock
/// and never blocks: all other bodies wait behind it.
pub type TxBody<C> = Box<dyn FnMut(&mut dyn WriteTx<C>) -> Result<(), Abort> + Send>;

/// Observer of committed groups.
pub trait Observer<C>: Send + Sync {
    /// Applies `group`.
    ///
    /// Called on the writer thread, in commit order, after the group is durable and before any of
    /// its tickets resolves. A panic ends the process, since the observer's state would no longer
    /// match the store. Must not wait for a ticket.
    fn on_commit(&self, group: &Arc<CommitGroup<C>>);
}

/// An ordered store of bytes with one writer.
pub trait Engine<C: Send + Sync + 'static>: Send + Sync {
    /// Queues `body` for the next group.
    ///
    /// The body is run even if the ticket is dropped.
    ///
    /// # Errors
    ///
    /// [`OverloadedError`] when the queue is full; the body is not queued.
    fn submit(&self, body: TxBody<C>) -> Result<Ticket, OverloadedError>;

    /// A view of everything committed so far.
    ///
    /// Callers may get the same one until the next commit.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError>;

    /// The latest committed groups.
    fn feed(&self) -> &Feed<C>;

    /// Allocates a number for a new record of `kind`, starting from 1.
    ///
    /// Numbers are ascending, with gaps. A number written by a committed body is never allocated
    /// again, not even after a crash.
    fn allocate(&self, kind: Kind) -> u64;

    /// Registers an observer for future groups.
    fn observe(&self, observer: Arc<dyn Observer<C>>);
}
