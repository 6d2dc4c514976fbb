use super::*;
use crate::fabric::OpenChannel;
use crate::fixture::{Fixture, permit};
use crate::records::own_session_key;
use portcullis_domain::access::{AccessToken, Caller};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::oidc_session::{OidcClient, TokenId};
use portcullis_storage::tables::identity_key;
use std::sync::Arc;

async fn opened() -> (Fixture, Arc<Caller>) {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    (fixture, admin)
}

fn judge(fixture: &Fixture, caller: &Arc<Caller>) -> Result<Option<Timestamp>, AppError> {
    recheck::<OpenChannel>(&fixture.app, &permit(caller))
}

#[tokio::test]
async fn permit_holds_while_nothing_changes() {
    let (fixture, admin) = opened().await;
    judge(&fixture, &admin).unwrap();
}

#[tokio::test]
async fn permit_ends_with_the_session() {
    let (fixture, admin) = opened().await;
    fixture.remove::<ApiSession>(own_session_key(&admin)).await;
    let error = judge(&fixture, &admin).unwrap_err();
    assert!(matches!(error, AppError::Denied { .. }), "{error}");
}

#[tokio::test]
async fn permit_ends_with_the_right() {
    let (fixture, admin) = opened().await;
    let key = identity_key(admin.identity_number);
    fixture
        .change(key, |mut identity: Identity| {
            identity.spec.is_admin = false;
            identity.is_default_admin = false;
            identity
        })
        .await;
    let error = judge(&fixture, &admin).unwrap_err();
    assert!(matches!(error, AppError::Denied { .. }), "{error}");
}

#[tokio::test]
async fn looks_count_as_use_of_the_session() {
    let (fixture, admin) = opened().await;
    for _ in 0..3 {
        fixture.clock.advance(SignedDuration::from_mins(20));
        judge(&fixture, &admin).unwrap();
    }
    fixture.clock.advance(SignedDuration::from_mins(31));
    let error = judge(&fixture, &admin).unwrap_err();
    assert!(matches!(error, AppError::Denied { .. }), "{error}");
}

#[tokio::test]
async fn permit_ends_with_the_access_token() {
    let (fixture, admin) = opened().await;
    let now = fixture.app.env().now();
    let end = now + SignedDuration::from_mins(5);
    let caller = Arc::new(Caller {
        access_token: Some(AccessToken {
            id: TokenId::from_wire("token"),
            client: OidcClient::Native,
            issued_at: now,
            expires_at: end,
        }),
        ..(*admin).clone()
    });
    assert_eq!(judge(&fixture, &caller).unwrap(), Some(end));
    fixture.clock.advance(SignedDuration::from_mins(5));
    let error = judge(&fixture, &caller).unwrap_err();
    assert!(matches!(error, AppError::Denied { .. }), "{error}");
}
