//! A store that counts what is read of it.

use portcullis_domain::change::Change;
use portcullis_storage::engine::{
    Body, Engine, KeyRange, Observer, Overloaded, ReadTx, Snapshot, StoreError, Ticket, Visit,
};
use portcullis_storage::feed::Feed;
use portcullis_storage::key::Kind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An engine whose snapshots count the rows that are read in them.
pub(crate) struct Counted {
    engine: Arc<dyn Engine<Change>>,
    reads: Arc<AtomicU64>,
}

struct CountedSnapshot {
    snapshot: Box<dyn Snapshot>,
    reads: Arc<AtomicU64>,
}

impl Counted {
    pub(crate) fn new(engine: impl Engine<Change> + 'static) -> Self {
        Self {
            engine: Arc::new(engine),
            reads: Arc::default(),
        }
    }

    /// How many rows were read, counted on from where it is.
    pub(crate) fn reads(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.reads)
    }
}

impl Engine<Change> for Counted {
    fn submit(&self, body: Body<Change>) -> Result<Ticket, Overloaded> {
        self.engine.submit(body)
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(CountedSnapshot {
            snapshot: self.engine.snapshot()?,
            reads: self.reads(),
        }))
    }

    fn feed(&self) -> &Feed<Change> {
        self.engine.feed()
    }

    fn allocate(&self, kind: Kind) -> u64 {
        self.engine.allocate(kind)
    }

    fn observe(&self, observer: Arc<dyn Observer<Change>>) {
        self.engine.observe(observer);
    }
}

impl ReadTx for CountedSnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.snapshot.get(key)
    }

    fn scan(&self, range: &KeyRange, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.snapshot.scan(range, &mut |key, value| {
            self.reads.fetch_add(1, Ordering::Relaxed);
            visit(key, value)
        })
    }
}

impl Snapshot for CountedSnapshot {
    fn revision(&self) -> Result<u64, StoreError> {
        self.snapshot.revision()
    }
}
