//! The loop of the audit writer's thread.

use super::progress::{call_tracked, log_recovery};
use super::sink::AuditSink;
use super::start::{self, SinkMatch};
use crate::app::App;
use crate::error::AppError;
use crate::state::AuditEvent;
use portcullis_domain::audit::AuditTrailId;
use portcullis_domain::entropy;
use portcullis_storage::engine::submit_with;
use portcullis_storage::tables::{AuditBacklog, RowsMut, WrittenCursor, events_from};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Rows per read; the store keeps old pages for a snapshot that long.
const ROWS_PER_READ: usize = 256;
/// Time to gather events, so that a busy store is not read after each commit.
const GATHER_TIME: Duration = Duration::from_millis(20);
/// Interval between syncs of the sink.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);
/// Time to wait for events, and before a retry.
const IDLE_WAIT: Duration = Duration::from_secs(1);

/// Position of the pump.
#[derive(Debug, Clone, Copy, Default)]
struct Position {
    next_row: u64,
    /// Number of the next event to be written, once known.
    next_seq: Option<u64>,
    /// Number and digest of the last event written, if any.
    last: Option<(u64, [u8; 32])>,
}

impl Position {
    fn mark(&self) -> WrittenCursor {
        let (seq, digest) = self.last.unwrap_or_default();
        WrittenCursor {
            row: self.next_row,
            seq,
            digest,
        }
    }
}

/// Events to be written together, and the position after them.
struct Batch {
    refusals: Vec<AuditEvent>,
    events: Vec<AuditEvent>,
    after: Position,
}

/// Copies the audit trail from the store to a sink.
pub(super) struct Pump {
    app: Arc<App>,
    sink: Box<dyn AuditSink>,
    stop: Arc<AtomicBool>,
    position: Position,
    /// Position at the last successful sync.
    synced: Position,
    /// Refusals written since the last sync.
    unsynced: Vec<AuditEvent>,
    synced_at: Instant,
    is_synced: bool,
}

impl Pump {
    pub(super) fn new(app: Arc<App>, sink: Box<dyn AuditSink>, stop: Arc<AtomicBool>) -> Self {
        Self {
            app,
            sink,
            stop,
            position: Position::default(),
            synced: Position::default(),
            unsynced: Vec::new(),
            synced_at: Instant::now(),
            is_synced: true,
        }
    }

    /// Writes until stopped. Returns whether everything was written.
    pub(super) fn run(mut self) -> bool {
        while let Err(error) = self.find_start() {
            self.record_failure(&error);
            if self.is_stopped() {
                return false;
            }
            thread::park_timeout(IDLE_WAIT);
        }
        loop {
            let is_last = self.is_stopped();
            self.app.trail.mark_sleeping();
            self.reopen_if_asked();
            let outcome = self.write_all();
            if let Err(error) = &outcome {
                self.record_failure(error);
            }
            if is_last {
                return outcome.is_ok();
            }
            thread::park_timeout(IDLE_WAIT);
            self.gather();
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Waits for more events.
    fn gather(&self) {
        let end = Instant::now() + GATHER_TIME;
        while !self.is_stopped() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            thread::park_timeout(left);
        }
    }

    fn reopen_if_asked(&mut self) {
        if self.app.trail.take_reopening() {
            // A failure is logged there; the next write tries again.
            if call_tracked(&self.app, &mut *self.sink, AuditSink::reopen).is_ok() {
                log_recovery(&self.app);
            }
            self.is_synced = false;
        }
    }

    /// Determines the start position and tells the sink which events it lacks.
    fn find_start(&mut self) -> Result<(), AppError> {
        let view = self.app.snapshot()?;
        let rows = view.rows();
        let backlog = AuditBacklog::read(rows)?;
        let position = self.sink.position();
        let verdict = match &position {
            Some(position) => start::compare(rows, &backlog, position)?,
            None => SinkMatch::Same,
        };
        let trail = match backlog.trail {
            Some(trail) if verdict != SinkMatch::Forked => trail,
            // Readers of the trail so far must not take what follows for its continuation.
            _ => self.assign_trail_id()?,
        };
        self.position = Position {
            next_row: backlog.first_row,
            ..Position::default()
        };
        if let Some(position) = &position {
            let named = (&*self.timestamp(), trail);
            let (start, events) = start::plan_start(rows, &backlog, (position, verdict), named)?;
            let has_all_before = start.seq == position.seq + 1;
            self.position = Position {
                next_row: start.row,
                next_seq: Some(start.seq),
                last: position
                    .digest
                    .filter(|_| has_all_before)
                    .map(|it| (position.seq, it)),
            };
            self.synced = self.position;
            if verdict != SinkMatch::Same {
                tracing::warn!(
                    next = start.seq,
                    "the destination of the audit trail has the events of another store, or of \
                     another state of this one, as when a backup was put back; the trail says so \
                     and goes on"
                );
            }
            self.write_to_sink(&events)?;
            // Events written by an earlier process may not be synced either.
            self.sync()?;
        }
        self.synced = self.position;
        Ok(())
    }

    /// Assigns a new unique id to the trail.
    fn assign_trail_id(&self) -> Result<AuditTrailId, AppError> {
        let trail =
            AuditTrailId(entropy::bytes(&*self.app.env().entropy).map_err(AppError::internal)?);
        submit_with(&*self.app.engine, move |tx| {
            RowsMut::new(tx).set_trail(trail)
        })?
        .wait()??;
        Ok(trail)
    }

    /// Writes all pending events.
    fn write_all(&mut self) -> Result<(), AppError> {
        loop {
            let Batch {
                refusals,
                events,
                after,
            } = self.read_batch()?;
            if refusals.is_empty() && events.is_empty() && after.next_row == self.position.next_row
            {
                break;
            }
            self.write_to_sink(&refusals)?;
            self.unsynced.extend(refusals);
            self.write_to_sink(&events)?;
            // Only now, so that events that the sink did not take are read again.
            self.position = after;
            self.sync_if_due()?;
        }
        self.sync_if_due()?;
        self.app.trail.progress().has_failed = false;
        Ok(())
    }

    /// Reads the next batch.
    fn read_batch(&self) -> Result<Batch, AppError> {
        let (mut events, mut after, mut count) = (Vec::new(), self.position, 0);
        let timestamp = self.timestamp();
        let view = self.app.snapshot()?;
        events_from(view.rows(), after.next_row, &mut |number, first, text| {
            let expected = after.next_seq.unwrap_or(first);
            if first > expected {
                events.push(start::missing_event(&timestamp, expected, first - 1));
            }
            let lines = (first..).zip(text.lines());
            // Events that the sink has already are skipped.
            let fresh = lines.filter(|(seq, _)| *seq >= expected);
            events.extend(fresh.map(|(seq, line)| AuditEvent::committed(seq, line)));
            let behind = first + u64::try_from(text.lines().count()).unwrap_or(u64::MAX);
            after.next_seq = Some(expected.max(behind));
            (after.next_row, count) = (number + 1, count + 1);
            if count < ROWS_PER_READ {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        if let Some(AuditEvent {
            seq: Some(seq),
            text,
        }) = events.last()
        {
            after.last = Some((*seq, AuditEvent::digest(text)));
        }
        // Last, because refusals must not be lost when reading fails.
        let refusals = self.app.trail.refusals().drain(self.app.env().now());
        Ok(Batch {
            refusals,
            events,
            after,
        })
    }

    /// Writes events to the sink, retrying until it accepts them or the writer is stopped.
    fn write_to_sink(&mut self, events: &[AuditEvent]) -> Result<(), AppError> {
        while !events.is_empty() {
            match call_tracked(&self.app, &mut *self.sink, |sink| sink.write(events)) {
                Ok(()) => {
                    self.is_synced = false;
                    log_recovery(&self.app);
                    break;
                },
                Err(error) if self.is_stopped() => return Err(AppError::internal(error)),
                Err(_noted) => thread::park_timeout(IDLE_WAIT),
            }
        }
        Ok(())
    }

    fn sync_if_due(&mut self) -> Result<(), AppError> {
        let is_due = self.synced_at.elapsed() >= SYNC_INTERVAL || self.is_stopped();
        if !self.is_synced && is_due {
            self.sync()?;
        }
        if self.is_synced {
            self.app.trail.set_written(self.position.mark());
        }
        Ok(())
    }

    /// Syncs the sink. If that fails, everything since the last successful sync is written again: a
    /// failed disk may have dropped it.
    fn sync(&mut self) -> Result<(), AppError> {
        if let Err(error) = call_tracked(&self.app, &mut *self.sink, AuditSink::sync) {
            self.position = self.synced;
            self.app
                .trail
                .refusals()
                .put_back(std::mem::take(&mut self.unsynced));
            return Err(AppError::internal(error));
        }
        (self.is_synced, self.synced, self.synced_at) = (true, self.position, Instant::now());
        self.unsynced.clear();
        Ok(())
    }

    fn record_failure(&self, error: &AppError) {
        tracing::error!(%error, "the audit trail cannot be read or written; retrying");
        self.app.trail.progress().has_failed = true;
    }

    fn timestamp(&self) -> String {
        self.app.env().now().to_string()
    }
}
