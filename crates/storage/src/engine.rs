//! The port of a storage engine: ordered bytes, one writer, groups of committed changes.

mod error;
mod outcome;
mod range;
mod readings;
pub(crate) mod ticket;

use crate::feed::{Feed, Group};
use crate::key::Kind;
use crate::lock;
use std::ops::ControlFlow;
use std::sync::{self, Arc};

pub use error::{Abort, CommitError, Overloaded, StoreError};
pub use outcome::{Outcome, submit_with};
pub use range::KeyRange;
pub use readings::Readings;
pub use ticket::{Committed, Ticket};

/// Called with the key and the value of each row of a scan; breaks to end it early.
pub type Visit<'v> = dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>, StoreError> + 'v;

/// Reads rows as of one moment.
pub trait ReadTx {
    /// Reads the value under `key`; `None` when there is no such row.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Visits the rows of `range` in ascending order of their keys' bytes.
    ///
    /// An error of `visit` ends the scan and is handed back.
    fn scan(&self, range: &KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError>;

    /// What was made of rows that were read so far, where they cannot change any more: of this state
    /// alone. Whatever wraps a view hands on that of the view.
    fn readings(&self) -> Option<&Readings> {
        None
    }
}

/// A [`ReadTx`] that outlives the call that made it.
pub trait Snapshot: ReadTx + Send + Sync {
    /// Tells the revision of the last group that the snapshot contains.
    fn revision(&self) -> Result<u64, StoreError>;
}

/// Reads and writes rows inside a body; the body reads what it wrote.
pub trait WriteTx<C>: ReadTx {
    /// Sets the value under `key`.
    ///
    /// Keys that begin with a zero byte are the store's own (see [`crate::key`]).
    fn put(&mut self, key: &[u8], value: &[u8]);

    /// Removes the row under `key`; nothing happens when there is none.
    fn delete(&mut self, key: &[u8]);

    /// Adds `change` to what observers are told once the body is committed.
    fn record(&mut self, change: C);
}

/// Work to be done inside a transaction.
///
/// A body may run more than once and has no effects besides its transaction. It does no
/// cryptography, reads no clock and waits for nothing: all other bodies stand behind it.
pub type Body<C> = Box<dyn FnMut(&mut dyn WriteTx<C>) -> Result<(), Abort> + Send>;

/// Follows committed groups.
pub trait Observer<C>: Send + Sync {
    /// Applies `group`.
    ///
    /// Called on the writer's thread, in commit order, after the group is on disk and before any
    /// of its tickets resolves. An observer that panics ends the process, since what it keeps
    /// would no longer agree with the store. It must not wait for a ticket.
    fn committed(&self, group: &Arc<Group<C>>);
}

/// An ordered store of bytes with one writer.
pub trait Engine<C: Send + Sync + 'static>: Send + Sync {
    /// Queues `body` for the next group.
    ///
    /// The body is committed even if the ticket is dropped.
    ///
    /// # Errors
    ///
    /// [`Overloaded`] when the queue is full; the body was not taken.
    fn submit(&self, body: Body<C>) -> Result<Ticket, Overloaded>;

    /// Gives a view of everything committed so far. Those who ask between two commits may share one.
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError>;

    /// The latest committed groups.
    fn feed(&self) -> &Feed<C>;

    /// Draws a number for a new record of `kind`, starting from 1.
    ///
    /// Numbers grow and may leave gaps. A number that a committed body wrote is never drawn again,
    /// not even after a crash.
    fn allocate(&self, kind: Kind) -> u64;

    /// Has `observer` called for each group committed from now on.
    fn observe(&self, observer: Arc<dyn Observer<C>>);
}
