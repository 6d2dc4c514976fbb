//! The rows of the audit trail: events that are committed and not yet written to their destination.

use super::super::read::Rows;
use super::telling::Events;
use crate::engine::{KeyRange, StoreError, WriteTx};
use crate::frame;
use crate::key::META_TAG;
use portcullis_domain::audit::TrailId;
use portcullis_domain::change::Change;
use std::ops::ControlFlow;

/// The row that says which rows there are.
const STATE: &[u8] = &[META_TAG, 4];
/// Where the rows begin; behind it stands the number of the row.
const ROW: [u8; 2] = [META_TAG, 5];
/// Bytes for which a row takes up one number. A large row takes up several and goes by the last of
/// them, so that numbers measure how much waits.
const UNIT: usize = 1024;
/// Numbers of rows that may wait to be written, and so KiB. Each row holds what one transaction did,
/// usually some hundred bytes. Beyond that the oldest are given up, which the numbers of the events
/// show.
pub const MAX_UNWRITTEN: u64 = 32 * 1024;
/// Numbers that a transaction removes after they were written; more than it adds, so that they grow fewer.
const REMOVED_AT_ONCE: u64 = 8;

/// How far the events are with their destination.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WrittenMark {
    /// Rows before this one are there.
    pub row: u64,
    /// The number of the last event that is there; 0 if that is not known.
    pub seq: u64,
    /// SHA-256 of that event as it was written.
    pub digest: [u8; 32],
}

/// Which events are not yet known to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditBacklog {
    /// The first row that is still there.
    pub first_row: u64,
    /// The row that will be the next.
    pub next_row: u64,
    /// The number that the next event will have.
    pub next_seq: u64,
    /// Which trail it is; `None` in a store that was given none yet.
    pub trail: Option<TrailId>,
    /// The number of the last event that is known to be written, and its digest.
    pub written: Option<(u64, [u8; 32])>,
}

impl AuditBacklog {
    /// That of a store in which nothing was noted yet.
    const NONE: Self = Self {
        first_row: 0,
        next_row: 0,
        next_seq: 1,
        trail: None,
        written: None,
    };

    /// The backlog as of a view. If the row that says it is damaged, the rows themselves tell.
    pub fn read(rows: Rows<'_>) -> Result<Self, StoreError> {
        let Some(row) = rows.tx().get(STATE)? else {
            return Ok(Self::NONE);
        };
        let body = frame::decode(STATE, &row).ok();
        match body.and_then(Self::parse) {
            Some(backlog) => Ok(backlog),
            None => Self::of_rows(rows),
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
            ..Self::NONE
        };
        // Stores had the numbers alone once.
        if let Some((trail, rest)) = rest.split_first_chunk::<16>() {
            let (seq, digest) = rest.split_first_chunk::<8>()?;
            let seq = u64::from_be_bytes(*seq);
            backlog.trail = (*trail != [0; 16]).then_some(TrailId(*trail));
            backlog.written = (seq != 0).then_some((seq, digest.try_into().ok()?));
        } else if !rest.is_empty() {
            return None;
        }
        Some(backlog)
    }

    /// The backlog as the rows themselves tell it.
    fn of_rows(rows: Rows<'_>) -> Result<Self, StoreError> {
        let mut backlog = Self::NONE;
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

    /// The number of the first event that is still there; that of the next one if there is none.
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
        tx.put(STATE, &frame::encode(STATE, &body));
    }

    /// Adds the events of a transaction, and removes some of the rows before `written`.
    pub(super) fn add(
        mut self,
        tx: &mut dyn WriteTx<Change>,
        events: &Events,
        written: &WrittenMark,
    ) {
        self.learn(written);
        let mut body = Vec::with_capacity(8 + events.lines.len());
        body.extend_from_slice(&self.next_seq.to_be_bytes());
        body.extend_from_slice(&events.lines);
        let units = u64::try_from(body.len().div_ceil(UNIT)).unwrap_or(u64::MAX);
        self.next_row += units;
        let key = key(self.next_row - 1);
        tx.put(&key, &frame::encode(&key, &body));
        self.next_seq += events.count;
        let given_up = self.next_row.saturating_sub(MAX_UNWRITTEN.max(units));
        let end = written.row.max(given_up).min(self.next_row);
        let at_once = REMOVED_AT_ONCE.max(2 * units);
        self.remove(tx, end.min(self.first_row + at_once));
        self.write(tx);
    }

    /// Removes the rows before `written`, as far as they are there.
    pub(in super::super) fn trim(mut self, tx: &mut dyn WriteTx<Change>, written: &WrittenMark) {
        self.learn(written);
        self.remove(tx, written.row.min(self.next_row));
        self.write(tx);
    }

    /// Gives the trail another id.
    pub(super) fn name(mut self, tx: &mut dyn WriteTx<Change>, trail: TrailId) {
        self.trail = Some(trail);
        self.write(tx);
    }

    /// Takes over what the destination has. It knows more than the rows if the state was damaged.
    fn learn(&mut self, written: &WrittenMark) {
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

/// Visits the rows from `first` on, oldest first: the number of the row, the number of its first event,
/// and its events, each a JSON object in a line of its own. A damaged row is passed over, which the
/// numbers of the events show.
pub fn events_from(
    rows: Rows<'_>,
    first: u64,
    visit: &mut dyn FnMut(u64, u64, &str) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let range = KeyRange::between(&key(first), &[ROW[0], ROW[1] + 1]);
    rows.tx().scan(&range, &mut |key, row| {
        let body = frame::decode(key, row).ok();
        Ok(match body.and_then(|body| parse(key, body)) {
            Some((row, seq, events)) => visit(row, seq, events),
            None => ControlFlow::Continue(()),
        })
    })
}

fn parse<'b>(key: &[u8], body: &'b [u8]) -> Option<(u64, u64, &'b str)> {
    let row = key.strip_prefix(&ROW)?;
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
    let (tag, number) = key.split_at_mut(ROW.len());
    tag.copy_from_slice(&ROW);
    number.copy_from_slice(&row.to_be_bytes());
    key
}
