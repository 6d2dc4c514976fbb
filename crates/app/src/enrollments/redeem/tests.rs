use super::*;
use crate::fixture::{Fixture, PASSWORD, named, origin, permit};
use crate::identities;
use portcullis_domain::access::Caller;
use portcullis_domain::identity::IdentitySpecPatch;
use portcullis_domain::ids::IdentityId;
use std::sync::Arc;

/// Creates an identity that is to choose its password, and returns the token for that.
async fn invite(
    fixture: &Fixture,
    admin: &Arc<Caller>,
    username: &str,
) -> (IdentityId, SecretString) {
    let app = &fixture.app;
    let method = EnrollmentMethod::Updb {
        username: username.to_owned(),
    };
    let id = identities::create(app, &permit(admin), named(username), Some(method))
        .await
        .unwrap();
    let mut view = identities::read(app, &permit(admin), &id).unwrap();
    let (_, secrets) = view.enrollments.remove(0);
    (id, secrets.unwrap().token)
}

async fn choose_password(
    fixture: &Fixture,
    token: &SecretString,
    (method, password): (Option<&str>, &str),
) -> Result<RedemptionResult, AppError> {
    let redemption = Redemption {
        token: token.clone(),
        method: method.map(str::to_owned),
        proof: RedemptionProof {
            password: Some(password.into()),
            ..RedemptionProof::default()
        },
    };
    redeem(&fixture.app, &origin(), redemption).await
}

fn enrollment_error(outcome: Result<RedemptionResult, AppError>) -> EnrollmentError {
    match outcome {
        Err(AppError::Enrollment(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn token_is_spent_by_the_first_redemption() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let (_, token) = invite(&fixture, &admin, "alice").await;
    // Neither of these spends it.
    let error = enrollment_error(choose_password(&fixture, &token, (Some("ott"), PASSWORD)).await);
    let expected = EnrollmentError::Redemption(RedemptionError::WrongMethod);
    assert_eq!(error, expected);
    let weak = choose_password(&fixture, &token, (None, "x")).await;
    assert!(matches!(weak, Err(AppError::Field(_))), "{weak:?}");
    let chosen = choose_password(&fixture, &token, (Some("updb"), PASSWORD)).await;
    assert_eq!(
        chosen.unwrap(),
        RedemptionResult::Username("alice".to_owned())
    );
    fixture.log_in("alice", PASSWORD).await.unwrap();
    let again = choose_password(&fixture, &token, (None, PASSWORD)).await;
    assert_eq!(enrollment_error(again), EnrollmentError::UnknownToken);
}

#[tokio::test]
async fn expired_token_is_refused() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let (_, token) = invite(&fixture, &admin, "alice").await;
    fixture
        .clock
        .advance(fixture.app.settings().enrollment_duration);
    let late = choose_password(&fixture, &token, (None, PASSWORD)).await;
    let expected = EnrollmentError::Redemption(RedemptionError::Expired);
    assert_eq!(enrollment_error(late), expected);
}

#[tokio::test]
async fn token_of_a_disabled_identity_is_refused_until_it_is_enabled() {
    let fixture = Fixture::start().await;
    let (app, admin) = (&fixture.app, fixture.admin().await);
    let (id, token) = invite(&fixture, &admin, "alice").await;
    identities::disable(app, &permit(&admin), &id, None)
        .await
        .unwrap();
    let refused = choose_password(&fixture, &token, (None, PASSWORD)).await;
    assert!(
        matches!(refused, Err(AppError::Denied { rule: Some(_) })),
        "{refused:?}"
    );
    identities::enable(app, &permit(&admin), &id).await.unwrap();
    choose_password(&fixture, &token, (None, PASSWORD))
        .await
        .unwrap();
}

#[tokio::test]
async fn token_from_before_an_identity_gained_privileges_is_refused() {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    let (id, token) = invite(&fixture, &admin, "alice").await;
    let patch = IdentitySpecPatch {
        is_admin: Some(true),
        ..IdentitySpecPatch::default()
    };
    identities::patch(&fixture.app, &permit(&admin), &id, patch)
        .await
        .unwrap();
    let refused = choose_password(&fixture, &token, (None, PASSWORD)).await;
    assert!(
        matches!(refused, Err(AppError::Denied { rule: Some(_) })),
        "{refused:?}"
    );
}
