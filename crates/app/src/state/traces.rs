//! Traces of identities, which a restart ends.

use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::trace::Trace;
use std::collections::BTreeMap;

/// Traced identities by record number.
#[derive(Debug, Default)]
pub(crate) struct Traces(Mutex<BTreeMap<RecordNumber, Trace>>);

impl Traces {
    pub(crate) fn set(&self, identity: RecordNumber, trace: Option<Trace>) {
        let mut traces = self.0.lock();
        match trace {
            Some(trace) => traces.insert(identity, trace),
            None => traces.remove(&identity),
        };
    }

    pub(crate) fn find(&self, identity: RecordNumber, now: Timestamp) -> Option<Trace> {
        let traces = self.0.lock();
        traces
            .get(&identity)
            .filter(|trace| now < trace.until)
            .cloned()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().len()
    }

    pub(crate) fn retain(&self, keep: impl Fn(RecordNumber, &Trace) -> bool) {
        self.0.lock().retain(|number, trace| keep(*number, trace));
    }
}
