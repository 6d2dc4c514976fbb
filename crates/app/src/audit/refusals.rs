//! Refused logins and denied requests in the audit trail.

use crate::app::App;
use crate::identities;
use portcullis_domain::access::{Caller, Origin};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::log_throttle::{LogThrottle, Suppressed};
use portcullis_domain::peer::Peer;
use serde::Serialize;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::{MutexGuard, PoisonError};

/// Events that may wait for the sink; what comes beyond is counted.
const WAITING: usize = 1024;
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
    /// Why it was refused, in a word of the API.
    pub reason: &'r str,
}

/// The form in which a refusal is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Event<'e> {
    timestamp: String,
    operation: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'e str>,
    reason: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'e str>,
    source: String,
    request: &'e str,
}

/// Refusals that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    throttle: LogThrottle,
    waiting: VecDeque<String>,
    /// Those for which there was no room.
    overflown: usize,
}

impl Refusals {
    /// Takes what waits, with what is to be said of those that were suppressed.
    pub(super) fn take(&mut self, now: Timestamp) -> Vec<String> {
        if let Some(suppressed) = self.throttle.settle(now) {
            self.summarise(&suppressed, now);
        }
        let mut taken: Vec<_> = self.waiting.drain(..).collect();
        if self.overflown > 0 {
            let suppressed = std::mem::take(&mut self.overflown);
            let event = json!({"timestamp": now.to_string(), "operation": "audit.suppressed",
                "suppressed": suppressed});
            taken.push(event.to_string());
        }
        taken
    }

    fn summarise(&mut self, suppressed: &Suppressed, now: Timestamp) {
        let (peer, most) = suppressed.heaviest;
        let event = json!({"timestamp": now.to_string(), "operation": "audit.suppressed",
            "suppressed": suppressed.lines, "source": peer.to_string(), "fromSource": most});
        self.push(event.to_string(), suppressed.lines);
    }

    /// Adds an event that stands for `count` refusals.
    fn push(&mut self, event: String, count: usize) {
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
    let admission = {
        let mut refusals = waiting(app);
        let peer = Peer::at(refusal.origin.address);
        let admission = refusals.throttle.admit(peer, now);
        if let Some(earlier) = &admission.earlier {
            refusals.summarise(earlier, now);
        }
        admission
    };
    if admission.is_granted
        && let Ok(event) = serde_json::to_string(&event(app, refusal, now))
    {
        waiting(app).push(event, 1);
    }
    app.trail.wake();
}

fn event<'e>(app: &App, refusal: &Refusal<'e>, now: Timestamp) -> Event<'e> {
    let name_of = |caller: &Caller| {
        let view = app.snapshot().ok()?;
        let found = identities::find(view.rows(), &caller.identity).ok()?;
        Some(found.entity.name().to_owned())
    };
    Event {
        timestamp: now.to_string(),
        operation: refusal.operation,
        way: refusal.way,
        name: refusal.name.map(cut),
        method: refusal.request.map(|(method, _)| method),
        path: refusal.request.map(|(_, path)| cut(path)),
        reason: refusal.reason,
        actor: refusal.caller.map(|caller| caller.identity.as_str()),
        actor_name: refusal.caller.and_then(name_of),
        session: refusal.caller.map(|caller| caller.session.as_str()),
        source: refusal.origin.address.to_string(),
        request: refusal.origin.request.as_str(),
    }
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
