//! Where a writer begins: what the sink has of what is in the store.

use super::sink::{AuditEvent, SinkPosition};
use portcullis_domain::audit::{Event, TrailId};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{AuditBacklog, Rows, events_from};
use serde::Serialize;
use std::ops::ControlFlow;

/// What a sink has, compared with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It has this trail, as far as can be seen.
    Fits,
    /// It has the trail of another store.
    Foreign,
    /// It has this trail, but other events: the store is a copy that was put back.
    Forked,
}

/// The row and the number to go on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) row: u64,
    pub(super) seq: u64,
}

/// What is particular to events about the trail itself.
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

/// An event about events that are missing: `first` to `last`.
pub(super) fn missing(timestamp: &str, first: u64, last: u64) -> AuditEvent {
    let detail = Detail {
        first: Some(first),
        last: Some(last),
        ..Detail::default()
    };
    event(timestamp, "audit.missing", detail)
}

/// Compares what the sink has with the store.
pub(super) fn judge(
    rows: Rows<'_>,
    backlog: &AuditBacklog,
    position: &SinkPosition,
) -> Result<Verdict, StoreError> {
    let trail = backlog.trail.map(|trail| trail.to_string());
    if position.trail.is_some() && position.trail != trail {
        return Ok(Verdict::Foreign);
    }
    if position.seq >= backlog.next_seq {
        return Ok(Verdict::Forked);
    }
    let in_store = match backlog.written {
        Some((seq, digest)) if seq == position.seq => Some(digest),
        _ => digest_of(rows, backlog, position.seq)?,
    };
    // Where one of them knows no more than the number, that has to do.
    Ok(match (in_store, position.digest) {
        (Some(one), Some(other)) if one != other => Verdict::Forked,
        _ => Verdict::Fits,
    })
}

/// The digest of an event, if it is still in the store.
fn digest_of(
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

/// Where to go on in the store, and what the sink is told before.
pub(super) fn start(
    rows: Rows<'_>,
    backlog: &AuditBacklog,
    (position, verdict): (&SinkPosition, Verdict),
    (timestamp, trail): (&str, TrailId),
) -> Result<(Start, Vec<AuditEvent>), StoreError> {
    let named = || Some(trail.to_string());
    let first = backlog.first_seq(rows)?;
    if verdict != Verdict::Fits {
        let start = Start {
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
        events.push(event(timestamp, BEGIN, detail));
    } else if position.trail.is_none() {
        // Files of earlier versions do not say which trail they have.
        events.push(event(timestamp, "audit.trail", detail));
    }
    let mut seq = position.seq + 1;
    if seq < first {
        events.push(missing(timestamp, seq, first - 1));
        seq = first;
    }
    let row = row_with(rows, backlog, seq)?;
    Ok((Start { row, seq }, events))
}

/// The operation of the first event of a trail.
pub const BEGIN: &str = "audit.begin";

/// The first row in which the event with a number, or a later one, can be.
fn row_with(rows: Rows<'_>, backlog: &AuditBacklog, wanted: u64) -> Result<u64, StoreError> {
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
