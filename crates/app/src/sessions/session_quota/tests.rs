use super::*;
use crate::fixture::Fixture;
use crate::session_validity::is_session_revoked;
use portcullis_domain::access::Caller;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::oidc_session::{OidcClient, OidcSession};

/// Makes a session one of OpenID Connect whose tokens count for an hour; returns its id.
async fn sign_tokens(fixture: &Fixture, session: RecordKey) -> ApiSessionId {
    let end = fixture.app.env().now() + SignedDuration::from_hours(1);
    let issued = OidcSession::pending(OidcClient::Native, end).issued(end, None);
    let change = move |mut session: ApiSession| {
        session.oidc = Some(issued.clone());
        session
    };
    fixture.change(session, change).await;
    let session: Option<ApiSession> = fixture.read(|rows| rows.get(&session).unwrap());
    session.unwrap().id
}

fn is_revoked(fixture: &Fixture, session: &ApiSessionId) -> bool {
    fixture.read(|rows| is_session_revoked(rows, session).unwrap())
}

/// Ends sessions of a caller for ever so many bytes; returns how many were ended.
async fn evict(fixture: &Fixture, caller: &Caller, candidates: Candidates) -> usize {
    evict_bytes(fixture, caller, candidates, usize::MAX).await
}

/// Ends sessions of a caller for so many bytes; returns how many were ended.
async fn evict_bytes(
    fixture: &Fixture,
    caller: &Caller,
    candidates: Candidates,
    excess_bytes: usize,
) -> usize {
    let plan = EvictionPlan {
        identity: identity_key(caller.identity_number),
        excess_bytes,
        candidates,
        revocation: SessionRevocation::new(&fixture.app),
    };
    let applied = fixture.app.commit_unaudited(move |rows| plan.apply(rows));
    applied.await.unwrap().len()
}

fn number(session: &RecordKey) -> RecordNumber {
    RecordNumber(session.id().1)
}

fn is_there(fixture: &Fixture, session: &RecordKey) -> bool {
    let found: Option<ApiSession> = fixture.read(|rows| rows.get(session).unwrap());
    found.is_some()
}

#[tokio::test]
async fn login_ends_a_limited_number_of_sessions_and_never_fails_for_lack_of_them() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    // The own session is one more, and the oldest.
    fixture.add_sessions(&admin, MAX_EVICTIONS + 1).await;
    assert_eq!(
        evict(&fixture, &admin, Candidates::default()).await,
        MAX_EVICTIONS
    );
    assert_eq!(evict(&fixture, &admin, Candidates::default()).await, 2);
    assert_eq!(evict(&fixture, &admin, Candidates::default()).await, 0);
}

#[tokio::test]
async fn candidate_that_is_gone_is_replaced_by_the_oldest_session() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let keys = fixture.add_sessions(&admin, MAX_EVICTIONS + 1).await;
    let [oldest, .., next_to_last, last] = &*keys else {
        panic!("{keys:?}");
    };
    fixture.remove::<ApiSession>(*next_to_last).await;
    let candidates = Candidates {
        finished: [next_to_last, last].map(number).to_vec(),
        ..Candidates::default()
    };
    let ended = evict(&fixture, &admin, candidates).await;
    assert_eq!(ended, MAX_EVICTIONS);
    assert!(!is_there(&fixture, last) && !is_there(&fixture, oldest));
    let left = keys.iter().filter(|key| is_there(&fixture, key)).count();
    assert_eq!(left, 1, "the newest of those that were no candidates");
}

#[tokio::test]
async fn login_that_was_finished_meanwhile_is_spared() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let keys = fixture.add_sessions(&admin, 3).await;
    let [finished_meanwhile, unfinished, idle] = &*keys else {
        panic!("{keys:?}");
    };
    let demand_code = |mut session: ApiSession| {
        session.totp.is_required = true;
        session
    };
    fixture.change(*unfinished, demand_code).await;
    let candidates = Candidates {
        unfinished: [finished_meanwhile, unfinished].map(number).to_vec(),
        finished: vec![number(idle)],
    };
    for gone in [unfinished, idle] {
        assert!(is_there(&fixture, gone));
        let ended = evict_bytes(&fixture, &admin, candidates.clone(), 1).await;
        assert_eq!(ended, 1);
        assert!(!is_there(&fixture, gone) && is_there(&fixture, finished_meanwhile));
    }
}

#[tokio::test]
async fn tokens_of_sessions_that_give_way_are_revoked() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let keys = fixture.add_sessions(&admin, 3).await;
    let mut signed = Vec::new();
    for key in &keys {
        signed.push(sign_tokens(&fixture, *key).await);
    }
    assert_eq!(evict(&fixture, &admin, Candidates::default()).await, 4);
    assert!(signed.iter().all(|session| is_revoked(&fixture, session)));
    assert!(!is_revoked(&fixture, &admin.session));
}
