//! Logins in memory: the way of one, and many at a time.

mod simulation;

use super::*;
use crate::client::Client;
use crate::login::SecondaryFactor;
use crate::pkce::CodeVerifier;
use crate::testing::{REDIRECT, SeededEntropy, VERIFIER, at, client_details, password_of, request};
use portcullis_domain::ids::IdentityId;
use std::net::Ipv4Addr;

fn peer(number: u32) -> Peer {
    Peer::from_address(Ipv4Addr::from_bits(0x0a00_0000 + number).into())
}

fn redemption(code: &str) -> Redemption {
    Redemption {
        client: Client::Native,
        code: AuthorizationCode::from_wire(code),
        verifier: CodeVerifier::parse(VERIFIER).unwrap(),
        redirect_uri: REDIRECT.to_owned(),
    }
}

fn code_in(location: &str) -> String {
    let url = url::Url::parse(location).unwrap();
    let mut pairs = url.query_pairs();
    pairs
        .find(|(name, _)| name == "code")
        .unwrap()
        .1
        .into_owned()
}

/// Logins with one that `alice` has completed, and its code.
fn with_code(entropy: &SeededEntropy) -> (LoginRequests, String) {
    let mut logins = LoginRequests::default();
    let new = logins.begin(request(), peer(1), at(0), entropy).unwrap();
    authenticate(&mut logins, &new, "alice", at(1)).unwrap();
    let holder = Presenter::Holder(new.secret.expose());
    let location = logins.issue_code(new.id.as_str(), holder, at(2), entropy);
    let code = code_in(&location.unwrap());
    (logins, code)
}

#[derive(Debug, PartialEq, thiserror::Error)]
enum StepError {
    #[error(transparent)]
    Request(#[from] LoginRequestError),
    #[error(transparent)]
    Login(#[from] crate::login::LoginError),
}

fn authenticate(
    logins: &mut LoginRequests,
    new: &NewLogin,
    identity: &str,
    now: Timestamp,
) -> Result<(), StepError> {
    let holder = Presenter::Holder(new.secret.expose());
    let step = |login: &Login| {
        let proof = password_of(identity);
        Ok(login.authenticate(proof, client_details(), [], [])?)
    };
    logins.advance(new.id.as_str(), holder, now, step).map(drop)
}

#[test]
fn a_login_becomes_a_code_and_the_code_a_session() {
    let entropy = SeededEntropy::default();
    let (mut logins, code) = with_code(&entropy);
    let redeemed = logins.redeem(&redemption(&code), at(3)).unwrap();
    assert_eq!(redeemed.identity().as_str(), "alice");
    assert_eq!(redeemed.primary().session.as_str(), "session of alice");
}

#[test]
fn the_code_goes_to_the_redirect_uri_with_the_state() {
    let entropy = SeededEntropy::default();
    let mut logins = LoginRequests::default();
    let new = logins.begin(request(), peer(1), at(0), &entropy).unwrap();
    authenticate(&mut logins, &new, "alice", at(1)).unwrap();
    let issued = logins.issue_code(new.id.as_str(), Presenter::Program, at(2), &entropy);
    let error = issued.unwrap_err();
    assert!(matches!(
        error,
        IssueError::Request(LoginRequestError::OtherBrowser)
    ));
    let holder = Presenter::Holder(new.secret.expose());
    let location = logins.issue_code(new.id.as_str(), holder, at(2), &entropy);
    let location = location.unwrap();
    let code = code_in(&location);
    assert_eq!(location, format!("{REDIRECT}?code={code}&state=st"));
    assert_eq!(code.len(), 43);
    let again = logins.issue_code(new.id.as_str(), holder, at(3), &entropy);
    assert!(matches!(
        again,
        Err(IssueError::Request(LoginRequestError::Finished))
    ));
}

#[test]
fn an_incomplete_login_sends_its_client_an_error() {
    let entropy = SeededEntropy::default();
    let mut logins = LoginRequests::default();
    let new = logins.begin(request(), peer(1), at(0), &entropy).unwrap();
    let issue = |logins: &mut LoginRequests| match logins.issue_code(
        new.id.as_str(),
        Presenter::Program,
        at(1),
        &entropy,
    ) {
        Err(IssueError::Incomplete(redirect)) => redirect.location(),
        other => panic!("{other:?}"),
    };
    let location = issue(&mut logins);
    assert!(
        location.contains("?error=interaction_required&"),
        "{location}"
    );
    assert!(location.ends_with("&state=st"), "{location}");
    let open = |login: &Login| {
        let needed = [SecondaryFactor::Totp];
        let login = login.authenticate(password_of("alice"), client_details(), [], needed);
        login.map_err(StepError::from)
    };
    let id = new.id.as_str();
    logins.advance(id, Presenter::Program, at(1), open).unwrap();
    assert_eq!(issue(&mut logins), location);
    let pass = |login: &Login| {
        let alice = IdentityId::from_wire("alice");
        Ok::<_, StepError>(login.pass(&alice, SecondaryFactor::Totp, [SecondaryFactor::Totp])?)
    };
    logins.advance(id, Presenter::Program, at(2), pass).unwrap();
    assert!(
        logins
            .issue_code(id, Presenter::Program, at(2), &entropy)
            .is_ok()
    );
}

#[test]
fn a_step_that_fails_changes_nothing() {
    let entropy = SeededEntropy::default();
    let mut logins = LoginRequests::default();
    let new = logins.begin(request(), peer(1), at(0), &entropy).unwrap();
    authenticate(&mut logins, &new, "alice", at(1)).unwrap();
    let refused = authenticate(&mut logins, &new, "mallory", at(1));
    assert!(matches!(refused, Err(StepError::Login(_))));
    let holder = Presenter::Holder(new.secret.expose());
    let login = logins.get(new.id.as_str(), holder, at(1)).unwrap();
    assert_eq!(login.authenticated().unwrap().identity().as_str(), "alice");
}

#[test]
fn a_second_use_of_a_code_names_the_session_to_end() {
    let (mut logins, code) = with_code(&SeededEntropy::default());
    let session = logins
        .redeem(&redemption(&code), at(3))
        .unwrap()
        .primary()
        .session
        .clone();
    for second in [4, 600] {
        let error = logins.redeem(&redemption(&code), at(second)).unwrap_err();
        let session = session.clone();
        assert_eq!(error, RedeemError::Replayed { session });
    }
    // Whoever lacks the verifier cannot end the session of others.
    let mut thief = redemption(&code);
    thief.verifier = CodeVerifier::parse(&"x".repeat(43)).unwrap();
    let error = logins.redeem(&thief, at(5)).unwrap_err();
    assert_eq!(error, RedeemError::Verifier);
}

#[test]
fn a_code_that_led_to_no_tokens_is_redeemed_again_within_its_life() {
    let (mut logins, code) = with_code(&SeededEntropy::default());
    for second in [3, 30] {
        assert!(logins.redeem(&redemption(&code), at(second)).is_ok());
        logins.restore(&AuthorizationCode::from_wire(&code), at(second));
    }
    let expired = logins.redeem(&redemption(&code), at(2 + 60)).unwrap_err();
    assert_eq!(expired, RedeemError::Expired);
}

#[test]
fn a_code_that_came_twice_stays_spent() {
    let (mut logins, code) = with_code(&SeededEntropy::default());
    let redeem = |logins: &mut LoginRequests| logins.redeem(&redemption(&code), at(3));
    redeem(&mut logins).unwrap();
    redeem(&mut logins).unwrap_err();
    logins.restore(&AuthorizationCode::from_wire(&code), at(3));
    let error = redeem(&mut logins).unwrap_err();
    assert!(matches!(error, RedeemError::Replayed { .. }));
    logins.restore(&AuthorizationCode::from_wire("guess"), at(3));
}

#[test]
fn a_code_is_bound_to_its_request() {
    let (mut logins, code) = with_code(&SeededEntropy::default());
    let mut other_client = redemption(&code);
    other_client.client = Client::OpenZiti;
    let mut other_redirect = redemption(&code);
    other_redirect.redirect_uri = REDIRECT.replace("8080", "8081");
    let mut other_verifier = redemption(&code);
    other_verifier.verifier = CodeVerifier::parse(&"x".repeat(43)).unwrap();
    for (attempt, error) in [
        (other_client, RedeemError::OtherClient),
        (other_redirect, RedeemError::OtherRedirect),
        (other_verifier, RedeemError::Verifier),
        (redemption("guess"), RedeemError::Unknown),
        (redemption(""), RedeemError::Unknown),
    ] {
        assert_eq!(logins.redeem(&attempt, at(3)).unwrap_err(), error);
    }
    assert!(logins.redeem(&redemption(&code), at(3)).is_ok());
}

#[test]
fn codes_and_logins_expire() {
    let entropy = SeededEntropy::default();
    let (mut logins, code) = with_code(&entropy);
    let expired = logins.redeem(&redemption(&code), at(2 + 60)).unwrap_err();
    assert_eq!(expired, RedeemError::Expired);
    assert!(logins.redeem(&redemption(&code), at(2 + 59)).is_ok());

    let new = logins.begin(request(), peer(1), at(100), &entropy).unwrap();
    let mut get = |second| {
        let login = logins.get(new.id.as_str(), Presenter::Program, at(second));
        login.map(drop)
    };
    assert_eq!(get(699), Ok(()));
    assert_eq!(get(96), Ok(()), "within the tolerance");
    assert_eq!(get(700), Err(LoginRequestError::Unknown));
    assert_eq!(get(90), Err(LoginRequestError::Unknown), "set back");
    logins.expire(at(700));
    assert!(logins.is_empty() && logins.codes.is_empty());
}

#[test]
fn unknown_ids_are_refused() {
    let mut logins = LoginRequests::default();
    for id in [
        "",
        "00000000-0000-4000-8000-000000000000",
        &"x".repeat(1 << 20),
    ] {
        let error = logins.get(id, Presenter::Program, at(0)).unwrap_err();
        assert_eq!(error, LoginRequestError::Unknown);
    }
}
