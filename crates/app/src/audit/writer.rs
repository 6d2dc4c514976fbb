//! The thread that takes the audit trail from the store to its sink, and how it is ended.

use super::progress::DeathWatch;
use super::pump::Pump;
use super::sink::AuditSink;
use crate::app::App;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;
use tokio::sync::oneshot;

/// Writes the audit trail of a controller until it is stopped or dropped.
#[derive(Debug)]
pub struct AuditWriter {
    stop: Arc<AtomicBool>,
    thread: Thread,
    /// Whether everything was written, once the thread ends.
    ended: oneshot::Receiver<bool>,
}

impl AuditWriter {
    /// Starts the thread; it begins with the events that an earlier process did not write.
    ///
    /// # Errors
    ///
    /// When the thread cannot be started.
    pub fn start(app: Arc<App>, sink: Box<dyn AuditSink>) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (tell, ended) = oneshot::channel();
        let told = Arc::clone(&stop);
        let handle = thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || {
                app.trail.register(thread::current());
                let _watch = DeathWatch(Arc::clone(&app));
                let is_written = Pump::new(app, sink, told).run();
                // Nobody may wait for it any more.
                let _ = tell.send(is_written);
            })?;
        Ok(Self {
            stop,
            thread: handle.thread().clone(),
            ended,
        })
    }

    /// Writes what is left and ends, but waits for no longer than `bound`: the sink may be stuck. Answers
    /// whether everything was written.
    pub async fn stop(mut self, bound: Duration) -> bool {
        self.end();
        let ended = tokio::time::timeout(bound, &mut self.ended).await;
        matches!(ended, Ok(Ok(true)))
    }

    fn end(&self) {
        self.stop.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Drop for AuditWriter {
    fn drop(&mut self) {
        self.end();
    }
}
