//! Sinks: subscribers that write to files and streams.

use crate::bus::{EventBus, Subscriber};
use crate::log_interval::LOG_INTERVAL;
use crate::output::{OpenOutput, SinkOutput};
use crate::progress::{PanicGuard, Progress, SinkStatus};
use crate::writer::Writer;
use portcullis_domain::clock::Clock;
use portcullis_domain::log_interval::LogInterval;
use portcullis_events::Subscription;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// What a sink writes, and to what.
#[derive(Debug)]
pub struct SinkSettings {
    /// Name in the log and in health checks.
    pub name: String,
    pub subscriptions: Vec<Subscription>,
    /// Number of events that may wait to be written.
    pub capacity: usize,
    pub output: SinkOutput,
}

/// The sinks of a process. They end when they are stopped or dropped.
#[derive(Debug)]
pub struct EventSinks {
    bus: EventBus,
    sinks: Vec<Sink>,
}

#[derive(Debug)]
struct Sink {
    name: String,
    subscriber: Arc<Subscriber>,
    progress: Arc<Progress>,
    reopening: Arc<AtomicBool>,
    /// Whether everything was written, once the thread has ended.
    ended: watch::Receiver<Option<bool>>,
}

impl EventSinks {
    /// Starts a thread for each sink. Files are opened there, because that may block; what goes wrong is
    /// in the log and in [`statuses`](Self::statuses), and is tried again.
    ///
    /// # Errors
    ///
    /// When a thread cannot be started.
    pub fn start(
        bus: &EventBus,
        settings: Vec<SinkSettings>,
        clock: &Arc<dyn Clock>,
    ) -> io::Result<Self> {
        let mut started = Self {
            bus: bus.clone(),
            sinks: Vec::new(),
        };
        for sink in settings {
            let sink = Sink::start(bus, sink, Arc::clone(clock))?;
            started.sinks.push(sink);
        }
        Ok(started)
    }

    /// Has files that were moved away opened anew at once. The next event would do the same.
    pub fn reopen(&self) {
        for sink in &self.sinks {
            sink.reopening.store(true, Ordering::Release);
            sink.subscriber.queue.wake();
        }
    }

    /// How the sinks are, in the order in which they were started.
    pub fn statuses(&self) -> Vec<SinkStatus> {
        self.sinks.iter().map(Sink::status).collect()
    }

    /// Takes no more events and writes those that wait, within `timeout` since an output may be stuck.
    /// Returns whether everything was written.
    pub async fn stop(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        self.close();
        let mut is_written = true;
        for sink in &self.sinks {
            let mut ended = sink.ended.clone();
            let ended = timeout_at(deadline, ended.wait_for(Option::is_some)).await;
            let is_done = matches!(ended, Ok(Ok(ended)) if *ended == Some(true));
            if !is_done {
                is_written = false;
                let SinkStatus {
                    name,
                    dropped,
                    waiting,
                    ..
                } = sink.status();
                tracing::warn!(
                    sink = name,
                    dropped,
                    waiting,
                    "events were not written before the end"
                );
            }
        }
        is_written
    }

    fn close(&self) {
        for sink in &self.sinks {
            self.bus.remove(&sink.subscriber);
        }
    }
}

impl Drop for EventSinks {
    fn drop(&mut self) {
        self.close();
    }
}

impl Sink {
    fn start(bus: &EventBus, settings: SinkSettings, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let SinkSettings {
            name,
            subscriptions,
            capacity,
            output,
        } = settings;
        let subscriber = bus.add(Some(name.clone()), subscriptions, capacity);
        let progress = Arc::new(Progress::default());
        let reopening = Arc::new(AtomicBool::default());
        let (finished, ended) = watch::channel(None);
        let writer = Writer {
            name: name.clone(),
            subscriber: Arc::clone(&subscriber),
            output: OpenOutput::new(output, clock),
            progress: Arc::clone(&progress),
            reopening: Arc::clone(&reopening),
            failures_logged: LogInterval::new(LOG_INTERVAL),
        };
        let watch = PanicGuard(Arc::clone(&progress));
        let started = thread::Builder::new()
            .name("events".to_owned())
            .spawn(move || {
                let _watch = watch;
                // The receiver may be gone.
                let _ = finished.send(Some(writer.run()));
            });
        if let Err(error) = started {
            bus.remove(&subscriber);
            return Err(error);
        }
        Ok(Self {
            name,
            subscriber,
            progress,
            reopening,
            ended,
        })
    }

    fn status(&self) -> SinkStatus {
        SinkStatus {
            name: self.name.clone(),
            written: self.progress.written(),
            dropped: self.subscriber.queue.dropped(),
            waiting: self.subscriber.queue.len(),
            failure: self.progress.failure(),
            stuck_for: self.progress.stuck_for(),
        }
    }
}
