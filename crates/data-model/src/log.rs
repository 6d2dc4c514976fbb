//! The change sets up to now.

use crate::audience::{AddressedEvent, visible_to};
use portcullis_wire::Content as _;
use portcullis_wire::control::data_model::{ChangeSet, Changes, Event};
use std::collections::VecDeque;
use std::sync::Arc;

/// One transaction.
#[derive(Debug)]
struct Entry {
    index: u64,
    previous_index: u64,
    content: Content,
    bytes: usize,
}

#[derive(Debug)]
enum Content {
    /// All routers get the same.
    Shared(Arc<Changes>),
    Addressed(Vec<AddressedEvent>),
}

impl Entry {
    fn changes(&self, events: Vec<Event>) -> Arc<Changes> {
        Arc::new(Changes {
            index: self.index,
            previous_index: self.previous_index,
            events,
            ..Changes::default()
        })
    }
}

/// A chain of change sets, of which the oldest go first.
#[derive(Debug)]
pub(crate) struct Log {
    entries: VecDeque<Entry>,
    /// Index before the first entry.
    base: u64,
    bytes: usize,
    max_entries: usize,
    max_bytes: usize,
}

impl Log {
    pub(crate) const fn new(base: u64, max_entries: usize, max_bytes: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            base,
            bytes: 0,
            max_entries,
            max_bytes,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends what happened at `index`, after `previous_index`.
    pub(crate) fn append(&mut self, index: u64, previous_index: u64, events: Vec<AddressedEvent>) {
        let bytes = size(&events);
        self.bytes += bytes;
        let is_shared = events.iter().all(AddressedEvent::is_for_everyone);
        let mut entry = Entry {
            index,
            previous_index,
            content: Content::Addressed(Vec::new()),
            bytes,
        };
        entry.content = if is_shared {
            let events = events.into_iter().map(|addressed| addressed.event);
            Content::Shared(entry.changes(events.collect()))
        } else {
            Content::Addressed(events)
        };
        self.entries.push_back(entry);
        while self.entries.len() > self.max_entries || self.bytes > self.max_bytes {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.bytes -= oldest.bytes;
            self.base = oldest.index;
        }
    }

    /// Forgets all entries: whoever is not at `index` needs the whole state.
    pub(crate) fn restart(&mut self, index: u64) {
        self.entries.clear();
        self.bytes = 0;
        self.base = index;
    }

    /// Whether a model at `index` can be brought up to date by change sets.
    pub(crate) fn continues(&self, index: u64) -> bool {
        index == self.base
            || self
                .entries
                .binary_search_by_key(&index, |entry| entry.index)
                .is_ok()
    }

    /// The change set after `index` as `router` gets it, and its index.
    pub(crate) fn after(&self, index: u64, router: &str) -> Option<Arc<Changes>> {
        let next = self.entries.partition_point(|entry| entry.index <= index);
        let entry = self.entries.get(next)?;
        Some(match &entry.content {
            Content::Shared(changes) => Arc::clone(changes),
            Content::Addressed(events) => entry.changes(visible_to(router, events)),
        })
    }
}

/// Bytes of the events on the wire and of the ids of those that get them.
fn size(events: &[AddressedEvent]) -> usize {
    let message = ChangeSet {
        changes: Changes {
            events: events
                .iter()
                .map(|addressed| addressed.event.clone())
                .collect(),
            ..Changes::default()
        },
        subscription_id: None,
    };
    let audiences: usize = events
        .iter()
        .map(|addressed| addressed.audience.len())
        .sum();
    // What cannot be encoded cannot be sent: it takes the whole log, so that routers get the state.
    message
        .encode()
        .map_or(usize::MAX / 2, |(_, body)| body.len())
        + audiences
}
