//! How far a listener has come.

use crate::error::ListenError;

/// How far a listener has come.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) terminators: usize,
    /// Why there is none, if waiting does not help.
    pub(super) failure: Option<ListenError>,
}

impl Progress {
    /// Whether others can dial the service, or there is no prospect of it.
    pub(super) const fn is_decided(&self) -> bool {
        self.terminators > 0 || self.failure.is_some()
    }

    pub(super) fn established(&mut self) {
        self.terminators += 1;
        self.failure = None;
    }

    pub(super) const fn lost(&mut self) {
        self.terminators = self.terminators.saturating_sub(1);
    }

    /// Where there are terminators, or some may follow, the failure of one more is no matter.
    pub(super) fn failed(&mut self, error: ListenError) {
        if self.terminators == 0 && !error.is_temporary() {
            self.failure = Some(error);
        }
    }
}
