use super::*;
use crate::fixture::Fixture;
use portcullis_domain::access::Caller;

/// Ends sessions of a caller; returns how many were ended.
async fn evict(fixture: &Fixture, caller: &Caller, excess_bytes: usize) -> usize {
    let owner = caller.identity_number;
    let ended = fixture
        .app
        .commit_unaudited(move |rows| Ok::<_, AppError>(evict_oldest(rows, owner, excess_bytes)?));
    ended.await.unwrap().len()
}

#[tokio::test]
async fn creation_ends_as_many_of_the_oldest_sessions_as_needed_but_a_limited_number() {
    let fixture = Fixture::start().await;
    let caller = fixture.admin().await;
    fixture.add_service("service").await;
    let mut keys = Vec::new();
    for api_session in fixture.add_sessions(&caller, MAX_EVICTIONS + 4).await {
        keys.push(fixture.add_service_session(&api_session, "service").await);
    }
    let newest = keys.last().unwrap();
    let session: Session = fixture.read(|rows| rows.get(newest).unwrap().unwrap());
    let bytes = session.stored_bytes();
    assert_eq!(evict(&fixture, &caller, 0).await, 0);
    assert_eq!(evict(&fixture, &caller, bytes + 1).await, 2);
    assert_eq!(evict(&fixture, &caller, usize::MAX).await, MAX_EVICTIONS);
    let left: Vec<_> = fixture.read(|rows| {
        let owner = identity_key(caller.identity_number);
        let left = rows.dependents::<Session>(&owner).unwrap();
        left.iter().map(|session| session.key).collect()
    });
    assert_eq!(left, keys[MAX_EVICTIONS + 2..]);
    assert_eq!(evict(&fixture, &caller, usize::MAX).await, 2);
}
