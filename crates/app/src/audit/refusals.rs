//! Refused logins and denied requests in the audit trail.

use crate::app::App;
use crate::records::get_identity;
use crate::state::AuditEvent;
use portcullis_domain::access::{Caller, Origin};
use portcullis_domain::audit::Event;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::peer::Peer;
use serde::Serialize;

/// Maximum length of client-supplied texts, bytes.
const MAX_TEXT_BYTES: usize = 200;

/// A refused login or a denied request.
#[derive(Debug, Clone, Copy)]
pub struct RefusalEvent<'r> {
    /// `login.refused` or `access.denied`.
    pub operation: &'static str,
    pub origin: &'r Origin,
    pub caller: Option<&'r Caller>,
    /// The login method: `password`, `cert` or `ext-jwt`.
    pub login_method: Option<&'r str>,
    pub name: Option<&'r str>,
    /// Method and path of the request.
    pub request: Option<(&'r str, &'r str)>,
    /// The reason in words: why a login was refused, or which permission a request lacks.
    pub reason: &'r str,
}

/// Details of a refusal's event.
#[derive(Serialize)]
struct Detail<'e> {
    /// The login method.
    #[serde(skip_serializing_if = "Option::is_none", rename = "way")]
    login_method: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'e str>,
    /// The HTTP method.
    #[serde(skip_serializing_if = "Option::is_none", rename = "method")]
    http_method: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'e str>,
    reason: &'e str,
}

/// Records a refusal in the audit trail. Refusals are limited per source address and in total;
/// further ones are counted.
pub fn record_refusal(app: &App, refusal: &RefusalEvent<'_>) {
    let now = app.env().now();
    let peer = Peer::from_address(refusal.origin.address());
    if app.trail.refusals().admit(refusal.operation, peer, now) {
        let event = event(app, refusal, now);
        app.trail.refusals().push(event, 1);
    }
    app.trail.wake();
}

fn event(app: &App, refusal: &RefusalEvent<'_>, now: Timestamp) -> AuditEvent {
    let name_of = |caller: &Caller| {
        let view = app.snapshot().ok()?;
        let found = get_identity(view.rows(), &caller.identity).ok()?;
        Some(found.entity.name().to_owned())
    };
    let detail = Detail {
        login_method: refusal.login_method,
        name: refusal.name.map(truncate),
        http_method: refusal.request.map(|(method, _)| method),
        path: refusal.request.map(|(_, path)| truncate(path)),
        reason: truncate(refusal.reason),
    };
    let (time, source) = (now.to_string(), refusal.origin.address().to_string());
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
