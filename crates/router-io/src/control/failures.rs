//! Why controllers are not reached, said once.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;

use parking_lot::Mutex;
use portcullis_router::control::Target;

/// Why each target was not reached the last time.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<BTreeMap<Target, String>>);

impl Failures {
    /// Keeps a failure; returns whether it is another one than before.
    pub(super) fn record(&self, target: &Target, reason: &str) -> bool {
        let before = self.0.lock().insert(target.clone(), reason.to_owned());
        before.is_none_or(|before| before != reason)
    }

    pub(super) fn clear(&self, target: &Target) {
        self.0.lock().remove(target);
    }

    /// For people.
    pub(super) fn summary(&self) -> String {
        let failures = self.0.lock();
        if failures.is_empty() {
            return "there is none to be dialed, or none has answered yet".to_owned();
        }
        let reasons: Vec<_> = failures
            .iter()
            .map(|(target, reason)| format!("{target}: {reason}"))
            .collect();
        reasons.join("; ")
    }
}

/// An error with its causes.
pub(super) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
