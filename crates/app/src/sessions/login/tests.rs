use super::*;
use crate::fixture::{Fixture, PASSWORD, named, origin, permit};
use crate::identities;
use crate::settings::Settings;
use portcullis_domain::authenticator::Authenticator;
use portcullis_storage::tables::AUTHENTICATOR;

fn reason(outcome: Result<NewSession, LoginError>) -> String {
    match outcome {
        Err(LoginError::Refused(reason)) => reason.into_owned(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn unknown_names_and_wrong_passwords_are_refused_alike() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    fixture.add_identity(&admin, named("alice")).await;
    let wrong = reason(fixture.log_in("alice", "wrong").await);
    assert_eq!(reason(fixture.log_in("nobody", PASSWORD).await), wrong);
    assert!(fixture.log_in("alice", PASSWORD).await.is_ok());
}

#[tokio::test]
async fn right_password_does_not_suffice_for_a_disabled_identity_or_against_the_policy() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let id = fixture.add_identity(&admin, named("alice")).await;
    identities::disable(&fixture.app, &permit(&admin), &id, None)
        .await
        .unwrap();
    let refused = reason(fixture.log_in("alice", PASSWORD).await);
    assert_eq!(refused, "the identity is disabled");
    identities::enable(&fixture.app, &permit(&admin), &id)
        .await
        .unwrap();
    fixture
        .change_policy(|mut policy| {
            policy.spec.primary.updb.allowed = false;
            policy
        })
        .await;
    let refused = reason(fixture.log_in("alice", PASSWORD).await);
    assert_eq!(refused, "the policy does not allow passwords");
}

#[tokio::test]
async fn wrong_passwords_lock_the_identity_and_end_its_sessions() {
    let settings = Settings {
        password_throttle: None,
        ..Settings::default()
    };
    let fixture = Fixture::start_with(settings).await;
    let admin = fixture.admin().await;
    fixture.add_identity(&admin, named("alice")).await;
    fixture
        .change_policy(|mut policy| {
            policy.spec.primary.updb.max_attempts = 2;
            policy
        })
        .await;
    let session = fixture.log_in("alice", PASSWORD).await.unwrap();
    reason(fixture.log_in("alice", "wrong").await);
    assert!(fixture.resolve(&session).await.is_some());
    reason(fixture.log_in("alice", "wrong").await);
    assert!(fixture.resolve(&session).await.is_none());
    let refused = reason(fixture.log_in("alice", PASSWORD).await);
    assert_eq!(refused, "the identity is disabled");
}

#[tokio::test]
async fn wrong_password_for_an_authenticator_that_is_gone_counts_against_nobody() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let found = fixture.authenticator(&admin);
    let owner = identity_key(found.root_number());
    fixture.remove::<Authenticator>(found.key).await;
    let attempt = PasswordAttempt::new(&fixture.app, &origin());
    let (app, purpose) = (&fixture.app, PasswordPurpose::Login);
    let throttled = record_failed_password(app, &origin(), Some(found), purpose, attempt).await;
    assert_eq!(throttled.unwrap(), None);
    let identity: Option<Identity> = fixture.read(|rows| rows.get(&owner).unwrap());
    assert_eq!(identity.unwrap().wrong_passwords, 0);
}

#[tokio::test]
async fn counts_of_an_owner_who_is_gone_need_no_reset() {
    let fixture = Fixture::start().await;
    let nobody = identity_key(RecordNumber(u64::MAX)).dependent(AUTHENTICATOR, 1);
    let reset = fixture
        .app
        .commit_unaudited(move |rows| reset_wrong_passwords(rows, &nobody));
    assert!(reset.await.is_ok());
}
