use super::*;
use portcullis_data_model::Entity;
use portcullis_domain::api_session::{OpenedBy, TokenHash};
use portcullis_domain::ids::IdentityId;
use portcullis_domain::oidc_session::OidcClient;
use std::sync::Arc;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn session(oidc: Option<OidcSession>) -> ApiSession {
    let mut session = ApiSession::new(
        ApiSessionId::from_wire("session"),
        IdentityId::from_wire("identity"),
        OpenedBy::ExternalId,
        TokenHash([0; 16]),
        at(0),
    );
    session.oidc = oidc;
    session
}

fn change(session: Option<ApiSession>) -> EntityChange<ApiSession> {
    EntityChange {
        owner: None,
        number: RecordNumber(1),
        before: None,
        entity: session.map(Arc::new),
    }
}

/// A session whose last token expires at second 100.
fn with_tokens() -> ApiSession {
    let pending = OidcSession::pending(OidcClient::Native, at(10));
    session(Some(pending.issued(at(100), None)))
}

fn revoked(change: Option<ModelChange>) -> Option<String> {
    match change? {
        ModelChange::Set(Entity::Revocation(revocation)) => {
            assert_eq!(revocation.kind, "API_SESSION");
            Some(revocation.id)
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn tokens_of_a_session_that_is_gone_are_revoked_until_they_expire() {
    let mut sessions = EndedSessions::default();
    assert!(
        sessions
            .follow(&change(Some(with_tokens())), at(1))
            .is_none()
    );
    let ended = sessions.follow(&change(None), at(2));
    assert_eq!(revoked(ended).as_deref(), Some("session"));
    assert!(sessions.expire(at(99)).is_empty());
    let expired = sessions.expire(at(100));
    let key = EntityKey {
        kind: Kind::Revocation,
        id: "session".to_owned(),
    };
    assert_eq!(expired, [ModelChange::Removed(key)]);
    assert!(sessions.expire(at(101)).is_empty());
}

#[test]
fn sessions_without_tokens_leave_nothing() {
    let pending = OidcSession::pending(OidcClient::Native, at(10));
    for record in [session(None), session(Some(pending))] {
        let mut sessions = EndedSessions::default();
        sessions.follow(&change(Some(record)), at(1));
        assert!(sessions.follow(&change(None), at(2)).is_none());
    }
    let mut sessions = EndedSessions::default();
    sessions.follow(&change(Some(with_tokens())), at(1));
    assert!(sessions.follow(&change(None), at(100)).is_none());
}

#[test]
fn records_of_revocations_count_instead() {
    let mut sessions = EndedSessions::default();
    sessions.follow(&change(Some(with_tokens())), at(1));
    sessions.set_recorded("session", true);
    assert!(sessions.follow(&change(None), at(2)).is_none());

    let mut sessions = EndedSessions::default();
    sessions.follow(&change(Some(with_tokens())), at(1));
    assert!(sessions.follow(&change(None), at(2)).is_some());
    sessions.set_recorded("session", true);
    assert!(sessions.expire(at(100)).is_empty());
}

#[test]
fn sessions_that_ended_unseen_are_revoked() {
    let mut before = EndedSessions::default();
    before.follow(&change(Some(with_tokens())), at(1));
    let mut sessions = EndedSessions::default();
    let all = sessions.renew(before, at(2));
    assert_eq!(all.len(), 1);
    let mut later = EndedSessions::default();
    assert_eq!(later.renew(sessions, at(3)), all);
}

#[test]
fn revocation_that_has_expired_meanwhile_is_taken_back() {
    let mut before = EndedSessions::default();
    before.follow(&change(Some(with_tokens())), at(1));
    assert!(before.follow(&change(None), at(2)).is_some());
    let mut sessions = EndedSessions::default();
    let key = EntityKey {
        kind: Kind::Revocation,
        id: "session".to_owned(),
    };
    let changes = sessions.renew(before, at(100));
    assert_eq!(changes, [ModelChange::Removed(key)]);
}
