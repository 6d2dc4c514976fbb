use super::*;
use crate::fixture::{Fixture, named, permit};
use crate::mfa;
use portcullis_domain::access::Caller;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::mfa::TimeStep;
use portcullis_storage::tables::{MFA, identity_key};
use secrecy::ExposeSecret as _;
use std::sync::Arc;

const STEP: SignedDuration = SignedDuration::from_secs(30);

async fn start() -> (Fixture, Arc<Caller>) {
    let fixture = Fixture::start().await;
    let admin = fixture.admin().await;
    fixture.add_identity(&admin, named("alice")).await;
    let caller = fixture.caller("alice").await;
    (fixture, caller)
}

/// Enrolls a caller; returns the recovery codes.
async fn enroll(fixture: &Fixture, caller: &Arc<Caller>) -> Vec<SecretString> {
    let (_, setup) = mfa::start(&fixture.app, &permit(caller)).await.unwrap();
    let code = current_code(fixture, caller);
    mfa::verify(&fixture.app, &permit(caller), &code)
        .await
        .unwrap();
    fixture.clock.advance(STEP);
    setup.recovery_codes
}

fn own_mfa(fixture: &Fixture, caller: &Caller) -> Found<StoredMfa> {
    fixture.read(|rows| {
        let identity = own_identity(rows, caller).unwrap();
        find_mfa(rows, &identity).unwrap().unwrap()
    })
}

/// The code that the caller's authenticator app shows.
fn current_code(fixture: &Fixture, caller: &Caller) -> SecretString {
    let found = own_mfa(fixture, caller);
    let opened = UnsealedSecrets::unseal(&fixture.app, &found).unwrap();
    let step = TimeStep::at(fixture.app.env().now());
    opened.secret.code_at(step).as_str().into()
}

async fn read(
    fixture: &Fixture,
    caller: &Arc<Caller>,
    code: Option<&SecretString>,
) -> Result<usize, MfaError> {
    let outcome = read_codes(&fixture.app, &permit(caller), code).await;
    mfa_outcome(outcome).map(|view| view.codes.len())
}

fn mfa_outcome<T>(outcome: Result<T, AppError>) -> Result<T, MfaError> {
    outcome.map_err(|error| match error {
        AppError::Mfa(error) => error,
        other => panic!("{other}"),
    })
}

#[tokio::test]
async fn codes_are_those_of_a_verified_enrollment() {
    let (fixture, caller) = start().await;
    let any = SecretString::from("123456");
    let replace = async || replace_codes(&fixture.app, &permit(&caller), &any).await;
    assert_eq!(
        read(&fixture, &caller, Some(&any)).await,
        Err(MfaError::NotFound)
    );
    assert_eq!(
        mfa_outcome(replace().await).unwrap_err(),
        MfaError::NotFound
    );
    mfa::start(&fixture.app, &permit(&caller)).await.unwrap();
    assert_eq!(
        read(&fixture, &caller, Some(&any)).await,
        Err(MfaError::NotFound)
    );
    assert_eq!(
        mfa_outcome(replace().await).unwrap_err(),
        MfaError::NotFound
    );
}

#[tokio::test]
async fn reading_takes_a_code_that_was_not_used_before() {
    let (fixture, caller) = start().await;
    let all = enroll(&fixture, &caller).await.len();
    let wrong = Err(MfaError::WrongCode);
    assert_eq!(read(&fixture, &caller, None).await, wrong);
    let malformed = SecretString::from("12-456");
    assert_eq!(read(&fixture, &caller, Some(&malformed)).await, wrong);
    let code = current_code(&fixture, &caller);
    assert_eq!(read(&fixture, &caller, Some(&code)).await, Ok(all));
    assert_eq!(read(&fixture, &caller, Some(&code)).await, wrong);
}

#[tokio::test]
async fn recovery_code_is_spent_by_reading() {
    let (fixture, caller) = start().await;
    let codes = enroll(&fixture, &caller).await;
    let left = Ok(codes.len() - 1);
    assert_eq!(read(&fixture, &caller, codes.first()).await, left);
    let again = read(&fixture, &caller, codes.first()).await;
    assert_eq!(again, Err(MfaError::WrongCode));
}

#[tokio::test]
async fn code_that_replaced_the_codes_reads_them_once() {
    let (fixture, caller) = start().await;
    let old = enroll(&fixture, &caller).await;
    assert_eq!(
        read(&fixture, &caller, old.first()).await,
        Ok(old.len() - 1)
    );
    let code = current_code(&fixture, &caller);
    let view = replace_codes(&fixture.app, &permit(&caller), &code)
        .await
        .unwrap();
    assert_eq!(view.codes.len(), old.len());
    let is_old = |new: &SecretString| {
        old.iter()
            .any(|old| old.expose_secret() == new.expose_secret())
    };
    assert!(!view.codes.iter().any(is_old));
    assert_eq!(read(&fixture, &caller, Some(&code)).await, Ok(old.len()));
    let again = read(&fixture, &caller, Some(&code)).await;
    assert_eq!(again, Err(MfaError::WrongCode));
}

#[tokio::test]
async fn another_session_may_not_use_the_code_again() {
    let (fixture, caller) = start().await;
    enroll(&fixture, &caller).await;
    let code = current_code(&fixture, &caller);
    replace_codes(&fixture.app, &permit(&caller), &code)
        .await
        .unwrap();
    let purpose = ShowCodes {
        session: ApiSessionId::from_wire("other"),
    };
    let permit = permit::<ReadCodes>(&caller);
    let outcome = attempt(&fixture.app, &permit, Some(&code), purpose).await;
    assert_eq!(mfa_outcome(outcome).unwrap_err(), MfaError::WrongCode);
}

#[tokio::test]
async fn codes_sealed_for_another_record_are_not_stored() {
    let (fixture, caller) = start().await;
    let old = enroll(&fixture, &caller).await;
    let found = own_mfa(&fixture, &caller);
    // As if the caller had enrolled anew since the codes were sealed.
    let number = fixture.app.next_number(MFA);
    let purpose = NewCodes {
        session: caller.session.clone(),
        key: identity_key(caller.identity_number).dependent(MFA, number.0),
        sealed: found.entity.recovery_codes.clone(),
    };
    let code = current_code(&fixture, &caller);
    let permit = permit::<ReplaceCodes>(&caller);
    let outcome = attempt(&fixture.app, &permit, Some(&code), purpose).await;
    assert_eq!(mfa_outcome(outcome).unwrap_err(), MfaError::WrongCode);
    assert_eq!(
        read(&fixture, &caller, old.first()).await,
        Ok(old.len() - 1)
    );
}

#[tokio::test]
async fn wrong_codes_are_throttled() {
    let (fixture, caller) = start().await;
    let codes = enroll(&fixture, &caller).await;
    let wrong = SecretString::from("AAAAAA");
    let mut last = Ok(0);
    for _attempt in 0..20 {
        last = read(&fixture, &caller, Some(&wrong)).await;
        if last != Err(MfaError::WrongCode) {
            break;
        }
    }
    assert!(matches!(last, Err(MfaError::Throttled { .. })), "{last:?}");
    // The right one has to wait too.
    let right = read(&fixture, &caller, codes.first()).await;
    assert!(
        matches!(right, Err(MfaError::Throttled { .. })),
        "{right:?}"
    );
}
