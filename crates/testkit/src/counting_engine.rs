//! Engine wrapper that counts reads and transactions.

use portcullis_domain::change::Change;
use portcullis_storage::engine::{
    CopyError, Engine, KeyRange, Observer, OverloadedError, ReadTx, RowVisitor, Snapshot,
    StoreError, Ticket, TxBody,
};
use portcullis_storage::feed::Feed;
use portcullis_storage::key::Kind;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// An engine that counts submitted bodies and the rows that are read in its snapshots.
pub(crate) struct CountingEngine {
    /// Shared for as long as the engine shares the snapshot underneath. Dropped before the engine.
    latest: Mutex<Option<Arc<CountingSnapshot>>>,
    engine: Arc<dyn Engine<Change>>,
    counts: Arc<EngineCounts>,
}

/// Counters of an engine.
#[derive(Debug, Default)]
pub(crate) struct EngineCounts {
    /// Rows read in snapshots.
    pub(crate) reads: AtomicU64,
    /// Bodies submitted.
    pub(crate) bodies: AtomicU64,
}

struct CountingSnapshot {
    snapshot: Arc<dyn Snapshot>,
    counts: Arc<EngineCounts>,
}

impl CountingEngine {
    pub(crate) fn new(engine: impl Engine<Change> + 'static) -> Self {
        Self {
            latest: Mutex::default(),
            engine: Arc::new(engine),
            counts: Arc::default(),
        }
    }

    pub(crate) fn counts(&self) -> Arc<EngineCounts> {
        Arc::clone(&self.counts)
    }
}

impl Engine<Change> for CountingEngine {
    fn submit(&self, body: TxBody<Change>) -> Result<Ticket, OverloadedError> {
        let ticket = self.engine.submit(body)?;
        self.counts.bodies.fetch_add(1, Ordering::Relaxed);
        Ok(ticket)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        let snapshot = self.engine.snapshot()?;
        let mut latest = self.latest.lock().unwrap();
        if let Some(latest) = &*latest
            && Arc::ptr_eq(&latest.snapshot, &snapshot)
        {
            return Ok(Arc::clone(latest) as Arc<dyn Snapshot>);
        }
        let counting = Arc::new(CountingSnapshot {
            snapshot,
            counts: self.counts(),
        });
        *latest = Some(Arc::clone(&counting));
        Ok(counting)
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

impl ReadTx for CountingSnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.counts.reads.fetch_add(1, Ordering::Relaxed);
        self.snapshot.get(key)
    }

    fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        self.snapshot.scan(range, &mut |key, value| {
            self.counts.reads.fetch_add(1, Ordering::Relaxed);
            visit(key, value)
        })
    }
}

impl Snapshot for CountingSnapshot {
    fn revision(&self) -> Result<u64, StoreError> {
        self.snapshot.revision()
    }

    fn write_copy(&self, draft: &Path, path: &Path) -> Result<(), CopyError> {
        self.snapshot.write_copy(draft, path)
    }
}
