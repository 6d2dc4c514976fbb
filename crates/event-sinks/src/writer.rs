//! The thread of a sink.

use crate::batch::Batch;
use crate::bus::Subscriber;
use crate::output::OpenOutput;
use crate::progress::Progress;
use portcullis_domain::log_interval::LogInterval;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time until what failed is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// What the thread of a sink has.
pub(crate) struct Writer {
    pub(crate) name: String,
    pub(crate) subscriber: Arc<Subscriber>,
    pub(crate) output: OpenOutput,
    pub(crate) progress: Arc<Progress>,
    /// Whether the output is to be opened anew.
    pub(crate) reopening: Arc<AtomicBool>,
    pub(crate) failures_logged: LogInterval,
}

impl Writer {
    /// Writes until the queue is closed and empty. Returns whether everything was written.
    pub(crate) fn run(mut self) -> bool {
        let mut batch = Batch::default();
        loop {
            self.subscriber.queue.wait();
            self.reopen_if_asked();
            batch.clear();
            for delivery in self.subscriber.queue.take() {
                batch.push(|text| self.subscriber.write_lines(&delivery, text));
            }
            if batch.events() == 0 {
                if self.subscriber.queue.is_closed() {
                    return true;
                }
                continue;
            }
            if !self.write(&mut batch) {
                let queue = &self.subscriber.queue;
                let waiting = queue.clear();
                queue.count_dropped(batch.events() - batch.written_events() + waiting);
                return false;
            }
        }
    }

    /// Writes events, trying again until it works, and once after the queue was closed: what fails may be the
    /// rotation of a file that somebody has just moved. Returns whether it worked.
    fn write(&mut self, batch: &mut Batch) -> bool {
        let mut is_last_try = false;
        loop {
            let before = batch.written_events();
            let outcome = self.call(|output| output.write(batch));
            self.progress.count_written(batch.written_events() - before);
            if outcome.is_ok() {
                return true;
            }
            if is_last_try {
                return false;
            }
            is_last_try = self.subscriber.queue.is_closed();
            if !is_last_try {
                self.subscriber.queue.pause(RETRY_AFTER);
            }
            self.reopen_if_asked();
        }
    }

    fn reopen_if_asked(&mut self) {
        if self.reopening.swap(false, Ordering::AcqRel) {
            // A failure is told there, and the next write tries again.
            let _ = self.call(OpenOutput::reopen);
        }
    }

    fn call(&mut self, call: impl FnOnce(&mut OpenOutput) -> io::Result<()>) -> io::Result<()> {
        let (outcome, is_new) = self.progress.track(|| call(&mut self.output));
        let (sink, dropped) = (&self.name, self.subscriber.queue.dropped());
        match &outcome {
            Ok(()) if is_new => tracing::info!(sink, dropped, "events are written again"),
            Err(error) if self.failures_logged.try_acquire(Instant::now()).is_some() => {
                tracing::error!(sink, %error, dropped, "events cannot be written; retrying");
            },
            Ok(()) | Err(_) => {},
        }
        outcome
    }
}
