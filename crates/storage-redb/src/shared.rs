//! State shared by callers and the writer thread.

use super::Ticket;
use super::counters::Counters;
use super::database::Store;
use super::meta::State;
use super::options::{FatalHandler, Options};
use super::queue::{Job, Queue};
use super::reader::Reader;
use super::shared_view::SharedView;
use super::sync::RwLock;
use portcullis_storage::engine::{Observer, OverloadedError, StoreError, TxBody};
use portcullis_storage::feed::Feed;
use std::sync::{Arc, PoisonError};

pub(crate) struct Shared<C> {
    /// Dropped before the store, so that the store can be closed properly.
    pub(crate) view: SharedView,
    pub(crate) store: Store,
    pub(crate) queue: Queue<C>,
    pub(crate) feed: Feed<C>,
    pub(crate) counters: Counters,
    pub(crate) fatal: FatalHandler,
    observers: RwLock<Vec<Arc<dyn Observer<C>>>>,
}

impl<C> Shared<C> {
    pub(crate) fn new(store: Store, state: &State, options: Options) -> Self {
        Self {
            view: SharedView::default(),
            store,
            queue: Queue::new(options.queue_capacity),
            feed: Feed::new(state.revision, options.feed_capacity),
            counters: Counters::new(&state.counters),
            fatal: options.fatal,
            observers: RwLock::default(),
        }
    }

    pub(crate) fn submit(&self, body: TxBody<C>) -> Result<Ticket, OverloadedError> {
        let (ticket, resolver) = Ticket::new();
        self.queue.push(Job { body, resolver })?;
        Ok(ticket)
    }

    pub(crate) fn snapshot(&self) -> Result<Arc<Reader>, StoreError> {
        // Only the writer may reopen the store, and it sleeps while the queue is empty.
        self.view
            .get(&self.store)
            .inspect_err(|_failed| self.queue.request_reopen())
    }

    pub(crate) fn observe(&self, observer: Arc<dyn Observer<C>>) {
        self.observers
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .push(observer);
    }

    pub(crate) fn observers(&self) -> Vec<Arc<dyn Observer<C>>> {
        self.observers
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
