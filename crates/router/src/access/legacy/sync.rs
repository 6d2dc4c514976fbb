//! The full state of a controller's sessions, in several messages.

use crate::time::after;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::Token;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Duration;

/// How long it may take until all messages are here.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most messages of a full state.
const MAX_MESSAGES: usize = 50_000;
/// Most sessions whose end is remembered until the state is complete.
const MAX_REMOVED: usize = 100_000;

/// Which part of which state a message is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SyncState {
    /// Greater than that of the state before.
    pub(super) id: String,
    #[serde(default)]
    is_last: bool,
    #[serde(default)]
    sequence: u64,
}

impl SyncState {
    /// `None` for anything else than a state with an id.
    pub(super) fn parse(json: &str) -> Option<Self> {
        let state: Self = serde_json::from_str(json).ok()?;
        (!state.id.is_empty()).then_some(state)
    }
}

/// What a controller has told of a full state.
#[derive(Debug, Clone, Default)]
pub(super) struct Synchronization {
    /// Id of the newest state, complete or not.
    id: String,
    open: Option<OpenState>,
}

/// A state of which something is missing.
#[derive(Debug, Clone)]
struct OpenState {
    sequences: BTreeSet<u64>,
    last: Option<u64>,
    /// Sessions that ended since it began, which later messages of it may still have.
    removed: BTreeSet<Token>,
    give_up_at: Timestamp,
}

impl OpenState {
    /// Counts a message; returns whether all up to the last one are here.
    fn count(&mut self, state: &SyncState) -> bool {
        if self.sequences.len() < MAX_MESSAGES {
            self.sequences.insert(state.sequence);
        }
        if state.is_last {
            self.last = Some(state.sequence);
        }
        self.is_complete()
    }

    fn is_complete(&self) -> bool {
        let count = u64::try_from(self.sequences.len()).unwrap_or(u64::MAX);
        self.last.is_some_and(|last| {
            last < count && self.sequences.range(..=last).count() as u64 == last + 1
        })
    }
}

impl Synchronization {
    pub(super) fn newest(&self) -> &str {
        &self.id
    }

    /// Begins a state, or goes on with it; returns whether it counts: an older one does not.
    pub(super) fn open(&mut self, id: &str, now: Timestamp) -> bool {
        if id < self.id.as_str() {
            return false;
        }
        if id > self.id.as_str() {
            id.clone_into(&mut self.id);
            self.open = None;
        }
        self.open.get_or_insert_with(|| OpenState {
            sequences: BTreeSet::new(),
            last: None,
            removed: BTreeSet::new(),
            give_up_at: after(now, PATIENCE),
        });
        true
    }

    /// Counts a message of the open state; returns whether that is complete now.
    pub(super) fn count(&mut self, state: &SyncState) -> bool {
        let is_complete = self.open.as_mut().is_some_and(|open| open.count(state));
        if is_complete {
            self.open = None;
        }
        is_complete
    }

    pub(super) fn note_removed(&mut self, tokens: &[Token]) {
        if let Some(open) = &mut self.open {
            let room = MAX_REMOVED.saturating_sub(open.removed.len());
            open.removed.extend(tokens.iter().take(room).cloned());
        }
    }

    pub(super) fn was_removed(&self, token: &Token) -> bool {
        let open = self.open.as_ref();
        open.is_some_and(|open| open.removed.contains(token))
    }

    /// When the state is asked for again.
    pub(super) fn gives_up_at(&self) -> Option<Timestamp> {
        self.open.as_ref().map(|open| open.give_up_at)
    }

    /// Begins anew; returns why.
    pub(super) fn give_up(&mut self) -> String {
        let received = self.open.take().map_or(0, |open| open.sequences.len());
        format!("the sessions are not complete after {received} messages")
    }
}
