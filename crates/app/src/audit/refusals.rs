//! Refused logins and denied requests in the audit trail.

use super::sink::AuditEvent;
use crate::app::App;
use crate::identities;
use portcullis_domain::access::{Caller, Origin};
use portcullis_domain::audit::Event;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::log_throttle::{LogThrottle, Suppressed};
use portcullis_domain::peer::Peer;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{MutexGuard, PoisonError};

/// Events that may wait for the sink; what comes beyond is counted.
const WAITING: usize = 1024;
/// The operation that says that some were not told.
const SUPPRESSED: &str = "audit.suppressed";
/// Bytes that are shown of what a stranger says.
const SHOWN: usize = 200;

/// Somebody was not let in, or not let do something.
#[derive(Debug, Clone, Copy)]
pub struct Refusal<'r> {
    /// `login.refused` or `access.denied`.
    pub operation: &'static str,
    /// Where the request comes from.
    pub origin: &'r Origin,
    /// Who was refused, if that is known.
    pub caller: Option<&'r Caller>,
    /// The way in that was tried: `password`, `cert` or `ext-jwt`.
    pub way: Option<&'r str>,
    /// The username that was tried.
    pub name: Option<&'r str>,
    /// Method and path of what was asked for.
    pub request: Option<(&'r str, &'r str)>,
    /// Why it was refused: a word of the API, or what was lacking.
    pub reason: &'r str,
}

/// What is particular to the event of a refusal.
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

/// What is particular to the event about refusals that were suppressed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SuppressedDetail {
    /// What was suppressed, if that is of one kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed_operation: Option<&'static str>,
    suppressed: usize,
    /// How many of them are of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_source: Option<usize>,
}

/// Refusals that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// One for each operation, so that a flood of one kind does not hide the other.
    throttles: BTreeMap<&'static str, LogThrottle>,
    waiting: VecDeque<AuditEvent>,
    /// Those for which there was no room.
    overflown: usize,
}

impl Refusals {
    /// Takes what waits, with what is to be said of those that were suppressed.
    pub(super) fn take(&mut self, now: Timestamp) -> Vec<AuditEvent> {
        let settled: Vec<_> = self
            .throttles
            .iter_mut()
            .filter_map(|(operation, throttle)| Some((*operation, throttle.settle(now)?)))
            .collect();
        for (operation, suppressed) in settled {
            self.summarise(operation, &suppressed, now);
        }
        let mut taken: Vec<_> = self.waiting.drain(..).collect();
        if self.overflown > 0 {
            let detail = SuppressedDetail {
                suppressed_operation: None,
                suppressed: std::mem::take(&mut self.overflown),
                from_source: None,
            };
            let time = now.to_string();
            taken.push(AuditEvent::uncommitted(&Event::new(
                &time, SUPPRESSED, detail,
            )));
        }
        taken
    }

    /// Takes back what the sink lost.
    pub(super) fn put_back(&mut self, events: Vec<AuditEvent>) {
        for event in events.into_iter().rev() {
            self.waiting.push_front(event);
        }
    }

    fn admit(&mut self, operation: &'static str, peer: Peer, now: Timestamp) -> bool {
        let throttle = self.throttles.entry(operation).or_default();
        let admission = throttle.admit(peer, now);
        if let Some(earlier) = &admission.earlier {
            self.summarise(operation, earlier, now);
        }
        admission.is_granted
    }

    fn summarise(&mut self, operation: &'static str, suppressed: &Suppressed, now: Timestamp) {
        let (peer, most) = suppressed.heaviest;
        let detail = SuppressedDetail {
            suppressed_operation: Some(operation),
            suppressed: suppressed.lines,
            from_source: Some(most),
        };
        let (time, source) = (now.to_string(), peer.to_string());
        let event = Event {
            source: Some(&source),
            ..Event::new(&time, SUPPRESSED, detail)
        };
        self.push(AuditEvent::uncommitted(&event), suppressed.lines);
    }

    /// Adds an event that stands for `count` refusals.
    fn push(&mut self, event: AuditEvent, count: usize) {
        if self.waiting.len() < WAITING {
            self.waiting.push_back(event);
        } else {
            self.overflown += count;
        }
    }
}

/// Writes a refusal into the audit trail; those of one address, and all together, are limited, and
/// what goes beyond is counted.
pub fn refused(app: &App, refusal: &Refusal<'_>) {
    let now = app.env().now();
    let peer = Peer::at(refusal.origin.address);
    if waiting(app).admit(refusal.operation, peer, now) {
        let event = event(app, refusal, now);
        waiting(app).push(event, 1);
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
        way: refusal.way,
        name: refusal.name.map(cut),
        method: refusal.request.map(|(method, _)| method),
        path: refusal.request.map(|(_, path)| cut(path)),
        reason: cut(refusal.reason),
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

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SHOWN)).unwrap_or(text)
}

pub(super) fn waiting(app: &App) -> MutexGuard<'_, Refusals> {
    app.trail
        .refusals
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}
