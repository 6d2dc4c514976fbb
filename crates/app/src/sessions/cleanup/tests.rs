use super::*;
use crate::fixture::{Fixture, named};
use crate::records::own_session_key;
use crate::session_validity::is_session_revoked;
use crate::settings::Settings;
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::oidc_session::{OidcClient, OidcSession};
use portcullis_storage::key::RecordKey;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// Two sessions: that of the first administrator, and that of another one.
async fn start(all: Option<SignedDuration>) -> (Fixture, Arc<Caller>) {
    let settings = Settings {
        session_timeout: HOUR * 10,
        session_lifetimes: SessionLifetimes {
            all,
            administrators: Some(HOUR),
        },
        ..Settings::default()
    };
    let fixture = Fixture::start_with(settings).await;
    let admin = fixture.admin().await;
    let mut spec = named("alice");
    spec.is_admin = true;
    fixture.add_identity(&admin, spec).await;
    let alice = fixture.caller("alice").await;
    (fixture, alice)
}

async fn demote(fixture: &Fixture, caller: &Caller) {
    let owner = identity_key(caller.identity_number);
    let demoted = fixture.change(owner, |mut identity: Identity| {
        identity.spec.is_admin = false;
        identity
    });
    demoted.await;
}

fn find(fixture: &Fixture, key: &RecordKey) -> Option<ApiSession> {
    fixture.read(|rows| rows.get(key).unwrap())
}

#[tokio::test]
async fn lifetime_that_is_not_over_ends_nothing() {
    let (fixture, alice) = start(Some(HOUR * 2)).await;
    fixture.clock.advance(HOUR - SignedDuration::from_millis(1));
    assert_eq!(sweep(&fixture.app).await.unwrap(), 0);
    demote(&fixture, &alice).await;
    fixture.clock.advance(SignedDuration::from_millis(1));
    assert_eq!(sweep(&fixture.app).await.unwrap(), 1);
    assert!(find(&fixture, &own_session_key(&alice)).is_some());
    fixture.clock.advance(HOUR);
    assert_eq!(sweep(&fixture.app).await.unwrap(), 1);
    assert!(find(&fixture, &own_session_key(&alice)).is_none());
}

#[tokio::test]
async fn session_whose_owner_loses_its_rank_meanwhile_keeps_its_longer_lifetime() {
    for all in [None, Some(HOUR * 2)] {
        let (fixture, alice) = start(all).await;
        fixture.clock.advance(HOUR);
        let change = demote(&fixture, &alice);
        let swept = fixture.change_before_commit(change, sweep(&fixture.app));
        assert_eq!(swept.await.unwrap(), 1, "that of the first administrator");
        assert!(find(&fixture, &own_session_key(&alice)).is_some());
    }
}

#[tokio::test]
async fn session_that_is_gone_meanwhile_is_not_counted_as_ended() {
    // First as one beyond its lifetime, then as one that is idle.
    for age in [HOUR, HOUR * 10] {
        let (fixture, alice) = start(None).await;
        fixture.clock.advance(age);
        let ended = fixture.remove::<ApiSession>(own_session_key(&alice));
        let swept = fixture.change_before_commit(ended, sweep(&fixture.app));
        assert_eq!(swept.await.unwrap(), 1, "that of the first administrator");
    }
}

#[tokio::test]
async fn every_session_beyond_its_lifetime_is_ended_by_some_sweep() {
    let (fixture, alice) = start(None).await;
    let keys = fixture.add_sessions(&alice, SCAN_BATCH).await;
    fixture.clock.advance(HOUR);
    let mut left = keys.len() + 2;
    for _sweep in 0..10 {
        let ended = sweep(&fixture.app).await.unwrap();
        assert!(ended <= BATCH, "{ended} in one transaction");
        left -= ended;
    }
    assert_eq!(left, 0);
    assert!(fixture.app.projections().sessions().is_empty());
}

/// Uses sessions an hour after their login.
fn touch(fixture: &Fixture, keys: &[RecordKey]) -> Timestamp {
    fixture.clock.advance(HOUR);
    let now = fixture.app.env().now();
    let sessions = fixture.app.projections().sessions();
    for key in keys {
        sessions.get(RecordNumber(key.id().1)).unwrap().touch(now);
    }
    now
}

#[tokio::test]
async fn activity_of_more_sessions_than_a_batch_is_saved_at_once() {
    let (fixture, alice) = start(None).await;
    let mut keys = fixture.add_sessions(&alice, BATCH).await;
    for count in [BATCH, BATCH + 1] {
        let now = touch(&fixture, &keys);
        assert_eq!(flush_activity(&fixture.app).await.unwrap(), count);
        let saved = |key| find(&fixture, key).unwrap().last_activity_at;
        assert!(keys.iter().map(saved).all(|saved| saved == now));
        assert_eq!(flush_activity(&fixture.app).await.unwrap(), 0);
        keys.push(own_session_key(&alice));
    }
}

#[tokio::test]
async fn saved_activity_is_never_replaced_by_an_earlier_one() {
    let (fixture, alice) = start(None).await;
    let key = own_session_key(&alice);
    let later = touch(&fixture, &[key]) + HOUR;
    let use_later = fixture.change(key, move |mut session: ApiSession| {
        session.last_activity_at = later;
        session
    });
    let flushed = fixture.change_before_commit(use_later, flush_activity(&fixture.app));
    flushed.await.unwrap();
    assert_eq!(find(&fixture, &key).unwrap().last_activity_at, later);
}

#[tokio::test]
async fn activity_of_a_session_that_is_gone_meanwhile_does_not_bring_it_back() {
    let (fixture, alice) = start(None).await;
    let key = own_session_key(&alice);
    touch(&fixture, &[key]);
    let ended = fixture.remove::<ApiSession>(key);
    let flushed = fixture.change_before_commit(ended, flush_activity(&fixture.app));
    flushed.await.unwrap();
    assert_eq!(find(&fixture, &key), None);
}

/// It lasts longer than the session, as after a change of the configuration.
#[tokio::test]
async fn access_token_of_a_session_beyond_its_lifetime_is_revoked() {
    let (fixture, alice) = start(None).await;
    let end = fixture.app.env().now() + HOUR * 2;
    let issue = move |mut session: ApiSession| {
        session.oidc = Some(OidcSession::pending(OidcClient::Native, end).issued(end, None));
        session
    };
    fixture.change(own_session_key(&alice), issue).await;
    fixture.clock.advance(HOUR);
    assert_eq!(sweep(&fixture.app).await.unwrap(), 2);
    assert!(fixture.read(|rows| is_session_revoked(rows, &alice.session).unwrap()));
}
