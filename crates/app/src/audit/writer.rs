//! The thread that takes the audit trail from the store to its sink.

use super::refusals::waiting;
use super::sink::{AuditEvent, AuditSink};
use crate::app::App;
use crate::error::AppError;
use portcullis_storage::tables::{AuditBacklog, events_from};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Rows that are read at once; the store keeps old pages for a view meanwhile.
const ROWS_AT_ONCE: usize = 256;
/// How long events are gathered, so that a busy store is not read after each commit.
const GATHERING: Duration = Duration::from_millis(20);
/// How often the sink is asked to make sure of what it has.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How long the writer waits for news, and before it tries again what failed.
const IDLE: Duration = Duration::from_secs(1);
/// How long a sink may take before it counts as stuck.
const STUCK: Duration = Duration::from_secs(5);

/// How the writer gets on.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Since when the sink has been at work on one call.
    busy_since: Option<Instant>,
    /// Why the sink, or the store, failed the last time.
    error: Option<String>,
}

/// What is wrong with the audit trail, if something is.
pub fn fault(app: &App) -> Option<String> {
    let progress = progress(app);
    if let Some(error) = &progress.error {
        return Some(format!("the audit trail cannot be written: {error}"));
    }
    let busy = progress.busy_since?.elapsed();
    (busy > STUCK).then(|| {
        let seconds = busy.as_secs();
        format!("the destination of the audit trail has taken nothing for {seconds} s")
    })
}

fn progress(app: &App) -> MutexGuard<'_, Progress> {
    app.trail
        .progress
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Writes the audit trail of a controller until it is stopped or dropped.
#[derive(Debug)]
pub struct AuditWriter {
    stop: Arc<AtomicBool>,
    thread: Thread,
    ended: oneshot::Receiver<()>,
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
                let _ = app.trail.writer.set(thread::current());
                Pump::new(app, sink, told).run();
                // Nobody may wait for it any more.
                let _ = tell.send(());
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
        tokio::time::timeout(bound, &mut self.ended).await.is_ok()
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

/// Events to be written together, and where those after them begin.
struct Batch {
    events: Vec<AuditEvent>,
    next_row: u64,
    next_seq: Option<u64>,
}

/// What the thread knows.
struct Pump {
    app: Arc<App>,
    sink: Box<dyn AuditSink>,
    stop: Arc<AtomicBool>,
    /// The row to be read next.
    next_row: u64,
    /// The number of the event to be written next, once one is known.
    next_seq: Option<u64>,
    synced_at: Instant,
    is_synced: bool,
}

impl Pump {
    fn new(app: Arc<App>, sink: Box<dyn AuditSink>, stop: Arc<AtomicBool>) -> Self {
        Self {
            app,
            sink,
            stop,
            next_row: 0,
            next_seq: None,
            synced_at: Instant::now(),
            is_synced: true,
        }
    }

    fn run(mut self) {
        while let Err(error) = self.begin() {
            self.failed(&error);
            if self.is_stopped() {
                return;
            }
            thread::park_timeout(IDLE);
        }
        loop {
            let is_last = self.is_stopped();
            if let Err(error) = self.write_all() {
                self.failed(&error);
            }
            if is_last {
                return;
            }
            thread::park_timeout(IDLE);
            self.gather();
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Waits for a moment, whoever calls meanwhile.
    fn gather(&self) {
        let end = Instant::now() + GATHERING;
        while !self.is_stopped() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::park_timeout(left);
        }
    }

    /// Finds out where to begin, and says what the sink lacks.
    fn begin(&mut self) -> Result<(), AppError> {
        let view = self.app.snapshot()?;
        let backlog = AuditBacklog::read(view.rows())?;
        self.next_row = backlog.first_row;
        let Some(last) = self.sink.last_seq() else {
            return Ok(());
        };
        if last < backlog.next_seq {
            self.next_seq = Some(last + 1);
        } else {
            let event = AuditEvent::restarted(&self.timestamp(), backlog.next_seq);
            self.hand_over(&[event])?;
        }
        Ok(())
    }

    /// Writes everything that there is.
    fn write_all(&mut self) -> Result<(), AppError> {
        loop {
            let batch = self.read()?;
            if batch.events.is_empty() && batch.next_row == self.next_row {
                break;
            }
            self.hand_over(&batch.events)?;
            // Only now: what the sink did not take is read once more.
            (self.next_row, self.next_seq) = (batch.next_row, batch.next_seq);
            self.sync_now_and_then()?;
        }
        self.sync_now_and_then()?;
        progress(&self.app).error = None;
        Ok(())
    }

    /// Reads what is to be written next.
    fn read(&self) -> Result<Batch, AppError> {
        let now = self.app.env().now();
        let refusals = waiting(&self.app).take(now);
        let mut events: Vec<_> = refusals
            .into_iter()
            .map(|text| AuditEvent { seq: None, text })
            .collect();
        let (mut next_row, mut next_seq, mut count) = (self.next_row, self.next_seq, 0);
        let timestamp = self.timestamp();
        let view = self.app.snapshot()?;
        events_from(view.rows(), next_row, &mut |number, first, text| {
            let expected = next_seq.unwrap_or(first);
            if first > expected {
                events.push(AuditEvent::missing(&timestamp, expected, first - 1));
            }
            let lines = (first..).zip(text.lines());
            // What the sink has already is written once.
            let fresh = lines.filter(|(seq, _)| *seq >= expected);
            events.extend(fresh.map(|(seq, line)| AuditEvent::committed(seq, line)));
            let after = first + u64::try_from(text.lines().count()).unwrap_or(u64::MAX);
            next_seq = Some(expected.max(after));
            (next_row, count) = (number + 1, count + 1);
            if count < ROWS_AT_ONCE {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        Ok(Batch {
            events,
            next_row,
            next_seq,
        })
    }

    /// Hands events to the sink until it takes them, or the writer is stopped.
    fn hand_over(&mut self, events: &[AuditEvent]) -> Result<(), AppError> {
        while !events.is_empty() {
            match self.watched(|sink| sink.write(events)) {
                Ok(()) => {
                    self.is_synced = false;
                    break;
                },
                Err(error) if self.is_stopped() => return Err(AppError::internal(error)),
                Err(_noted) => thread::park_timeout(IDLE),
            }
        }
        Ok(())
    }

    /// Has the sink make sure of what it has, and lets the store forget it.
    fn sync_now_and_then(&mut self) -> Result<(), AppError> {
        let is_due = self.synced_at.elapsed() >= SYNC_EVERY || self.is_stopped();
        if !self.is_synced && is_due {
            self.watched(AuditSink::sync).map_err(AppError::internal)?;
            self.is_synced = true;
            self.synced_at = Instant::now();
        }
        if self.is_synced {
            self.app
                .trail
                .written
                .store(self.next_row, Ordering::Release);
        }
        Ok(())
    }

    /// Calls the sink where the health check sees it.
    fn watched(
        &mut self,
        call: impl FnOnce(&mut dyn AuditSink) -> io::Result<()>,
    ) -> io::Result<()> {
        progress(&self.app).busy_since = Some(Instant::now());
        let outcome = call(&mut *self.sink);
        let mut progress = progress(&self.app);
        let was_well = progress.error.is_none();
        progress.busy_since = None;
        progress.error = outcome.as_ref().err().map(ToString::to_string);
        drop(progress);
        if let Err(error) = &outcome
            && was_well
        {
            tracing::error!(%error, "the audit trail cannot be written; it is tried again");
        }
        outcome
    }

    fn failed(&self, error: &AppError) {
        tracing::error!(%error, "the audit trail does not get on; it is tried again");
        progress(&self.app).error = Some(error.to_string());
    }

    fn timestamp(&self) -> String {
        self.app.env().now().to_string()
    }
}
