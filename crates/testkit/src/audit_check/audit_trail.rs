//! Reading committed audit events.

use crate::harness::Harness;
use portcullis_storage::tables::{AuditBacklog, Rows, events_from};
use serde_json::{Value, json};
use std::cell::Cell;
use std::ops::ControlFlow;

/// The events that a controller commits from some point on.
pub struct AuditTrail<'h> {
    controller: &'h Harness,
    next: Cell<u64>,
}

impl<'h> AuditTrail<'h> {
    /// Starts with events committed from now on.
    pub fn from_now(controller: &'h Harness) -> Self {
        let view = controller.engine.snapshot().unwrap();
        let backlog = AuditBacklog::read(Rows::new(&*view)).unwrap();
        Self {
            controller,
            next: Cell::new(backlog.next_row),
        }
    }

    /// The events since the last call, each with its sequence number.
    pub fn events(&self) -> Vec<Value> {
        let view = self.controller.engine.snapshot().unwrap();
        let (events, next) = read(Rows::new(&*view), self.next.get());
        self.next.set(next);
        events
    }

    /// Operation and entity of the events since the last call.
    pub fn operations(&self) -> Vec<(String, String)> {
        let events = self.events().into_iter();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        events
            .map(|event| (text(&event["operation"]), text(&event["entity"])))
            .collect()
    }
}

/// The events from a row on, each with its sequence number, and the next row.
pub(super) fn read(rows: Rows<'_>, from: u64) -> (Vec<Value>, u64) {
    let (mut events, mut next) = (Vec::new(), from);
    events_from(rows, from, &mut |row, seq, lines| {
        for (seq, line) in (seq..).zip(lines.lines()) {
            let mut event: Value = serde_json::from_str(line).unwrap();
            event["seq"] = json!(seq);
            events.push(event);
        }
        next = row + 1;
        ControlFlow::Continue(())
    })
    .unwrap();
    (events, next)
}
