//! Steps of a login.

use super::*;
use crate::method::LoginMethod;
use crate::testing::{at, client_details, password_of, request};
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::ids::SignerId;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

fn token(signer: &str) -> SecondaryFactor {
    SecondaryFactor::Token(SignerId::from_wire(signer))
}

fn alice() -> IdentityId {
    IdentityId::from_wire("alice")
}

#[test]
fn first_factor_completes_where_nothing_else_is_needed() {
    let begun = Login::begin(request());
    let login = begun.authenticate(password_of("alice"), client_details(), [], []);
    let Ok(Login::Complete(login)) = login else {
        panic!("{login:?}");
    };
    assert_eq!(login.identity(), &alice());
    assert_eq!(login.amr(), [Amr::Method(LoginMethod::Password)]);
}

#[test]
fn secondary_factors_stay_open_until_each_is_passed() {
    let needed = [SecondaryFactor::Totp, token("s")];
    let login = Login::begin(request());
    let login = login
        .authenticate(password_of("alice"), client_details(), [], needed.clone())
        .unwrap();
    assert_eq!(
        login.missing().collect::<Vec<_>>(),
        [&needed[0], &needed[1]]
    );
    let login = login
        .pass(&alice(), SecondaryFactor::Totp, needed.clone())
        .unwrap();
    assert_eq!(login.missing().collect::<Vec<_>>(), [&needed[1]]);
    // The C SDK sends its first factor again when it has the token.
    let login = login
        .authenticate(password_of("alice"), client_details(), [token("s")], needed)
        .unwrap();
    assert!(matches!(login, Login::Complete(_)));
    let amr = login.authenticated().unwrap().amr();
    let names: Vec<String> = amr.into_iter().map(String::from).collect();
    assert_eq!(names, ["password", "totp", "ejs:s"]);
}

#[test]
fn nothing_comes_before_the_first_factor() {
    let begun = Login::begin(request());
    let passed = begun.pass(&alice(), SecondaryFactor::Totp, []);
    assert_eq!(passed, Err(LoginError::NotAuthenticated));
    assert_eq!(begun.authenticated(), Err(LoginError::NotAuthenticated));
    assert_eq!(begun.missing().count(), 0);
}

#[test]
fn all_factors_belong_to_the_first_identity() {
    let needed = || [SecondaryFactor::Totp];
    let open = Login::begin(request())
        .authenticate(password_of("alice"), client_details(), [], needed())
        .unwrap();
    let other = open.authenticate(password_of("mallory"), client_details(), [], []);
    assert_eq!(other, Err(LoginError::OtherIdentity));
    let mallory = IdentityId::from_wire("mallory");
    let other = open.pass(&mallory, SecondaryFactor::Totp, needed());
    assert_eq!(other, Err(LoginError::OtherIdentity));
}

#[test]
fn first_proof_decides_method_and_time() {
    let needed = || [SecondaryFactor::Totp];
    let mut later = password_of("alice");
    later.authenticated_at = at(60);
    later.method = LoginMethod::ExternalJwt;
    later.opened_by = OpenedBy::Signer(SignerId::from_wire("s"));
    let login = Login::begin(request())
        .authenticate(password_of("alice"), client_details(), [], needed())
        .and_then(|login| login.authenticate(later, client_details(), [], needed()))
        .unwrap();
    let authenticated = login.authenticated().unwrap();
    assert_eq!(authenticated.primary(), &password_of("alice"));
}

#[test]
fn signer_of_the_first_factor_is_named_once() {
    let mut primary = password_of("alice");
    primary.method = LoginMethod::ExternalJwt;
    primary.opened_by = OpenedBy::Signer(SignerId::from_wire("s"));
    let login = Login::begin(request())
        .authenticate(primary, client_details(), [token("s")], [token("s")])
        .unwrap();
    let amr = login.authenticated().unwrap().amr();
    let names: Vec<String> = amr.into_iter().map(String::from).collect();
    assert_eq!(names, ["ext-jwt", "ejs:s"]);
}

#[test]
fn what_is_needed_may_grow() {
    let complete = Login::begin(request())
        .authenticate(password_of("alice"), client_details(), [], [])
        .unwrap();
    let repeated = complete.authenticate(
        password_of("alice"),
        client_details(),
        [],
        [SecondaryFactor::Totp],
    );
    assert!(matches!(repeated, Ok(Login::Open { .. })));
}

/// Identity that takes a step, and the secondary factor that it passes; without one it proves a first one.
type Step = (&'static str, Option<SecondaryFactor>);

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let factors = vec![
        None,
        Some(SecondaryFactor::Totp),
        Some(token("s")),
        Some(token("t")),
    ];
    let step = (select(vec!["alice", "alice", "mallory"]), select(factors));
    proptest::collection::vec(step, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Held against a list of what each identity has proved since the first of them did.
    #[test]
    fn a_login_is_complete_when_its_identity_has_passed_all(
        steps in steps(),
        needed in subsequence(vec![SecondaryFactor::Totp, token("s")], 0..=2),
    ) {
        let mut login = Login::begin(request());
        let mut owner = None;
        let mut passed = BTreeSet::new();
        for (identity, factor) in steps {
            let id = IdentityId::from_wire(identity);
            let (is_allowed, stepped) = match factor.clone() {
                None => (
                    owner.is_none_or(|owner| owner == identity),
                    login.authenticate(password_of(identity), client_details(), [], needed.clone()),
                ),
                Some(factor) => (
                    owner == Some(identity),
                    login.pass(&id, factor, needed.clone()),
                ),
            };
            prop_assert_eq!(stepped.is_ok(), is_allowed);
            if let Ok(stepped) = stepped {
                login = stepped;
                owner = owner.or(Some(identity));
                passed.extend(factor);
            }
            let is_complete = owner.is_some() && needed.iter().all(|factor| passed.contains(factor));
            prop_assert_eq!(matches!(login, Login::Complete(_)), is_complete);
            prop_assert_eq!(login.authenticated().ok().map(|login| login.identity().as_str()), owner);
        }
    }
}
