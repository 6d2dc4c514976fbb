//! Refused logins and denied requests in the audit trail.

use super::sink::AuditEvent;
use crate::app::App;
use crate::identities;
use portcullis_domain::access::{Caller, Origin};
use portcullis_domain::audit::Event;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::log_throttle::{LogThrottle, SuppressedLines};
use portcullis_domain::peer::Peer;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{MutexGuard, PoisonError};

/// Maximum number of events waiting for the sink; further ones are counted.
const MAX_WAITING: usize = 1024;
/// Operation of events that report suppressed refusals.
const SUPPRESSED_OPERATION: &str = "audit.suppressed";
/// Maximum length of client-supplied texts, bytes.
const MAX_TEXT_BYTES: usize = 200;

/// A refused login or a denied request.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'r> {
    /// `login.refused` or `access.denied`.
    pub operation: &'static str,
    pub origin: &'r Origin,
    pub caller: Option<&'r Caller>,
    /// The login method: `password`, `cert` or `ext-jwt`.
    pub login_method: Option<&'r str>,
    pub name: Option<&'r str>,
    /// Method and path of the request.
    pub request: Option<(&'r str, &'r str)>,
    /// The reason: an API code, or the missing permission.
    pub reason: &'r str,
}

/// Details of a refusal's event.
#[derive(Serialize)]
struct Detail<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'e str>,
    reason: &'e str,
}

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
pub(super) struct Refusals {
    /// One per operation, so that a flood of one kind does not hide the other.
    throttles: BTreeMap<&'static str, LogThrottle>,
    waiting: VecDeque<AuditEvent>,
    /// Number of refusals that did not fit.
    dropped: usize,
}

impl Refusals {
    /// Removes and returns the waiting events, with reports of suppressed ones.
    pub(super) fn drain(&mut self, now: Timestamp) -> Vec<AuditEvent> {
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
    pub(super) fn put_back(&mut self, events: Vec<AuditEvent>) {
        for event in events.into_iter().rev() {
            self.waiting.push_front(event);
        }
    }

    fn admit(&mut self, operation: &'static str, peer: Peer, now: Timestamp) -> bool {
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
    fn push(&mut self, event: AuditEvent, count: usize) {
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back(event);
        } else {
            self.dropped += count;
        }
    }
}

/// Records a refusal in the audit trail. Refusals are limited per source address and in total;
/// further ones are counted.
pub fn record_refusal(app: &App, refusal: &Refusal<'_>) {
    let now = app.env().now();
    let peer = Peer::from_address(refusal.origin.address);
    if lock_refusals(app).admit(refusal.operation, peer, now) {
        let event = event(app, refusal, now);
        lock_refusals(app).push(event, 1);
    }
    app.trail.wake();
}

fn event(app: &App, refusal: &Refusal<'_>, now: Timestamp) -> AuditEvent {
    let name_of = |caller: &Caller| {
        let view = app.snapshot().ok()?;
        let found = identities::find(view.rows(), &caller.identity).ok()?;
        Some(found.entity.name().to_owned())
    };
    let detail = Detail {
        way: refusal.login_method,
        name: refusal.name.map(truncate),
        method: refusal.request.map(|(method, _)| method),
        path: refusal.request.map(|(_, path)| truncate(path)),
        reason: truncate(refusal.reason),
    };
    let (time, source) = (now.to_string(), refusal.origin.address.to_string());
    let actor_name = refusal.caller.and_then(name_of);
    AuditEvent::uncommitted(&Event {
        actor: refusal.caller.map(|caller| caller.identity.as_str()),
        actor_name: actor_name.as_deref(),
        session: refusal.caller.map(|caller| caller.session.as_str()),
        source: Some(&source),
        request: Some(refusal.origin.request.as_str()),
        ..Event::new(&time, refusal.operation, detail)
    })
}

fn truncate(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_BYTES))
        .unwrap_or(text)
}

pub(super) fn lock_refusals(app: &App) -> MutexGuard<'_, Refusals> {
    app.trail
        .refusals
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}
