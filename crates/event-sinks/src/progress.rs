//! What becomes of the events of a sink, for health checks.

use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How a sink is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkStatus {
    pub name: String,
    /// Number of events that were written.
    pub written: u64,
    /// Number of events that were dropped because they could not be written in time.
    pub dropped: u64,
    /// Number of events that wait.
    pub waiting: usize,
    /// Why events cannot be written, if so; the sink tries again.
    pub failure: Option<String>,
    /// How long what is written to has not taken what it was handed, if it has not.
    pub stuck_for: Option<Duration>,
}

/// What the thread of a sink tells about its work.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    written: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    busy_since: Option<Instant>,
    failure: Option<String>,
}

impl Progress {
    /// Makes a call that may block or fail, and says whether it has failed for the first time, or worked
    /// again for the first time.
    pub(crate) fn track(&self, call: impl FnOnce() -> io::Result<()>) -> (io::Result<()>, bool) {
        self.state.lock().busy_since = Some(Instant::now());
        let outcome = call();
        let failure = outcome.as_ref().err().map(ToString::to_string);
        let mut state = self.state.lock();
        state.busy_since = None;
        let is_new = state.failure.is_some() != failure.is_some();
        state.failure = failure;
        (outcome, is_new)
    }

    pub(crate) fn count_written(&self, events: usize) {
        let events = u64::try_from(events).unwrap_or(u64::MAX);
        self.written.fetch_add(events, Ordering::Relaxed);
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    pub(crate) fn failure(&self) -> Option<String> {
        self.state.lock().failure.clone()
    }

    pub(crate) fn stuck_for(&self) -> Option<Duration> {
        self.state.lock().busy_since.map(|since| since.elapsed())
    }
}

/// Reports a panic of the thread as a failure when dropped.
pub(crate) struct PanicGuard(pub(crate) Arc<Progress>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            let failure = "it has failed within, and needs a restart";
            self.0.state.lock().failure = Some(failure.to_owned());
        }
    }
}
