//! Refusals that wait to be written, limited per source and in number.

use super::AuditEvent;
use portcullis_domain::audit::Event;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::log_throttle::{LogThrottle, SuppressedLines};
use portcullis_domain::peer::Peer;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of events waiting for the sink; further ones are counted.
const MAX_WAITING: usize = 1024;
/// Operation of events that report suppressed refusals.
const SUPPRESSED_OPERATION: &str = "audit.suppressed";

/// Details of an event about suppressed refusals.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuppressedDetail {
    /// The suppressed operation, if there was just one.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed_operation: Option<&'static str>,
    suppressed: usize,
    /// How many of them came from the event's source.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_source: Option<usize>,
}

/// Refusals waiting to be written.
#[derive(Debug, Default)]
pub(crate) struct RefusalQueue {
    /// One per operation, so that a flood of one kind does not hide the other.
    throttles: BTreeMap<&'static str, LogThrottle>,
    waiting: VecDeque<AuditEvent>,
    /// Number of refusals that did not fit.
    dropped: usize,
}

impl RefusalQueue {
    /// Removes and returns the waiting events, with reports of suppressed ones.
    pub(crate) fn drain(&mut self, now: Timestamp) -> Vec<AuditEvent> {
        let settled: Vec<_> = self
            .throttles
            .iter_mut()
            .filter_map(|(operation, throttle)| Some((*operation, throttle.poll_report(now)?)))
            .collect();
        for (operation, suppressed) in settled {
            self.push_summary(operation, &suppressed, now);
        }
        let mut taken: Vec<_> = self.waiting.drain(..).collect();
        if self.dropped > 0 {
            let detail = SuppressedDetail {
                suppressed_operation: None,
                suppressed: std::mem::take(&mut self.dropped),
                from_source: None,
            };
            let time = now.to_string();
            taken.push(AuditEvent::uncommitted(&Event::new(
                &time,
                SUPPRESSED_OPERATION,
                detail,
            )));
        }
        taken
    }

    /// Returns events that the sink lost to the front.
    pub(crate) fn put_back(&mut self, events: Vec<AuditEvent>) {
        for event in events.into_iter().rev() {
            self.waiting.push_front(event);
        }
    }

    /// Whether a refusal is to be recorded; further ones are counted.
    pub(crate) fn admit(&mut self, operation: &'static str, peer: Peer, now: Timestamp) -> bool {
        let throttle = self.throttles.entry(operation).or_default();
        let admission = throttle.admit(peer, now);
        if let Some(earlier) = &admission.report {
            self.push_summary(operation, earlier, now);
        }
        admission.is_admitted
    }

    fn push_summary(
        &mut self,
        operation: &'static str,
        suppressed: &SuppressedLines,
        now: Timestamp,
    ) {
        let (peer, most) = suppressed.heaviest;
        let detail = SuppressedDetail {
            suppressed_operation: Some(operation),
            suppressed: suppressed.lines,
            from_source: Some(most),
        };
        let (time, source) = (now.to_string(), peer.to_string());
        let event = Event {
            source: Some(&source),
            ..Event::new(&time, SUPPRESSED_OPERATION, detail)
        };
        self.push(AuditEvent::uncommitted(&event), suppressed.lines);
    }

    /// Adds an event that represents `count` refusals.
    pub(crate) fn push(&mut self, event: AuditEvent, count: usize) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(event);
        } else {
            self.dropped += count;
        }
    }
}
