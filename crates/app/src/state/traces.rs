//! Traces of identities, which a restart ends.

use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{IdentityId, RecordNumber};
use portcullis_domain::trace::Trace;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Traced identities.
#[derive(Debug, Default)]
pub(crate) struct Traces {
    /// Whether there may be any; read without the lock, for each circuit.
    are_any: AtomicBool,
    traced: Mutex<BTreeMap<IdentityId, Traced>>,
}

#[derive(Debug)]
struct Traced {
    number: RecordNumber,
    trace: Trace,
}

impl Traces {
    pub(crate) fn set(&self, identity: &IdentityId, number: RecordNumber, trace: Option<Trace>) {
        let mut traced = self.traced.lock();
        match trace {
            Some(trace) => traced.insert(identity.clone(), Traced { number, trace }),
            None => traced.remove(identity),
        };
        self.are_any.store(!traced.is_empty(), Ordering::Relaxed);
    }

    pub(crate) fn are_any(&self) -> bool {
        self.are_any.load(Ordering::Relaxed)
    }

    pub(crate) fn find(&self, identity: &IdentityId, now: Timestamp) -> Option<Trace> {
        let traced = self.traced.lock();
        let found = traced.get(identity).map(|traced| &traced.trace);
        found.filter(|trace| now < trace.until).cloned()
    }

    pub(crate) fn len(&self) -> usize {
        self.traced.lock().len()
    }

    pub(crate) fn retain(&self, keep: impl Fn(RecordNumber, &Trace) -> bool) {
        let mut traced = self.traced.lock();
        traced.retain(|_, traced| keep(traced.number, &traced.trace));
        self.are_any.store(!traced.is_empty(), Ordering::Relaxed);
    }
}
