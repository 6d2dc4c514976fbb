//! The rows of the audit trail: events that are committed and not yet written to their destination.

use super::super::read::Rows;
use crate::engine::{KeyRange, StoreError, WriteTx};
use crate::frame;
use crate::key::META_TAG;
use portcullis_domain::change::Change;
use std::ops::ControlFlow;

/// The row that says which rows there are.
const STATE: &[u8] = &[META_TAG, 4];
/// Where the rows begin; behind it stands the number of the row.
const ROW: [u8; 2] = [META_TAG, 5];
/// Rows that may wait to be written. Each holds what one transaction did, usually some hundred bytes.
/// Beyond that the oldest are given up, which the numbers of the events show.
pub const MAX_UNWRITTEN: u64 = 32 * 1024;
/// Rows that a transaction removes after they were written; more than it adds, so that they grow fewer.
const REMOVED_AT_ONCE: u64 = 8;

/// Which events are not yet known to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditBacklog {
    /// The first row that is still there.
    pub first_row: u64,
    /// The row that will be the next.
    pub next_row: u64,
    /// The number that the next event will have.
    pub next_seq: u64,
}

impl AuditBacklog {
    /// That of a store in which nothing was noted yet.
    const NONE: Self = Self {
        first_row: 0,
        next_row: 0,
        next_seq: 1,
    };

    /// The backlog as of a view.
    pub fn read(rows: Rows<'_>) -> Result<Self, StoreError> {
        let Some(row) = rows.tx().get(STATE)? else {
            return Ok(Self::NONE);
        };
        let damaged = || StoreError::corrupt("the state of the audit trail is damaged");
        let body = frame::decode(STATE, &row)?;
        let (numbers, rest) = body.as_chunks::<8>();
        let mut numbers = numbers.iter().map(|bytes| u64::from_be_bytes(*bytes));
        let mut next = || numbers.next().ok_or_else(damaged);
        let backlog = Self {
            first_row: next()?,
            next_row: next()?,
            next_seq: next()?,
        };
        if rest.is_empty() {
            Ok(backlog)
        } else {
            Err(damaged())
        }
    }

    fn write(self, tx: &mut dyn WriteTx<Change>) {
        let numbers = [self.first_row, self.next_row, self.next_seq];
        let body = numbers.map(u64::to_be_bytes).concat();
        tx.put(STATE, &frame::encode(STATE, &body));
    }

    /// Adds the events of a transaction, and removes some of the rows before `written`.
    pub(super) fn add(mut self, tx: &mut dyn WriteTx<Change>, events: &[String], written: u64) {
        let key = key(self.next_row);
        let mut body = self.next_seq.to_be_bytes().to_vec();
        body.extend_from_slice(events.join("\n").as_bytes());
        tx.put(&key, &frame::encode(&key, &body));
        self.next_row += 1;
        self.next_seq += u64::try_from(events.len()).unwrap_or(u64::MAX);
        let given_up = self.next_row.saturating_sub(MAX_UNWRITTEN);
        let end = written.max(given_up).min(self.next_row);
        self.remove(tx, end.min(self.first_row + REMOVED_AT_ONCE));
        self.write(tx);
    }

    /// Removes the rows before `written`, as far as they are there.
    pub(in super::super) fn trim(mut self, tx: &mut dyn WriteTx<Change>, written: u64) {
        self.remove(tx, written.min(self.next_row));
        self.write(tx);
    }

    fn remove(&mut self, tx: &mut dyn WriteTx<Change>, end: u64) {
        for row in self.first_row..end {
            tx.delete(&key(row));
        }
        self.first_row = self.first_row.max(end);
    }
}

/// Visits the rows from `first` on, oldest first: the number of the row, the number of its first event,
/// and its events, each a JSON object in a line of its own.
pub fn events_from(
    rows: Rows<'_>,
    first: u64,
    visit: &mut dyn FnMut(u64, u64, &str) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let range = KeyRange::between(&key(first), &[ROW[0], ROW[1] + 1]);
    rows.tx().scan(&range, &mut |key, row| {
        let body = frame::decode(key, row)?;
        let (row, seq, events) = parse(key, body)
            .ok_or_else(|| StoreError::corrupt("a row of the audit trail is damaged"))?;
        Ok(visit(row, seq, events))
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

fn key(row: u64) -> Vec<u8> {
    [&ROW[..], &row.to_be_bytes()].concat()
}
