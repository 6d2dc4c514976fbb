//! Sessions that begin and end.

use portcullis_domain::api_session::ApiSession;
use portcullis_domain::change::EntityChange;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session::Session;
use portcullis_events::{
    self as events, ApiSessionKind, ApiSessionType, SessionKind, SessionProvider, SessionType,
};

/// The event of a session that was opened or has ended, whichever way. That of an OIDC login begins with its
/// first tokens, which tell of it themselves, and so one without tokens does not end either.
pub(super) fn api_session(change: &EntityChange<ApiSession>) -> Option<events::ApiSession> {
    let (kind, session) = match (&change.before, &change.entity) {
        (None, Some(session)) if session.oidc.is_none() => (ApiSessionKind::Created, session),
        (Some(session), None) => (ApiSessionKind::Deleted, session),
        _ => return None,
    };
    let session_type = match &session.oidc {
        Some(oidc) if oidc.is_pending() => return None,
        Some(_) => ApiSessionType::Jwt,
        None => ApiSessionType::Legacy,
    };
    Some(events::ApiSession {
        kind,
        id: session.id.as_str().into(),
        session_type,
        identity_id: session.identity.as_str().into(),
        ip_address: session.ip_address.as_str().into(),
        has_certificate: false,
    })
}

/// The event of a service session that was created or has ended, whichever way.
pub(super) fn session(change: &EntityChange<Session>) -> Option<events::Session> {
    let (kind, session) = match (&change.before, &change.entity) {
        (None, Some(session)) => (SessionKind::Created, session),
        (Some(session), None) => (SessionKind::Deleted, session),
        _ => return None,
    };
    Some(events::Session {
        kind,
        session_type: match session.grant {
            ServiceGrant::Dial => SessionType::Dial,
            ServiceGrant::Bind => SessionType::Bind,
        },
        provider: if session.api_session.is_of_oidc() {
            SessionProvider::Jwt
        } else {
            SessionProvider::Legacy
        },
        id: session.id.as_str().into(),
        api_session_id: session.api_session.as_str().into(),
        identity_id: session.identity.as_str().into(),
        service_id: session.service.as_str().into(),
    })
}
