//! Start position of the writer, from what the sink has already.

use super::sink::SinkPosition;
use crate::state::AuditEvent;
use portcullis_domain::audit::{AuditTrailId, Event};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{AuditBacklog, Rows, events_from};
use serde::Serialize;
use std::ops::ControlFlow;

/// State of the sink compared with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SinkMatch {
    /// The same trail, as far as can be determined.
    Same,
    /// The trail of another store.
    Foreign,
    /// The same trail with other events: the store was restored from a copy.
    Forked,
}

/// The row and the event number to continue with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StartPosition {
    pub(super) row: u64,
    pub(super) seq: u64,
}

/// Details of events about the trail itself.
#[derive(Debug, Default, Serialize)]
struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

fn event(timestamp: &str, operation: &str, detail: Detail) -> AuditEvent {
    AuditEvent::uncommitted(&Event::new(timestamp, operation, detail))
}

/// An event that reports the events `first` to `last` as missing, which the log says as well.
pub(super) fn missing_event(timestamp: &str, first: u64, last: u64) -> AuditEvent {
    tracing::warn!(
        first,
        last,
        "the destination of the audit trail lacks events that the store has no more: they are in another \
         file, or were removed or dropped"
    );
    let detail = Detail {
        first: Some(first),
        last: Some(last),
        ..Detail::default()
    };
    event(timestamp, "audit.missing", detail)
}

/// Compares the sink with the store.
pub(super) fn compare(
    rows: Rows<'_>,
    backlog: &AuditBacklog,
    position: &SinkPosition,
) -> Result<SinkMatch, StoreError> {
    let trail = backlog.trail.map(|trail| trail.to_string());
    if position.trail.is_some() && position.trail != trail {
        return Ok(SinkMatch::Foreign);
    }
    if position.seq >= backlog.next_seq {
        return Ok(SinkMatch::Forked);
    }
    let in_store = match backlog.written {
        Some((seq, digest)) if seq == position.seq => Some(digest),
        _ => find_digest(rows, backlog, position.seq)?,
    };
    // Without both digests, the number has to suffice.
    Ok(match (in_store, position.digest) {
        (Some(one), Some(other)) if one != other => SinkMatch::Forked,
        _ => SinkMatch::Same,
    })
}

/// The digest of an event if the store still has it.
fn find_digest(
    rows: Rows<'_>,
    backlog: &AuditBacklog,
    wanted: u64,
) -> Result<Option<[u8; 32]>, StoreError> {
    let mut digest = None;
    events_from(rows, backlog.first_row, &mut |_row, first, lines| {
        if first > wanted {
            return ControlFlow::Break(());
        }
        let found = (first..).zip(lines.lines()).find(|(seq, _)| *seq == wanted);
        digest =
            found.map(|(seq, line)| AuditEvent::digest(&AuditEvent::committed(seq, line).text));
        match digest {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    })?;
    Ok(digest)
}

/// Where to continue in the store, and the events to write to the sink first.
pub(super) fn plan_start(
    rows: Rows<'_>,
    backlog: &AuditBacklog,
    (position, verdict): (&SinkPosition, SinkMatch),
    (timestamp, trail): (&str, AuditTrailId),
) -> Result<(StartPosition, Vec<AuditEvent>), StoreError> {
    let named = || Some(trail.to_string());
    let first = backlog.first_seq(rows)?;
    if verdict != SinkMatch::Same {
        let start = StartPosition {
            row: backlog.first_row,
            seq: first,
        };
        let detail = Detail {
            trail: named(),
            next: Some(first),
            ..Detail::default()
        };
        return Ok((start, vec![event(timestamp, "audit.restart", detail)]));
    }
    let mut events = Vec::new();
    let detail = Detail {
        trail: named(),
        ..Detail::default()
    };
    if position.is_empty {
        events.push(event(timestamp, BEGIN_OPERATION, detail));
    } else if position.trail.is_none() {
        // Files of earlier versions do not contain the trail id.
        events.push(event(timestamp, "audit.trail", detail));
    }
    let mut seq = position.seq + 1;
    if seq < first {
        events.push(missing_event(timestamp, seq, first - 1));
        seq = first;
    }
    let row = first_row_with(rows, backlog, seq)?;
    Ok((StartPosition { row, seq }, events))
}

/// Operation of the first event of a trail.
pub const BEGIN_OPERATION: &str = "audit.begin";

/// The first row that can contain the event with a number, or a later one.
fn first_row_with(rows: Rows<'_>, backlog: &AuditBacklog, wanted: u64) -> Result<u64, StoreError> {
    let mut row_with = backlog.first_row;
    events_from(rows, backlog.first_row, &mut |row, first, lines| {
        let after = first + u64::try_from(lines.lines().count()).unwrap_or(u64::MAX);
        if after > wanted {
            return ControlFlow::Break(());
        }
        row_with = row + 1;
        ControlFlow::Continue(())
    })?;
    Ok(row_with)
}
