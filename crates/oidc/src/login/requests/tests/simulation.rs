//! Many logins at a time, most of which nobody finishes.

use super::*;
use portcullis_domain::ids::ApiSessionId;
use proptest::prelude::*;

#[test]
fn ten_thousand_unfinished_logins_of_one_peer_disturb_nobody() {
    let entropy = SeededEntropy::default();
    let mut logins = LoginRequests::default();
    let honest = logins.begin(request(), peer(1), at(0), &entropy).unwrap();
    for _ in 0..10_000 {
        logins.begin(request(), peer(2), at(1), &entropy).unwrap();
    }
    logins.shelf.check();
    assert_eq!(logins.len(), LoginLimits::default().per_peer + 1);
    authenticate(&mut logins, &honest, "alice", at(2)).unwrap();
}

#[test]
fn ten_thousand_unfinished_logins_of_many_peers_are_bounded() {
    let entropy = SeededEntropy::default();
    let mut logins = LoginRequests::default();
    for number in 0..10_000 {
        logins
            .begin(request(), peer(number % 20), at(1), &entropy)
            .unwrap();
        if number % 1000 == 0 {
            logins.shelf.check();
        }
    }
    assert_eq!(logins.len(), LoginLimits::default().total);
    // Another peer finds room: one of those with more than one login gives way.
    let honest = logins.begin(request(), peer(99), at(2), &entropy).unwrap();
    for number in 0..10_000 {
        logins
            .begin(request(), peer(number % 20), at(2), &entropy)
            .unwrap();
    }
    assert_eq!(logins.len(), LoginLimits::default().total);
    authenticate(&mut logins, &honest, "alice", at(3)).unwrap();
    logins.expire(at(700));
    assert!(logins.is_empty());
    logins.shelf.check();
}

#[test]
fn displaced_codes_are_forgotten() {
    let entropy = SeededEntropy::default();
    let (mut logins, code) = with_code(&entropy);
    for _ in 0..LoginLimits::default().per_peer {
        logins.begin(request(), peer(1), at(3), &entropy).unwrap();
    }
    let error = logins.redeem(&redemption(&code), at(3)).unwrap_err();
    assert_eq!(error, RedeemError::Unknown);
    assert!(logins.codes.is_empty());
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Begin {
        peer: u32,
    },
    /// With a stranger's secret, or none.
    Intrude {
        login: usize,
    },
    Authenticate {
        login: usize,
        identity: &'static str,
    },
    Issue {
        login: usize,
    },
    Redeem {
        code: usize,
    },
    Wait {
        seconds: i64,
    },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let login = 0..8_usize;
    let identity = prop_oneof![Just("alice"), Just("bob")];
    let event = prop_oneof![
        3 => (0..3_u32).prop_map(|peer| Event::Begin { peer }),
        1 => login.clone().prop_map(|login| Event::Intrude { login }),
        3 => (login.clone(), identity)
            .prop_map(|(login, identity)| Event::Authenticate { login, identity }),
        3 => login.clone().prop_map(|login| Event::Issue { login }),
        3 => login.prop_map(|code| Event::Redeem { code }),
        1 => (1..400_i64).prop_map(|seconds| Event::Wait { seconds }),
    ];
    proptest::collection::vec(event, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever happens in whichever order: each login belongs to one identity, has one code, and that is
    /// redeemed once; and what is kept stays within its limits.
    #[test]
    fn codes_are_issued_and_redeemed_once(events in events()) {
        let entropy = SeededEntropy::default();
        let mut logins = LoginRequests::new(LoginLimits { total: 6, per_peer: 3 });
        let mut now = 0;
        let mut begun: Vec<(NewLogin, Option<&str>, bool)> = Vec::new();
        let mut codes: Vec<(String, &str, Option<ApiSessionId>)> = Vec::new();
        for event in events {
            match event {
                Event::Begin { peer: number } => {
                    let new = logins.begin(request(), peer(number), at(now), &entropy).unwrap();
                    begun.push((new, None, false));
                },
                Event::Intrude { login } => if let Some((new, ..)) = begun.get(login) {
                    for presenter in [Presenter::Browser, Presenter::Holder("guess")] {
                        let got = logins.get(new.id.as_str(), presenter, at(now));
                        prop_assert!(matches!(
                            got,
                            Err(LoginRequestError::OtherBrowser | LoginRequestError::Unknown)
                        ));
                    }
                },
                Event::Authenticate { login, identity } => {
                    if let Some((new, owner, is_finished)) = begun.get_mut(login) {
                        let stepped = authenticate(&mut logins, new, identity, at(now));
                        if stepped.is_ok() {
                            prop_assert!(!*is_finished && owner.is_none_or(|owner| owner == identity));
                            *owner = Some(identity);
                        }
                    }
                },
                Event::Issue { login } => if let Some((new, owner, is_finished)) = begun.get_mut(login) {
                    let holder = Presenter::Holder(new.secret.expose());
                    let issued = logins.issue_code(new.id.as_str(), holder, at(now), &entropy);
                    if let Ok(location) = issued {
                        prop_assert!(!*is_finished);
                        *is_finished = true;
                        codes.push((code_in(&location), owner.unwrap(), None));
                    }
                },
                Event::Redeem { code } => if let Some((code, owner, session)) = codes.get_mut(code) {
                    match logins.redeem(&redemption(code), at(now)) {
                        Ok(redeemed) => {
                            prop_assert_eq!(redeemed.identity().as_str(), *owner);
                            prop_assert!(session.is_none());
                            *session = Some(redeemed.primary().session.clone());
                        },
                        Err(RedeemError::Replayed { session: replayed }) => {
                            prop_assert_eq!(Some(&replayed), session.as_ref());
                        },
                        Err(RedeemError::Expired) => prop_assert!(session.is_none()),
                        Err(RedeemError::Unknown) => {},
                        Err(error) => panic!("{error}"),
                    }
                },
                Event::Wait { seconds } => now += seconds,
            }
            logins.shelf.check();
            prop_assert!(logins.codes.len() <= logins.len());
        }
    }
}
