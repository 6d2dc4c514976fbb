//! How far a listener has come.

use crate::error::ListenError;

/// How far a listener has come.
#[derive(Debug, Default)]
pub(super) struct Progress {
    pub(super) terminators: usize,
    /// Why there is none, as far as that is known.
    pub(super) failure: Option<Failure>,
}

/// Why there is no terminator.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: ListenError,
    /// Waiting does not help.
    pub(super) is_final: bool,
}

impl Progress {
    /// Whether others can dial the service, or there is no prospect of it.
    pub(super) const fn is_decided(&self) -> bool {
        self.terminators > 0 || matches!(&self.failure, Some(failure) if failure.is_final)
    }

    pub(super) fn established(&mut self) {
        self.terminators += 1;
        self.failure = None;
    }

    pub(super) const fn lost(&mut self) {
        self.terminators = self.terminators.saturating_sub(1);
    }

    /// Where there are terminators, the failure of one more is no matter. Returns whether this one is news.
    pub(super) fn failed(&mut self, error: ListenError, is_final: bool) -> bool {
        if self.terminators > 0 {
            return false;
        }
        let failure = Failure { error, is_final };
        let text = failure.error.to_string();
        let before = self.failure.replace(failure);
        before.is_none_or(|before| before.error.to_string() != text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(service: &str) -> ListenError {
        ListenError::NoRouter {
            service: service.to_owned(),
        }
    }

    #[test]
    fn only_what_is_final_ends_waiting() {
        let mut progress = Progress::default();
        assert!(progress.failed(none("a"), false));
        assert!(!progress.failed(none("a"), false), "it is told twice");
        assert!(!progress.is_decided());
        assert!(progress.failed(ListenError::Closed, true));
        assert!(progress.is_decided());
        progress.established();
        assert!(progress.is_decided() && progress.failure.is_none());
        assert!(!progress.failed(none("a"), false) && progress.failure.is_none());
    }
}
