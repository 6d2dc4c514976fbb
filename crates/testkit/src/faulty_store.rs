//! Store with injected faults.

use portcullis_domain::change::Change;
use portcullis_storage::engine::{
    Abort, CopyError, Engine, KeyRange, Observer, OverloadedError, ReadTx, RowVisitor, Snapshot,
    StoreError, Ticket, TxBody, WriteTx,
};
use portcullis_storage::feed::Feed;
use portcullis_storage::key::{Kind, META_TAG};
use std::io;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Internal details of an error, which must never be disclosed.
const INTERNAL: &str = "redb::Error::Io: /var/lib/portcullis/store.db: os error 5 at page 0x1f40";

/// Fault of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFault {
    /// It does not respond.
    Unavailable,
    /// It has no space left.
    Full,
    Closed,
    /// Rows contain other bytes than were written.
    Damage,
    /// Reading panics.
    Panic,
    /// It accepts no more transactions.
    Overload,
}

/// Injects faults into the store of a controller, from a given call on.
///
/// Calls are those for views and for rows, in views and in transactions; for
/// [`StoreFault::Damage`], those for existing records, and for [`StoreFault::Overload`], submitted
/// transactions. Views that were opened before stay intact.
#[derive(Debug, Default)]
pub struct FaultInjector(Mutex<Option<ArmedFault>>);

#[derive(Debug)]
struct ArmedFault {
    fault: StoreFault,
    /// Calls that still succeed.
    remaining: u64,
    has_triggered: bool,
}

impl FaultInjector {
    /// Lets `after` more calls succeed, and makes all later ones fail.
    pub fn arm(&self, fault: StoreFault, after: u64) {
        *self.0.lock().unwrap() = Some(ArmedFault {
            fault,
            remaining: after,
            has_triggered: false,
        });
    }

    /// Lets all calls succeed again, and returns whether one has failed.
    pub fn disarm(&self) -> bool {
        let armed = self.0.lock().unwrap().take();
        armed.is_some_and(|armed| armed.has_triggered)
    }

    fn is_armed(&self) -> bool {
        self.0.lock().unwrap().is_some()
    }

    /// The fault that a call triggers, if it applies to such calls.
    fn trigger(&self, is_possible: fn(StoreFault) -> bool) -> Option<StoreFault> {
        let mut armed = self.0.lock().unwrap();
        let armed = armed.as_mut().filter(|armed| is_possible(armed.fault))?;
        if let Some(left) = armed.remaining.checked_sub(1) {
            armed.remaining = left;
            return None;
        }
        armed.has_triggered = true;
        Some(armed.fault)
    }

    /// Fails if a fault is triggered.
    fn call(&self) -> Result<(), StoreError> {
        match self.trigger(|fault| !matches!(fault, StoreFault::Damage | StoreFault::Overload)) {
            Some(StoreFault::Unavailable) => {
                let cause = Arc::new(io::Error::other(INTERNAL));
                Err(StoreError::Unavailable(cause))
            },
            Some(StoreFault::Full) => Err(StoreError::Full),
            Some(StoreFault::Closed) => Err(StoreError::Closed),
            // The same as a panic, less a line on standard error for each.
            Some(StoreFault::Panic) => resume_unwind(Box::new(INTERNAL)),
            Some(StoreFault::Damage | StoreFault::Overload) | None => Ok(()),
        }
    }

    /// Returns a value as read, or damages it. The store's own rows stay intact: it would rebuild
    /// the state of its trail if that were damaged.
    fn value(&self, key: &[u8], mut value: Vec<u8>) -> Vec<u8> {
        if key.first() != Some(&META_TAG)
            && self.trigger(|fault| fault == StoreFault::Damage).is_some()
            && let Some(last) = value.last_mut()
        {
            *last ^= 1;
        }
        value
    }

    fn get(&self, key: &[u8], from: &dyn ReadTx) -> Result<Option<Vec<u8>>, StoreError> {
        self.call()?;
        Ok(from.get(key)?.map(|value| self.value(key, value)))
    }

    /// Reads rows, each of which may be the one that fails.
    fn scan(
        &self,
        range: &KeyRange,
        from: &dyn ReadTx,
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), StoreError> {
        self.call()?;
        from.scan(range, &mut |key, value| {
            self.call()?;
            visit(key, &self.value(key, value.to_vec()))
        })
    }
}

/// An engine with injected faults.
pub(crate) struct FaultyEngine {
    engine: Arc<dyn Engine<Change>>,
    faults: Arc<FaultInjector>,
}

struct FaultySnapshot {
    snapshot: Arc<dyn Snapshot>,
    faults: Arc<FaultInjector>,
}

struct FaultyTx<'t> {
    tx: &'t mut dyn WriteTx<Change>,
    faults: &'t FaultInjector,
}

impl FaultyEngine {
    pub(crate) fn new(engine: Arc<dyn Engine<Change>>, faults: Arc<FaultInjector>) -> Self {
        Self { engine, faults }
    }
}

impl Engine<Change> for FaultyEngine {
    fn submit(&self, mut body: TxBody<Change>) -> Result<Ticket, OverloadedError> {
        let is_overloaded = self.faults.trigger(|fault| fault == StoreFault::Overload);
        if is_overloaded.is_some() {
            return Err(OverloadedError);
        }
        let faults = Arc::clone(&self.faults);
        self.engine.submit(Box::new(move |tx| -> Result<(), Abort> {
            body(&mut FaultyTx {
                tx,
                faults: &faults,
            })
        }))
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        self.faults.call()?;
        let snapshot = self.engine.snapshot()?;
        if !self.faults.is_armed() {
            return Ok(snapshot);
        }
        // A snapshot of its own for each caller: values cached for another would not be read again.
        Ok(Arc::new(FaultySnapshot {
            snapshot,
            faults: Arc::clone(&self.faults),
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

impl ReadTx for FaultySnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.faults.get(key, &*self.snapshot)
    }

    fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        self.faults.scan(range, &*self.snapshot, visit)
    }
}

impl Snapshot for FaultySnapshot {
    fn revision(&self) -> Result<u64, StoreError> {
        self.faults.call()?;
        let is_damaged = self.faults.trigger(|fault| fault == StoreFault::Damage);
        if is_damaged.is_some() {
            return Err(StoreError::corrupt(INTERNAL));
        }
        self.snapshot.revision()
    }

    fn write_copy(&self, draft: &Path, path: &Path) -> Result<(), CopyError> {
        self.faults.call()?;
        self.snapshot.write_copy(draft, path)
    }
}

impl ReadTx for FaultyTx<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.faults.get(key, &*self.tx)
    }

    fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        self.faults.scan(range, &*self.tx, visit)
    }
}

impl WriteTx<Change> for FaultyTx<'_> {
    fn put(&mut self, key: &[u8], value: &[u8]) {
        self.tx.put(key, value);
    }

    fn delete(&mut self, key: &[u8]) {
        self.tx.delete(key);
    }

    fn record(&mut self, change: Change) {
        self.tx.record(change);
    }
}
