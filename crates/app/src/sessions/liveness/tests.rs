use super::*;
use crate::fixture::{Fixture, named};
use crate::records::{login_authenticator, own_session_key};
use crate::session_validity::validate;
use crate::sessions::token_hash;
use crate::settings::Settings;
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::{LoginCertificate, SessionLifetimes};
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::IdentityType;
use portcullis_storage::tables::Found;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

async fn start(settings: Settings) -> (Fixture, Arc<Caller>) {
    let fixture = Fixture::start_with(settings).await;
    let admin = fixture.admin().await;
    fixture.add_identity(&admin, named("alice")).await;
    let caller = fixture.caller("alice").await;
    (fixture, caller)
}

/// Whether the caller's session is valid by the read model, and by its records.
fn liveness(fixture: &Fixture, caller: &Caller, now: Timestamp) -> (bool, bool) {
    fixture.read(|rows| {
        let key = own_session_key(caller);
        let entity: Arc<ApiSession> = rows.get_shared(&key).unwrap().unwrap();
        let is_idle = is_idle(&fixture.app, &entity, now);
        let in_memory = is_live(&fixture.app, rows, entity.token_hash, now).unwrap();
        let lifetimes = fixture.app.settings().session_lifetimes;
        let found = validate(rows, Found { key, entity }, lifetimes, now).unwrap();
        (in_memory, found.is_some() && !is_idle)
    })
}

#[tokio::test]
async fn session_depends_on_its_activity_and_policy() {
    let (fixture, caller) = start(Settings::default()).await;
    let now = fixture.app.env().now();
    assert_eq!(liveness(&fixture, &caller, now), (true, true));
    let timeout = fixture.app.settings().session_timeout;
    let idle = liveness(&fixture, &caller, now + timeout);
    assert_eq!(idle, (false, false));
    fixture
        .change_policy(|mut policy| {
            policy.spec.primary.updb.allowed = false;
            policy
        })
        .await;
    assert_eq!(liveness(&fixture, &caller, now), (false, false));
}

#[tokio::test]
async fn session_depends_on_its_authenticator() {
    let (fixture, caller) = start(Settings::default()).await;
    let authenticator = fixture.read(|rows| {
        let session: ApiSession = rows.get(&own_session_key(&caller))?.unwrap();
        login_authenticator(rows, &session)
    });
    let key = authenticator.unwrap().unwrap().key;
    fixture.remove::<Authenticator>(key).await;
    let now = fixture.app.env().now();
    assert_eq!(liveness(&fixture, &caller, now), (false, false));
}

#[tokio::test]
async fn lifetime_depends_on_the_rank() {
    let settings = Settings {
        session_timeout: HOUR * 10,
        session_lifetimes: SessionLifetimes {
            all: None,
            administrators: Some(HOUR),
        },
        ..Settings::default()
    };
    let (fixture, caller) = start(settings).await;
    let end = fixture.app.env().now() + HOUR;
    assert_eq!(liveness(&fixture, &caller, end), (true, true));
    fixture
        .change(
            identity_key(caller.identity_number),
            |mut identity: Identity| {
                identity.spec.is_admin = true;
                identity
            },
        )
        .await;
    assert_eq!(liveness(&fixture, &caller, end), (false, false));
    let just_before = end - SignedDuration::from_millis(1);
    assert_eq!(liveness(&fixture, &caller, just_before), (true, true));
}

#[tokio::test]
async fn end_of_a_disabling_is_read_from_the_record() {
    let (fixture, caller) = start(Settings {
        session_timeout: HOUR * 10,
        ..Settings::default()
    })
    .await;
    let now = fixture.app.env().now();
    let identity = identity_key(caller.identity_number);
    fixture
        .change(identity, |mut identity: Identity| {
            identity.disable(Some(identity.created_at + HOUR), identity.created_at);
            identity
        })
        .await;
    assert_eq!(liveness(&fixture, &caller, now), (false, false));
    assert_eq!(liveness(&fixture, &caller, now + HOUR), (true, true));
}

#[tokio::test]
async fn router_identity_keeps_no_session_of_a_third_party() {
    let (fixture, caller) = start(Settings::default()).await;
    let now = fixture.app.env().now();
    fixture
        .change(own_session_key(&caller), |mut session: ApiSession| {
            session.opened_by = OpenedBy::ExternalId;
            session.certificate = Some(LoginCertificate {
                fingerprint: "0a".to_owned(),
                previous: None,
                replaced_at: None,
                not_after: session.created_at + HOUR,
                ca: None,
            });
            session
        })
        .await;
    assert_eq!(liveness(&fixture, &caller, now), (true, true));
    fixture
        .change(
            identity_key(caller.identity_number),
            |identity: Identity| Identity {
                kind: IdentityType::Router,
                ..identity
            },
        )
        .await;
    assert_eq!(liveness(&fixture, &caller, now), (false, false));
}

#[tokio::test]
async fn unknown_token_has_no_live_session() {
    let (fixture, _caller) = start(Settings::default()).await;
    let token = token_hash(&fixture.app, "unknown");
    let now = fixture.app.env().now();
    let is_live = fixture.read(|rows| is_live(&fixture.app, rows, token, now));
    assert!(!is_live.unwrap());
}
