use super::*;
use crate::account_recovery;
use crate::authenticators::{self, UpdbCredentialPatch};
use crate::fixture::dialing::Dialing;
use crate::fixture::{PASSWORD, permit};
use crate::identities;

use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::oidc_session::OidcClient;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The sessions that are revoked, and until when.
fn revoked(dialing: &Dialing) -> BTreeMap<String, Timestamp> {
    let mut revoked = BTreeMap::new();
    dialing.fixture.read(|rows| {
        let all = RecordKey::all(REVOCATION);
        rows.for_each_in::<Revocation>(&all, &mut |found| {
            let spec = &found.entity.spec;
            assert_eq!(spec.revoked, RevocationType::ApiSession);
            revoked.insert(found.entity.id.to_string(), spec.expires_at);
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    });
    revoked
}

/// Ends all sessions of the client in one transaction.
async fn end_all(dialing: &Dialing) {
    let (app, identity) = (&dialing.fixture.app, dialing.identity());
    let revocation = SessionRevocation::new(app);
    app.commit_unaudited(move |rows| revocation.end_those_of(rows, &identity, |_session| true))
        .await
        .unwrap();
    let left: Vec<Found<ApiSession>> = dialing
        .fixture
        .read(|rows| rows.dependents(&identity))
        .unwrap();
    assert_eq!(left.len(), 0);
}

#[tokio::test]
async fn each_session_with_signed_tokens_leaves_a_revocation_until_these_have_expired() {
    let dialing = Dialing::start().await;
    let mut expected = BTreeMap::new();
    for _ in 0..3 {
        let (session, _token) = dialing.oidc_session().await;
        let end = session.entity.oidc.unwrap().access_ends_at().unwrap();
        expected.insert(session.entity.id.to_string(), end);
        dialing.fixture.clock.advance(SignedDuration::from_secs(1));
    }
    end_all(&dialing).await;
    assert_eq!((expected.len(), revoked(&dialing)), (3, expected));
}

#[tokio::test]
async fn session_without_access_tokens_that_count_leaves_none() {
    let dialing = Dialing::start().await;
    let now = dialing.fixture.app.env().now();
    let pending = OidcSession::pending(OidcClient::Native, now + SignedDuration::from_hours(1));
    for oidc in [None, Some(pending.clone()), Some(pending.issued(now, None))] {
        let (session, _token) = dialing.oidc_session().await;
        let change = move |mut session: ApiSession| {
            session.oidc.clone_from(&oidc);
            session
        };
        dialing.fixture.change(session.key, change).await;
    }
    end_all(&dialing).await;
    assert_eq!(revoked(&dialing), BTreeMap::new());
}

#[tokio::test]
async fn revocation_that_is_there_already_stays() {
    let dialing = Dialing::start().await;
    let (session, _token) = dialing.oidc_session().await;
    let now = dialing.fixture.app.env().now();
    let expires_at = now + SignedDuration::from_hours(24);
    let id = session.entity.id.to_string();
    let made = RevocationSpec {
        revoked: RevocationType::ApiSession,
        issued_before: now,
        expires_at,
        tags: Tags::default(),
    };
    dialing.fixture.insert_managed(&id, made).await;
    end_all(&dialing).await;
    assert_eq!(revoked(&dialing), BTreeMap::from([(id, expires_at)]));
}

async fn assert_revoked_by(end: impl AsyncFnOnce(&Dialing)) {
    let dialing = Dialing::start().await;
    let (session, _token) = dialing.oidc_session().await;
    end(&dialing).await;
    let left: Option<ApiSession> = dialing.fixture.read(|rows| rows.get(&session.key)).unwrap();
    assert!(left.is_none());
    let revoked: Vec<_> = revoked(&dialing).into_keys().collect();
    assert_eq!(revoked, [session.entity.id.to_string()]);
}

#[tokio::test]
async fn disabled_identity() {
    assert_revoked_by(async |dialing| {
        let app = &dialing.fixture.app;
        let minute = Some(SignedDuration::from_mins(1));
        identities::disable(app, &permit(&dialing.admin), &dialing.client, minute)
            .await
            .unwrap();
    })
    .await;
}

#[tokio::test]
async fn authenticator_that_is_gone() {
    assert_revoked_by(async |dialing| {
        let id = dialing.fixture.authenticator(&dialing.caller).entity.id;
        authenticators::delete(&dialing.fixture.app, &permit(&dialing.admin), &id)
            .await
            .unwrap();
    })
    .await;
}

#[tokio::test]
async fn changed_password() {
    assert_revoked_by(async |dialing| {
        let id = dialing.fixture.authenticator(&dialing.caller).entity.id;
        let change = UpdbCredentialPatch {
            password: Some("open-sesame-2".into()),
            ..UpdbCredentialPatch::default()
        };
        authenticators::update(&dialing.fixture.app, &permit(&dialing.admin), &id, change)
            .await
            .unwrap();
    })
    .await;
}

#[tokio::test]
async fn too_many_wrong_passwords() {
    assert_revoked_by(async |dialing| {
        let lock_at_once = |mut policy: AuthPolicy| {
            policy.spec.primary.updb.max_attempts = 1;
            policy
        };
        dialing.fixture.change_policy(lock_at_once).await;
        let wrong = dialing.fixture.log_in("alice", "wrong").await;
        assert!(wrong.is_err());
    })
    .await;
}

#[tokio::test]
async fn recovered_account() {
    assert_revoked_by(async |dialing| {
        account_recovery::reset_password(&dialing.fixture.app, "alice", PASSWORD.into())
            .await
            .unwrap();
    })
    .await;
}
