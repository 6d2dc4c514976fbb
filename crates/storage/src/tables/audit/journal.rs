//! Stored audit events that are not yet written to their destination.

use super::super::read::Rows;
use super::events::Events;
use crate::engine::{KeyRange, StoreError, WriteTx};
use crate::frame;
use crate::key::META_TAG;
use portcullis_domain::audit::AuditTrailId;
use portcullis_domain::change::Change;
use std::ops::ControlFlow;

/// Key of the backlog state.
const STATE_KEY: &[u8] = &[META_TAG, 4];
/// Key prefix of event rows, followed by the row number.
const ROW_PREFIX: [u8; 2] = [META_TAG, 5];
/// Bytes per row number. Large rows take several numbers and use the last one, so that numbers
/// measure the size of the backlog.
const ROW_UNIT_BYTES: usize = 1024;
/// Maximum backlog in row numbers, thus KiB. Each row holds the events of one transaction, usually
/// a few hundred bytes. Beyond the limit the oldest rows are dropped, which the event numbers
/// reveal.
pub const MAX_UNWRITTEN: u64 = 32 * 1024;
/// Row numbers removed per transaction once written; more than are added, so that the backlog
/// shrinks.
const MAX_REMOVED_PER_TX: u64 = 8;

/// How far events have been written to their destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrittenCursor {
    /// Rows before this one are written.
    pub row: u64,
    /// Number of the last written event; 0 if unknown.
    pub seq: u64,
    /// SHA-256 of that event as written.
    pub digest: [u8; 32],
}

/// Events that are not yet known to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditBacklog {
    /// The first row still in the store.
    pub first_row: u64,
    pub next_row: u64,
    pub next_seq: u64,
    /// `None` in a store without a trail id.
    pub trail: Option<AuditTrailId>,
    /// Number and digest of the last event known to be written.
    pub written: Option<(u64, [u8; 32])>,
}

impl AuditBacklog {
    /// Backlog of a store without events.
    const EMPTY: Self = Self {
        first_row: 0,
        next_row: 0,
        next_seq: 1,
        trail: None,
        written: None,
    };

    /// Reads the backlog of a view. If its state row is damaged, it is rebuilt from the event rows.
    pub fn read(rows: Rows<'_>) -> Result<Self, StoreError> {
        let Some(row) = rows.tx().get(STATE_KEY)? else {
            return Ok(Self::EMPTY);
        };
        let body = frame::decode(STATE_KEY, &row).ok();
        match body.and_then(Self::parse) {
            Some(backlog) => Ok(backlog),
            None => Self::from_rows(rows),
        }
    }

    fn parse(body: &[u8]) -> Option<Self> {
        let (numbers, rest) = body.split_first_chunk::<24>()?;
        let (numbers, _none) = numbers.as_chunks::<8>();
        let mut numbers = numbers.iter().map(|bytes| u64::from_be_bytes(*bytes));
        let mut backlog = Self {
            first_row: numbers.next()?,
            next_row: numbers.next()?,
            next_seq: numbers.next()?,
            ..Self::EMPTY
        };
        // Early stores had the numbers only.
        if let Some((trail, rest)) = rest.split_first_chunk::<16>() {
            let (seq, digest) = rest.split_first_chunk::<8>()?;
            let seq = u64::from_be_bytes(*seq);
            backlog.trail = (*trail != [0; 16]).then_some(AuditTrailId(*trail));
            backlog.written = (seq != 0).then_some((seq, digest.try_into().ok()?));
        } else if !rest.is_empty() {
            return None;
        }
        Some(backlog)
    }

    /// Rebuilds the backlog from the event rows.
    fn from_rows(rows: Rows<'_>) -> Result<Self, StoreError> {
        let mut backlog = Self::EMPTY;
        let mut first = None;
        events_from(rows, 0, &mut |row, seq, lines| {
            first.get_or_insert(row);
            backlog.next_row = row + 1;
            backlog.next_seq = seq + count(lines);
            ControlFlow::Continue(())
        })?;
        backlog.first_row = first.unwrap_or_default();
        Ok(backlog)
    }

    /// Number of the first event still in the store, or of the next event if there is none.
    pub fn first_seq(&self, rows: Rows<'_>) -> Result<u64, StoreError> {
        let mut first = self.next_seq;
        events_from(rows, self.first_row, &mut |_row, seq, _lines| {
            first = seq;
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    fn write(self, tx: &mut dyn WriteTx<Change>) {
        let mut body = Vec::with_capacity(80);
        for number in [self.first_row, self.next_row, self.next_seq] {
            body.extend_from_slice(&number.to_be_bytes());
        }
        body.extend_from_slice(&self.trail.map_or([0; 16], |trail| trail.0));
        let (seq, digest) = self.written.unwrap_or_default();
        body.extend_from_slice(&seq.to_be_bytes());
        body.extend_from_slice(&digest);
        tx.put(STATE_KEY, &frame::encode(STATE_KEY, &body));
    }

    /// Adds the events of a transaction and removes some rows before `written`.
    pub(super) fn add(
        mut self,
        tx: &mut dyn WriteTx<Change>,
        events: &Events,
        written: &WrittenCursor,
    ) {
        self.advance_to(written);
        let mut body = Vec::with_capacity(8 + events.lines.len());
        body.extend_from_slice(&self.next_seq.to_be_bytes());
        body.extend_from_slice(&events.lines);
        let units = u64::try_from(body.len().div_ceil(ROW_UNIT_BYTES)).unwrap_or(u64::MAX);
        self.next_row += units;
        let key = key(self.next_row - 1);
        tx.put(&key, &frame::encode(&key, &body));
        self.next_seq += events.count;
        let given_up = self.next_row.saturating_sub(MAX_UNWRITTEN.max(units));
        let end = written.row.max(given_up).min(self.next_row);
        let at_once = MAX_REMOVED_PER_TX.max(2 * units);
        self.remove(tx, end.min(self.first_row + at_once));
        self.write(tx);
    }

    /// Removes the rows before `written`.
    pub(in super::super) fn trim(mut self, tx: &mut dyn WriteTx<Change>, written: &WrittenCursor) {
        self.advance_to(written);
        self.remove(tx, written.row.min(self.next_row));
        self.write(tx);
    }

    pub(super) fn set_trail(mut self, tx: &mut dyn WriteTx<Change>, trail: AuditTrailId) {
        self.trail = Some(trail);
        self.write(tx);
    }

    /// Advances to the state of the destination, which is ahead if the state row was damaged.
    fn advance_to(&mut self, written: &WrittenCursor) {
        if written.seq != 0 {
            self.written = Some((written.seq, written.digest));
            self.next_row = self.next_row.max(written.row);
            self.next_seq = self.next_seq.max(written.seq + 1);
        }
    }

    fn remove(&mut self, tx: &mut dyn WriteTx<Change>, end: u64) {
        for row in self.first_row..end {
            tx.delete(&key(row));
        }
        self.first_row = self.first_row.max(end);
    }
}

/// Visits the rows from `first` on, oldest first, with row number, number of the first event, and
/// the events as JSON lines. Damaged rows are skipped, which the event numbers reveal.
pub fn events_from(
    rows: Rows<'_>,
    first: u64,
    visit: &mut dyn FnMut(u64, u64, &str) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let range = KeyRange::between(&key(first), &[ROW_PREFIX[0], ROW_PREFIX[1] + 1]);
    rows.tx().scan(&range, &mut |key, row| {
        let body = frame::decode(key, row).ok();
        Ok(match body.and_then(|body| parse(key, body)) {
            Some((row, seq, events)) => visit(row, seq, events),
            None => ControlFlow::Continue(()),
        })
    })
}

fn parse<'b>(key: &[u8], body: &'b [u8]) -> Option<(u64, u64, &'b str)> {
    let row = key.strip_prefix(&ROW_PREFIX)?;
    let (seq, events) = body.split_first_chunk()?;
    Some((
        u64::from_be_bytes(row.try_into().ok()?),
        u64::from_be_bytes(*seq),
        std::str::from_utf8(events).ok()?,
    ))
}

fn count(lines: &str) -> u64 {
    u64::try_from(lines.lines().count()).unwrap_or(u64::MAX)
}

fn key(row: u64) -> [u8; 10] {
    let mut key = [0; 10];
    let (tag, number) = key.split_at_mut(ROW_PREFIX.len());
    tag.copy_from_slice(&ROW_PREFIX);
    number.copy_from_slice(&row.to_be_bytes());
    key
}
