//! What the thread does that takes the audit trail from the store to its sink.

use super::beginning::{self, Verdict};
use super::progress::{progress, watched};
use super::refusals::waiting;
use super::sink::{AuditEvent, AuditSink};
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::audit::TrailId;
use portcullis_domain::entropy;
use portcullis_storage::engine::submit_with;
use portcullis_storage::tables::{AuditBacklog, RowsMut, WrittenMark, events_from};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Rows that are read at once; the store keeps old pages for a view meanwhile.
const ROWS_AT_ONCE: usize = 256;
/// How long events are gathered, so that a busy store is not read after each commit.
const GATHERING: Duration = Duration::from_millis(20);
/// How often the sink is asked to make sure of what it has.
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How long the writer waits for news, and before it tries again what failed.
const IDLE: Duration = Duration::from_secs(1);

/// Where the pump is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// The row to be read next.
    next_row: u64,
    /// The number of the event to be written next, once one is known.
    next_seq: Option<u64>,
    /// The number and the digest of the last event that was written, if one was.
    last: Option<(u64, [u8; 32])>,
}

impl Place {
    fn mark(&self) -> WrittenMark {
        let (seq, digest) = self.last.unwrap_or_default();
        WrittenMark {
            row: self.next_row,
            seq,
            digest,
        }
    }
}

/// Events to be written together, and where those after them begin.
struct Batch {
    refusals: Vec<AuditEvent>,
    events: Vec<AuditEvent>,
    after: Place,
}

/// What the thread knows.
pub(super) struct Pump {
    app: Arc<App>,
    sink: Box<dyn AuditSink>,
    stop: Arc<AtomicBool>,
    place: Place,
    /// Where it was when the sink made sure of what it has.
    synced: Place,
    /// Refusals that were written since.
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
            place: Place::default(),
            synced: Place::default(),
            unsynced: Vec::new(),
            synced_at: Instant::now(),
            is_synced: true,
        }
    }

    /// Writes until it is stopped. Answers whether everything was written then.
    pub(super) fn run(mut self) -> bool {
        while let Err(error) = self.begin() {
            self.failed(&error);
            if self.is_stopped() {
                return false;
            }
            thread::park_timeout(IDLE);
        }
        loop {
            let is_last = self.is_stopped();
            self.app.trail.sleep();
            let outcome = self.write_all();
            if let Err(error) = &outcome {
                self.failed(error);
            }
            if is_last {
                return outcome.is_ok();
            }
            thread::park_timeout(IDLE);
            self.gather();
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Waits for a moment.
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
        let rows = view.rows();
        let backlog = AuditBacklog::read(rows)?;
        let position = self.sink.position();
        let verdict = match &position {
            Some(position) => beginning::judge(rows, &backlog, position)?,
            None => Verdict::Fits,
        };
        let trail = match backlog.trail {
            Some(trail) if verdict != Verdict::Forked => trail,
            // Whatever has the trail so far must not take what follows for the same.
            _ => self.name_trail()?,
        };
        self.place = Place {
            next_row: backlog.first_row,
            ..Place::default()
        };
        if let Some(position) = &position {
            let named = (&*self.timestamp(), trail);
            let (start, events) = beginning::start(rows, &backlog, (position, verdict), named)?;
            let has_all_before = start.seq == position.seq + 1;
            self.place = Place {
                next_row: start.row,
                next_seq: Some(start.seq),
                last: position
                    .digest
                    .filter(|_| has_all_before)
                    .map(|it| (position.seq, it)),
            };
            self.synced = self.place;
            if verdict != Verdict::Fits {
                tracing::warn!(
                    next = start.seq,
                    "the destination of the audit trail has the events of another store, or of \
                     another state of this one, as when a backup was put back; the trail says so \
                     and goes on"
                );
            }
            self.hand_over(&events)?;
            // What an earlier process wrote may not be safe either.
            self.sync()?;
        }
        self.synced = self.place;
        Ok(())
    }

    /// Gives the trail an id that no other has.
    fn name_trail(&self) -> Result<TrailId, AppError> {
        let trail = TrailId(entropy::bytes(&*self.app.env().entropy).map_err(AppError::internal)?);
        submit_with(&*self.app.engine, move |tx| {
            RowsMut::new(tx).name_trail(trail)
        })?
        .wait()??;
        Ok(trail)
    }

    /// Writes everything that there is.
    fn write_all(&mut self) -> Result<(), AppError> {
        loop {
            let Batch {
                refusals,
                events,
                after,
            } = self.read()?;
            if refusals.is_empty() && events.is_empty() && after.next_row == self.place.next_row {
                break;
            }
            self.hand_over(&refusals)?;
            self.unsynced.extend(refusals);
            self.hand_over(&events)?;
            // Only now: what the sink did not take is read once more.
            self.place = after;
            self.sync_if_due()?;
        }
        self.sync_if_due()?;
        progress(&self.app).has_failed = false;
        Ok(())
    }

    /// Reads what is to be written next.
    fn read(&self) -> Result<Batch, AppError> {
        let (mut events, mut after, mut count) = (Vec::new(), self.place, 0);
        let timestamp = self.timestamp();
        let view = self.app.snapshot()?;
        events_from(view.rows(), after.next_row, &mut |number, first, text| {
            let expected = after.next_seq.unwrap_or(first);
            if first > expected {
                events.push(beginning::missing(&timestamp, expected, first - 1));
            }
            let lines = (first..).zip(text.lines());
            // What the sink has already is written once.
            let fresh = lines.filter(|(seq, _)| *seq >= expected);
            events.extend(fresh.map(|(seq, line)| AuditEvent::committed(seq, line)));
            let behind = first + u64::try_from(text.lines().count()).unwrap_or(u64::MAX);
            after.next_seq = Some(expected.max(behind));
            (after.next_row, count) = (number + 1, count + 1);
            if count < ROWS_AT_ONCE {
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
        // Last, for nothing but the sink's taking them must lose them.
        let refusals = waiting(&self.app).take(self.app.env().now());
        Ok(Batch {
            refusals,
            events,
            after,
        })
    }

    /// Hands events to the sink until it takes them, or the writer is stopped.
    fn hand_over(&mut self, events: &[AuditEvent]) -> Result<(), AppError> {
        while !events.is_empty() {
            match watched(&self.app, &mut *self.sink, |sink| sink.write(events)) {
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

    fn sync_if_due(&mut self) -> Result<(), AppError> {
        let is_due = self.synced_at.elapsed() >= SYNC_EVERY || self.is_stopped();
        if !self.is_synced && is_due {
            self.sync()?;
        }
        if self.is_synced {
            self.app.trail.set_written(self.place.mark());
        }
        Ok(())
    }

    /// Has the sink make sure of what it has. If it cannot, what it has since it could the last time is
    /// written once more: a disk that failed may have dropped it.
    fn sync(&mut self) -> Result<(), AppError> {
        if let Err(error) = watched(&self.app, &mut *self.sink, AuditSink::sync) {
            self.place = self.synced;
            waiting(&self.app).put_back(std::mem::take(&mut self.unsynced));
            return Err(AppError::internal(error));
        }
        (self.is_synced, self.synced, self.synced_at) = (true, self.place, Instant::now());
        self.unsynced.clear();
        Ok(())
    }

    fn failed(&self, error: &AppError) {
        tracing::error!(%error, "the audit trail does not get on; it is tried again");
        progress(&self.app).has_failed = true;
    }

    fn timestamp(&self) -> String {
        self.app.env().now().to_string()
    }
}
