use super::*;
use crate::fixture::{Fixture, named};
use crate::records::{login_authenticator, own_session_key};
use crate::sessions::{is_live, token_hash};
use crate::settings::Settings;
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::SessionLifetimes;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_storage::tables::{Found, identity_key};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

async fn start(settings: Settings) -> (Fixture, Arc<Caller>) {
    let fixture = Fixture::start_with(settings).await;
    let admin = fixture.admin().await;
    fixture.add_identity(&admin, named("alice")).await;
    let caller = fixture.caller("alice").await;
    (fixture, caller)
}

/// What the cache knows of the caller's session, and what the store says.
fn liveness(fixture: &Fixture, caller: &Caller, now: Timestamp) -> (Option<bool>, bool) {
    fixture.read(|rows| {
        let key = own_session_key(caller);
        let entity: Arc<ApiSession> = rows.get_cached(&key).unwrap().unwrap();
        let cache = LivenessCache::new(&fixture.app, now);
        let known = cache.is_live(rows, entity.token_hash).unwrap();
        // The second answer is the first one.
        assert_eq!(cache.is_live(rows, entity.token_hash).unwrap(), known);
        let found = Found { key, entity };
        (known, is_live(&fixture.app, rows, found, now).unwrap())
    })
}

#[tokio::test]
async fn cache_knows_sessions_by_their_activity_and_policy() {
    let (fixture, caller) = start(Settings::default()).await;
    let now = fixture.app.env().now();
    assert_eq!(liveness(&fixture, &caller, now), (Some(true), true));
    let timeout = fixture.app.settings().session_timeout;
    let idle = liveness(&fixture, &caller, now + timeout);
    assert_eq!(idle, (Some(false), false));
    fixture
        .change_policy(|mut policy| {
            policy.spec.primary.updb.allowed = false;
            policy
        })
        .await;
    assert_eq!(liveness(&fixture, &caller, now), (Some(false), false));
}

#[tokio::test]
async fn cache_knows_when_an_authenticator_is_gone() {
    let (fixture, caller) = start(Settings::default()).await;
    let authenticator = fixture.read(|rows| {
        let session: ApiSession = rows.get(&own_session_key(&caller))?.unwrap();
        login_authenticator(rows, &session)
    });
    let key = authenticator.unwrap().unwrap().key;
    fixture.remove::<Authenticator>(key).await;
    let now = fixture.app.env().now();
    assert_eq!(liveness(&fixture, &caller, now), (Some(false), false));
}

#[tokio::test]
async fn cache_leaves_to_the_store_what_only_records_have() {
    let settings = Settings {
        session_timeout: HOUR * 10,
        session_lifetimes: SessionLifetimes {
            all: None,
            administrators: Some(HOUR),
        },
        ..Settings::default()
    };
    let (fixture, caller) = start(settings).await;
    let now = fixture.app.env().now();
    // Whether the limit applies depends on the rank.
    assert_eq!(liveness(&fixture, &caller, now + HOUR), (None, true));
    let identity = identity_key(caller.identity_number);
    fixture
        .change(identity, |mut identity: Identity| {
            identity.disable(Some(identity.created_at + HOUR), identity.created_at);
            identity
        })
        .await;
    assert_eq!(liveness(&fixture, &caller, now), (None, false));
}

#[tokio::test]
async fn cache_does_not_know_unknown_tokens() {
    let (fixture, _caller) = start(Settings::default()).await;
    let token = token_hash(&fixture.app, "unknown");
    let cache = LivenessCache::new(&fixture.app, fixture.app.env().now());
    let known = fixture.read(|rows| cache.is_live(rows, token));
    assert_eq!(known.unwrap(), None);
}
