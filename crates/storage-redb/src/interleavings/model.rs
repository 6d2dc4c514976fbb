//! A model of the store that commits to memory or fails on demand.
#![expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the forms are those of the real one"
)]

use super::lock;
use super::meta::Row;
use super::sync::{Condvar, Mutex};
pub(super) use crate::database::StoreFailure;
use crate::overlay::Overlay;
use portcullis_storage::engine::{KeyRange, ReadTx, RowVisitor, StoreError};
use std::collections::{BTreeSet, VecDeque};
use std::sync::PoisonError;

/// How a commit fails.
#[derive(Clone, Copy)]
pub(super) enum FailureMode {
    Transient,
    Fatal,
}

pub(super) struct Store {
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Default)]
struct State {
    revision: u64,
    rows: BTreeSet<Vec<u8>>,
    is_stale: bool,
    /// Failures of the next commits.
    faults: VecDeque<FailureMode>,
}

/// The rows as of one revision.
pub(super) struct Reader(BTreeSet<Vec<u8>>);

impl Store {
    /// An empty store whose first commits fail.
    pub(super) fn new(faults: &[FailureMode]) -> Self {
        Self::with_state(State {
            faults: faults.iter().copied().collect(),
            ..State::default()
        })
    }

    /// An empty store that has to be reopened.
    pub(super) fn stale() -> Self {
        Self::with_state(State {
            is_stale: true,
            ..State::default()
        })
    }

    fn with_state(state: State) -> Self {
        Self {
            state: Mutex::new(state),
            opened: Condvar::new(),
        }
    }

    pub(super) fn reader(&self) -> Result<Reader, StoreError> {
        let state = lock(&self.state);
        if state.is_stale {
            return Err(StoreError::Full);
        }
        Ok(Reader(state.rows.clone()))
    }

    pub(super) fn is_stale(&self) -> bool {
        lock(&self.state).is_stale
    }

    pub(super) fn commit(&self, overlay: &Overlay, _state: &[Row]) -> Result<(), StoreFailure> {
        let mut state = lock(&self.state);
        match state.faults.pop_front() {
            Some(FailureMode::Transient) => {
                state.is_stale = true;
                return Err(StoreFailure::Transient(StoreError::Full));
            },
            Some(FailureMode::Fatal) => return Err(StoreFailure::fatal("as asked")),
            None => {},
        }
        state.revision += 1;
        state
            .rows
            .extend(overlay.iter().map(|(key, _)| key.to_vec()));
        Ok(())
    }

    pub(super) fn reopen(&self, revision: u64) -> Result<(), StoreFailure> {
        let mut state = lock(&self.state);
        assert_eq!(state.revision, revision);
        state.is_stale = false;
        drop(state);
        self.opened.notify_all();
        Ok(())
    }

    pub(super) fn wait_until_open(&self) {
        let mut state = lock(&self.state);
        while state.is_stale {
            state = self
                .opened
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Reader {
    pub(super) fn contains(&self, row: u8) -> bool {
        self.0.contains([row].as_slice())
    }

    pub(super) fn is_stale(&self) -> bool {
        false
    }
}

impl ReadTx for Reader {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.contains(key).then(Vec::new))
    }

    fn scan(&self, _range: &KeyRange, _visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}
