use super::*;
use crate::fixture::Fixture;
use crate::fixture::dialing::Dialing;
use crate::sessions::own_session_key;
use portcullis_domain::api_session::LoginCertificate;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Disabled, Identity};
use secrecy::ExposeSecret as _;

/// The tokens of all sessions, read in chunks of one.
fn tokens(fixture: &Fixture) -> Vec<String> {
    let mut all = all(&fixture.app).unwrap();
    let mut tokens = Vec::new();
    loop {
        let chunk = all.next_chunk(1).unwrap();
        let [session] = chunk.as_slice() else {
            assert!(chunk.is_empty());
            tokens.sort();
            return tokens;
        };
        tokens.push(session.token.expose_secret().to_owned());
    }
}

/// The token of the client's session alone, without that of the administrator.
fn of_client(dialing: &Dialing) -> Vec<String> {
    let mut tokens = tokens(&dialing.fixture);
    tokens.retain(|token| token == dialing.token());
    tokens
}

#[tokio::test]
async fn routers_are_told_the_tokens_of_sessions_that_are_complete() {
    let dialing = Dialing::start().await;
    let (fixture, client) = (&dialing.fixture, [dialing.token().to_owned()]);
    dialing.oidc_session().await;
    let everybody = tokens(fixture);
    assert_eq!(everybody.len(), 2, "the administrator's and the client's");
    assert_eq!(of_client(&dialing), client);
    let revision = all(&fixture.app).unwrap().revision();
    assert_eq!(revision, fixture.revision());

    let set_totp = |is_required: bool| {
        move |mut session: ApiSession| {
            session.totp.is_required = is_required;
            session
        }
    };
    let key = own_session_key(&dialing.caller);
    fixture.change(key, set_totp(true)).await;
    assert!(of_client(&dialing).is_empty(), "it lacks a code");
    fixture.change(key, set_totp(false)).await;
    let disable = |is_disabled: bool| {
        move |mut identity: Identity| {
            identity.disabled = is_disabled.then_some(Disabled {
                at: Timestamp::UNIX_EPOCH,
                until: None,
            });
            identity
        }
    };
    let identity = identity_key(dialing.caller.identity_number);
    fixture.change(identity, disable(true)).await;
    assert!(of_client(&dialing).is_empty(), "its identity is disabled");
    fixture.change(identity, disable(false)).await;
    assert_eq!(of_client(&dialing), client);
    let forget = |mut session: ApiSession| {
        session.token = None;
        session
    };
    fixture.change(key, forget).await;
    assert!(of_client(&dialing).is_empty(), "a record of before");
    assert!(
        one(&fixture.app, dialing.caller.session_number)
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn session_that_is_idle_for_too_long_is_not_told() {
    let dialing = Dialing::start().await;
    let number = dialing.caller.session_number;
    let app = &dialing.fixture.app;
    assert!(one(app, number).unwrap().is_some());
    dialing
        .fixture
        .clock
        .advance(app.settings().session_timeout);
    assert!(one(app, number).unwrap().is_none());
}

#[tokio::test]
async fn certificates_that_a_client_may_have_are_told() {
    let dialing = Dialing::start().await;
    let bind = |mut session: ApiSession| {
        session.certificate = Some(LoginCertificate {
            fingerprint: "11".to_owned(),
            previous: Some("00".to_owned()),
            replaced_at: None,
            not_after: Timestamp::MAX,
            ca: None,
        });
        session
    };
    let (fixture, app) = (&dialing.fixture, &dialing.fixture.app);
    let key = own_session_key(&dialing.caller);
    // The session stays one by password, whose policy says nothing about certificates.
    fixture.change(key, bind).await;
    let told = one(app, dialing.caller.session_number).unwrap().unwrap();
    assert_eq!(told.fingerprints, ["00", "11"]);
    assert_eq!(told.identity, dialing.client);
    assert_eq!(told.id, dialing.caller.session);
}

#[tokio::test]
async fn record_does_not_hold_the_token_itself() {
    let dialing = Dialing::start().await;
    let key = own_session_key(&dialing.caller);
    let session: ApiSession = dialing
        .fixture
        .read(|rows| rows.get(&key))
        .unwrap()
        .unwrap();
    let stored = serde_json::to_string(&session).unwrap();
    assert!(!stored.contains(dialing.token()));
    let told = one(&dialing.fixture.app, dialing.caller.session_number);
    assert!(!format!("{told:?}").contains(dialing.token()));
}
