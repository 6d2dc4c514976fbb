use super::*;
use crate::fixture::dialing::Dialing;
use crate::fixture::{PASSWORD, permit};
use crate::sessions::{self, own_session_key};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::identity::{Disabled, Identity};
use portcullis_domain::ids::SessionCertificateId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::session_certificate::CertificateInfo;
use portcullis_storage::tables::{SESSION_CERTIFICATE, identity_key};
use secrecy::ExposeSecret as _;

/// What is told of one operation, with the tokens or ids of sessions.
async fn told(dialing: &Dialing, operation: impl Future<Output = ()>) -> Vec<String> {
    let before = dialing.fixture.revision();
    operation.await;
    let changes = dialing.fixture.changes_since(before);
    let news = news(&dialing.fixture.app, &changes).unwrap();
    news.iter()
        .map(|news| match news {
            SessionNews::Added(session) => format!("+{}", session.token.expose_secret()),
            SessionNews::Updated(session) => format!(
                "{} {}",
                session.token.expose_secret(),
                session.fingerprints.join(" ")
            ),
            SessionNews::Removed { token, .. } => format!("-{}", token.expose_secret()),
            SessionNews::ServiceSessionRemoved(id) => format!("-{id}"),
            SessionNews::Everything => "all".to_owned(),
        })
        .collect()
}

#[tokio::test]
async fn logins_and_logouts_are_told() {
    let dialing = Dialing::start().await;
    let (fixture, app) = (&dialing.fixture, &dialing.fixture.app);
    let mut session = None;
    let login = Box::pin(async {
        session = Some(fixture.log_in("alice", PASSWORD).await.unwrap());
    });
    let news = told(&dialing, login).await;
    let session = session.unwrap();
    let token = session.token.expose_secret();
    assert_eq!(news, [format!("+{token}")]);
    let caller = fixture.resolve(&session).await.unwrap();
    let ended = told(&dialing, async {
        sessions::end(app, &permit(&caller)).await.unwrap();
    });
    assert_eq!(ended.await, [format!("-{token}")]);
    let of_openid_connect = Box::pin(async {
        let (session, _) = dialing.oidc_session().await;
        fixture.remove::<ApiSession>(session.key).await;
    });
    assert!(told(&dialing, of_openid_connect).await.is_empty());
}

#[tokio::test]
async fn session_that_lacks_a_code_is_told_when_that_was_given() {
    let dialing = Dialing::start().await;
    let fixture = &dialing.fixture;
    let key = own_session_key(&dialing.caller);
    let totp = |passed_at: Option<Timestamp>| {
        move |mut session: ApiSession| {
            session.totp.is_required = true;
            session.totp.passed_at = passed_at;
            session
        }
    };
    let token = dialing.token();
    let lacking = told(&dialing, fixture.change(key, totp(None)));
    assert_eq!(lacking.await, [format!("-{token}")]);
    let given = told(
        &dialing,
        fixture.change(key, totp(Some(Timestamp::UNIX_EPOCH))),
    );
    assert_eq!(given.await, [format!("+{token}")]);
}

#[tokio::test]
async fn activity_is_no_news() {
    let dialing = Dialing::start().await;
    let (fixture, app) = (&dialing.fixture, &dialing.fixture.app);
    fixture.clock.advance(SignedDuration::from_secs(60));
    fixture.resolve(&dialing.session).await.unwrap();
    let news = told(&dialing, async {
        assert_eq!(sessions::flush_activity(app).await.unwrap(), 1);
    });
    assert!(news.await.is_empty());
}

#[tokio::test]
async fn what_sessions_depend_on_is_told() {
    let dialing = Dialing::start().await;
    let (fixture, token) = (&dialing.fixture, dialing.token());
    let identity = identity_key(dialing.caller.identity_number);
    let disable = |is_disabled: bool| {
        move |mut identity: Identity| {
            identity.disabled = is_disabled.then_some(Disabled {
                at: Timestamp::UNIX_EPOCH,
                until: None,
            });
            identity
        }
    };
    let disabled = told(&dialing, fixture.change(identity, disable(true)));
    assert_eq!(disabled.await, [format!("-{token}")]);
    let enabled = told(&dialing, fixture.change(identity, disable(false)));
    assert_eq!(enabled.await, [format!("+{token}")]);
    let rename = |mut identity: Identity| {
        identity.sdk_info.version = "2".to_owned();
        identity
    };
    let told_of_sdk = told(&dialing, fixture.change(identity, rename));
    assert!(told_of_sdk.await.is_empty());
    let require_totp = |mut policy: AuthPolicy| {
        policy.spec.secondary.require_totp = true;
        policy
    };
    let by_policy = told(&dialing, fixture.change_policy(require_totp));
    assert_eq!(by_policy.await, ["all"]);
    let authenticator = fixture.authenticator(&dialing.caller).key;
    let removed = told(&dialing, fixture.remove::<Authenticator>(authenticator));
    assert_eq!(removed.await, [format!("-{token}")]);
    let removed = told(
        &dialing,
        fixture.remove::<ApiSession>(own_session_key(&dialing.caller)),
    );
    assert_eq!(removed.await, [format!("-{token}")]);
}

#[tokio::test]
async fn certificates_and_service_sessions_are_told() {
    let dialing = Dialing::start().await;
    let (fixture, token) = (&dialing.fixture, dialing.token());
    let key = own_session_key(&dialing.caller);
    let session: ApiSession = fixture.read(|rows| rows.get(&key)).unwrap().unwrap();
    let certificate = SessionCertificate {
        id: SessionCertificateId::from_wire("certificate"),
        created_at: Timestamp::UNIX_EPOCH,
        session: session.token_hash,
        certificate: CertificateInfo {
            fingerprint: "22".to_owned(),
            subject: String::new(),
            not_before: Timestamp::UNIX_EPOCH,
            not_after: Timestamp::UNIX_EPOCH,
            pem: String::new(),
        },
    };
    let place = identity_key(dialing.caller.identity_number).dependent(SESSION_CERTIFICATE, 1);
    let issued = told(&dialing, fixture.insert(place, certificate));
    assert_eq!(issued.await, [format!("{token} 22")]);
    let deleted = told(&dialing, fixture.remove::<SessionCertificate>(place));
    assert_eq!(deleted.await, [format!("{token} ")]);

    let id = dialing
        .service_session(ServiceGrant::Dial)
        .await
        .view
        .session
        .id;
    let ended = told(&dialing, fixture.remove::<ApiSession>(key));
    assert_eq!(ended.await, [format!("-{id}"), format!("-{token}")]);
}
