//! The audit writer's thread and its shutdown.

use super::progress::PanicGuard;
use super::pump::Pump;
use super::sink::AuditSink;
use crate::app::App;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;
use tokio::sync::oneshot;

/// Writes the audit trail of a controller until stopped or dropped.
#[derive(Debug)]
pub struct AuditWriter {
    stop: Arc<AtomicBool>,
    thread: Thread,
    /// Receives whether everything was written when the thread ends.
    ended: oneshot::Receiver<bool>,
}

impl AuditWriter {
    /// Starts the thread, beginning with the events that an earlier process did not write.
    ///
    /// # Errors
    ///
    /// When the thread cannot be started.
    pub fn start(app: Arc<App>, sink: Box<dyn AuditSink>) -> io::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (finished, ended) = oneshot::channel();
        let stop_flag = Arc::clone(&stop);
        let handle = thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || {
                app.trail.register_writer(thread::current());
                let watch = PanicGuard(Arc::clone(&app));
                let is_written = Pump::new(app, sink, stop_flag).run();
                // Whoever waits for the end may close the store, which the guard keeps open.
                drop(watch);
                // The receiver may be gone.
                let _ = finished.send(is_written);
            })?;
        Ok(Self {
            stop,
            thread: handle.thread().clone(),
            ended,
        })
    }

    /// Writes the remaining events and stops, within `timeout` since the sink may be stuck. Returns
    /// whether everything was written.
    pub async fn stop(mut self, timeout: Duration) -> bool {
        self.signal_stop();
        let ended = tokio::time::timeout(timeout, &mut self.ended).await;
        matches!(ended, Ok(Ok(true)))
    }

    fn signal_stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Drop for AuditWriter {
    fn drop(&mut self) {
        self.signal_stop();
    }
}
