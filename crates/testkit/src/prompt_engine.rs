//! Engine whose transactions are over when they have been submitted.

use portcullis_domain::change::Change;
use portcullis_storage::engine::{
    Engine, Observer, OverloadedError, Snapshot, StoreError, Ticket, TxBody,
};
use portcullis_storage::feed::Feed;
use portcullis_storage::key::Kind;
use std::sync::Arc;

/// An engine that lets the submitter wait, so that tests in virtual time wait for no other thread: time
/// would pass meanwhile.
pub(crate) struct PromptEngine(pub(crate) Arc<dyn Engine<Change>>);

impl Engine<Change> for PromptEngine {
    fn submit(&self, body: TxBody<Change>) -> Result<Ticket, OverloadedError> {
        let result = self.0.submit(body)?.wait();
        let (ticket, resolver) = Ticket::new();
        resolver.resolve(result);
        Ok(ticket)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        self.0.snapshot()
    }

    fn feed(&self) -> &Feed<Change> {
        self.0.feed()
    }

    fn allocate(&self, kind: Kind) -> u64 {
        self.0.allocate(kind)
    }

    fn observe(&self, observer: Arc<dyn Observer<Change>>) {
        self.0.observe(observer);
    }
}
