use super::*;
use crate::fixture::authorities::{common_name_claim, new_key, root};
use crate::fixture::{Fixture, PASSWORD, named};
use portcullis_domain::api_session::LoginCertificate;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::ids::{CaId, SignerId};
use portcullis_domain::signer::{KeySource, Signer, SignerSettings, SignerSpec};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{SIGNER, identity_key};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// A session of an identity that logged in with its password.
struct Login {
    fixture: Fixture,
    caller: Arc<Caller>,
    /// As stored at the login.
    session: ApiSession,
    policy: AuthPolicy,
}

impl Login {
    async fn start() -> Self {
        let fixture = Fixture::start().await;
        let admin = fixture.admin().await;
        fixture.add_identity(&admin, named("alice")).await;
        let caller = fixture.caller("alice").await;
        let session = fixture.read(|rows| rows.get(&own_session_key(&caller)));
        let session: ApiSession = session.unwrap().unwrap();
        let policy = fixture.read(|rows| {
            let owner: Identity = rows.get(&identity_key(caller.identity_number))?.unwrap();
            get_policy(rows, &owner)
        });
        Self {
            fixture,
            caller,
            session,
            policy: Arc::unwrap_or_clone(policy.unwrap()),
        }
    }

    /// Whether the session as it is stored is valid.
    fn is_valid(&self, lifetimes: SessionLifetimes, now: Timestamp) -> bool {
        self.fixture.read(|rows| {
            let key = own_session_key(&self.caller);
            let entity = rows.get_shared(&key).unwrap().unwrap();
            let found = Found { key, entity };
            validate(rows, found, lifetimes, now).unwrap().is_some()
        })
    }

    fn now(&self) -> Timestamp {
        self.fixture.app.env().now()
    }

    /// Whether a session with another login method would be allowed.
    fn is_allowed(&self, session: &ApiSession, policy: &AuthPolicy) -> bool {
        let facts = SessionFacts {
            session,
            is_admin: false,
            is_disabled: false,
            kind: IdentityType::Default,
            policy: Arc::new(policy.clone()),
            authenticator: Some(AuthenticatorMethod::Certificate),
        };
        self.fixture
            .read(|rows| facts.is_login_method_allowed(rows, self.now()).unwrap())
    }

    fn opened_by(&self, opened_by: OpenedBy) -> ApiSession {
        let mut session = self.session.clone();
        session.opened_by = opened_by;
        session
    }

    fn with_certificate(
        &self,
        opened_by: OpenedBy,
        not_after: Timestamp,
        ca: Option<&CaId>,
    ) -> ApiSession {
        let mut session = self.opened_by(opened_by);
        session.certificate = Some(LoginCertificate {
            fingerprint: "0a".to_owned(),
            previous: None,
            replaced_at: None,
            not_after,
            ca: ca.cloned(),
        });
        session
    }

    fn next_key(&self, kind: portcullis_storage::key::Kind) -> RecordKey {
        RecordKey::root(kind, self.fixture.app.next_number(kind).0)
    }
}

#[tokio::test]
async fn session_ends_with_its_lifetime() {
    let login = Login::start().await;
    let now = login.now();
    let limited = SessionLifetimes {
        all: Some(HOUR),
        administrators: None,
    };
    assert!(login.is_valid(SessionLifetimes::default(), now + HOUR * 1000));
    assert!(login.is_valid(limited, now + HOUR - SignedDuration::from_millis(1)));
    assert!(!login.is_valid(limited, now + HOUR));
    let of_administrators = SessionLifetimes {
        all: None,
        administrators: Some(HOUR),
    };
    assert!(login.is_valid(of_administrators, now + HOUR));
}

#[tokio::test]
async fn session_ends_when_its_identity_is_disabled() {
    let login = Login::start().await;
    let (now, unlimited) = (login.now(), SessionLifetimes::default());
    let identity = identity_key(login.caller.identity_number);
    login
        .fixture
        .change(identity, |mut identity: Identity| {
            identity.disable(Some(identity.created_at + HOUR), identity.created_at);
            identity
        })
        .await;
    assert!(!login.is_valid(unlimited, now));
    assert!(login.is_valid(unlimited, now + HOUR));
}

#[tokio::test]
async fn session_ends_with_its_authenticator_or_the_policy() {
    let login = Login::start().await;
    let (now, unlimited) = (login.now(), SessionLifetimes::default());
    login
        .fixture
        .change_policy(|mut policy| {
            policy.spec.primary.updb.allowed = false;
            policy
        })
        .await;
    assert!(!login.is_valid(unlimited, now));
    login
        .fixture
        .change_policy(|mut policy| {
            policy.spec.primary.updb.allowed = true;
            policy
        })
        .await;
    assert!(login.is_valid(unlimited, now));
    let authenticator = login
        .fixture
        .read(|rows| login_authenticator(rows, &login.session));
    let key = authenticator.unwrap().unwrap().key;
    login.fixture.remove::<Authenticator>(key).await;
    assert!(!login.is_valid(unlimited, now));
}

#[tokio::test]
async fn router_identity_keeps_no_session_that_a_third_party_opened() {
    let login = Login::start().await;
    let (now, unlimited) = (login.now(), SessionLifetimes::default());
    let identity = identity_key(login.caller.identity_number);
    login
        .fixture
        .change(own_session_key(&login.caller), |mut session: ApiSession| {
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
    assert!(login.is_valid(unlimited, now));
    login
        .fixture
        .change(identity, |identity: Identity| Identity {
            kind: IdentityType::Router,
            ..identity
        })
        .await;
    assert!(!login.is_valid(unlimited, now));
}

#[tokio::test]
async fn caller_without_a_valid_session_is_denied_in_its_transaction() {
    let login = Login::start().await;
    let (now, lifetimes) = (login.now(), SessionLifetimes::default());
    let recheck = || {
        login
            .fixture
            .read(|rows| recheck_caller(rows, &login.caller, lifetimes, now))
    };
    assert_eq!(recheck().unwrap().identity, login.caller.identity);
    let key = own_session_key(&login.caller);
    login.fixture.remove::<ApiSession>(key).await;
    let error = recheck().unwrap_err();
    assert!(matches!(error, AppError::Denied { rule: None }), "{error}");
}

#[tokio::test]
async fn token_session_depends_on_its_signer() {
    let login = Login::start().await;
    let policy = &login.policy;
    let id = SignerId::from_wire("signer");
    let mut session = login.opened_by(OpenedBy::Signer(id.clone()));
    assert!(!login.is_allowed(&session, policy));
    let settings = SignerSettings::new("signer", "https://issuer.test", "audience", true);
    let keys = KeySource::KeySet("https://issuer.test/keys".to_owned());
    let spec = SignerSpec::new(keys, settings);
    let signer = Signer::new(id, spec, login.now()).unwrap();
    let key = login.next_key(SIGNER);
    login.fixture.insert(key, signer).await;
    // A session without a generation counts as of the first one.
    assert!(login.is_allowed(&session, policy));
    session.terms = Some(TrustGeneration::default().next_if(true));
    assert!(!login.is_allowed(&session, policy));
    session.terms = Some(TrustGeneration::default());
    assert!(login.is_allowed(&session, policy));
    let mut refusing = policy.clone();
    refusing.spec.primary.ext_jwt.allowed = false;
    assert!(!login.is_allowed(&session, &refusing));
    login
        .fixture
        .change(key, |mut signer: Signer| {
            signer.spec.settings.enabled = false;
            signer
        })
        .await;
    assert!(!login.is_allowed(&session, policy));
}

#[tokio::test]
async fn certificate_session_depends_on_the_rules_for_certificates() {
    let login = Login::start().await;
    let own = || login.session.opened_by.clone();
    let mut policy = login.policy.clone();
    let good = login.with_certificate(own(), login.now(), None);
    let expired = login.with_certificate(own(), login.now() - HOUR, None);
    assert!(login.is_allowed(&good, &policy) && login.is_allowed(&expired, &policy));
    policy.spec.primary.cert.allow_expired_certs = false;
    assert!(login.is_allowed(&good, &policy) && !login.is_allowed(&expired, &policy));
    // Logins did not record certificates at first, but always those with an external id.
    let unrecorded = login.opened_by(own());
    assert!(login.is_allowed(&unrecorded, &policy));
    assert!(!login.is_allowed(&login.opened_by(OpenedBy::ExternalId), &policy));
    policy.spec.primary.cert.allowed = false;
    assert!(!login.is_allowed(&good, &policy) && !login.is_allowed(&unrecorded, &policy));
}

/// As the login does, which accepts the certificate in that second.
#[tokio::test]
async fn certificate_session_lives_through_the_last_second_of_its_certificate() {
    let login = Login::start().await;
    let mut policy = login.policy.clone();
    policy.spec.primary.cert.allow_expired_certs = false;
    // Certificates have whole seconds.
    let not_after = Timestamp::from_second(login.now().as_second()).unwrap();
    let session = login.with_certificate(login.session.opened_by.clone(), not_after, None);
    for (after, is_allowed) in [(0, true), (500, true), (999, true), (1000, false)] {
        let now = not_after + SignedDuration::from_millis(after);
        login.fixture.clock.set(now);
        assert_eq!(login.is_allowed(&session, &policy), is_allowed, "{now}");
        let certificate = Validity {
            not_before: not_after,
            not_after,
        };
        assert_eq!(certificate.contains(now), is_allowed, "{now}");
    }
}

#[tokio::test]
async fn certificate_session_of_a_third_party_depends_on_its_ca() {
    let login = Login::start().await;
    let (id, policy) = (CaId::from_wire("ca"), &login.policy);
    let own = || login.session.opened_by.clone();
    let by_fingerprint = login.with_certificate(own(), login.now(), Some(&id));
    let by_claim = login.with_certificate(OpenedBy::ExternalId, login.now(), Some(&id));
    assert!(!login.is_allowed(&by_fingerprint, policy));
    let root = root("root", new_key(), login.now());
    let key = login.fixture.add_ca(id.as_str(), &root, None).await;
    assert!(login.is_allowed(&by_fingerprint, policy));
    // The authority names no claim yet.
    assert!(!login.is_allowed(&by_claim, policy));
    login
        .fixture
        .change(key, |mut ca: Ca| {
            ca.spec.settings.external_id_claim = Some(common_name_claim());
            ca
        })
        .await;
    assert!(login.is_allowed(&by_claim, policy));
    let mut outdated = by_claim.clone();
    outdated.terms = Some(TrustGeneration::default().next_if(true));
    assert!(!login.is_allowed(&outdated, policy));
    login
        .fixture
        .change(key, |mut ca: Ca| {
            ca.spec.settings.is_auth_enabled = false;
            ca
        })
        .await;
    assert!(!login.is_allowed(&by_fingerprint, policy) && !login.is_allowed(&by_claim, policy));
}

#[tokio::test]
async fn activity_is_not_part_of_validity() {
    // The idle timeout is that of `sessions`, which knows the newest activity.
    let login = Login::start().await;
    let later = login.now() + HOUR * 24;
    assert!(login.is_valid(SessionLifetimes::default(), later));
    let session = login.fixture.log_in("alice", PASSWORD).await.unwrap();
    login.fixture.clock.set(later);
    assert!(login.fixture.resolve(&session).await.is_none());
}
