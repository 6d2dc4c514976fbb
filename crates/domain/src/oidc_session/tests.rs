//! Rotation in order, replays, and all orders of both.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn id(number: usize) -> TokenId {
    TokenId::from_wire(format!("t{number}"))
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

const PROGRAM: Presenter = Presenter {
    client: OidcClient::Native,
    is_console: false,
};
const CONSOLE: Presenter = Presenter {
    is_console: true,
    ..PROGRAM
};

fn refresh(number: usize, end: i64) -> RefreshToken {
    RefreshToken {
        id: id(number),
        expires_at: at(end),
    }
}

/// Tokens that are asked for at this second.
fn rotation(next: usize, second: i64) -> Wanted {
    Wanted::Rotation {
        next: refresh(next, second + 86_400),
        access_expires_at: at(second + 1_800),
    }
}

fn family() -> OidcSession {
    OidcSession::pending(OidcClient::Native, at(0)).issued(at(1_800), Some(refresh(0, 86_400)))
}

/// Presents a token for the next one.
fn rotate(family: &OidcSession, token: usize, next: usize, second: i64) -> Presented {
    rotate_by(PROGRAM, family, token, next, second)
}

fn rotate_by(
    presenter: Presenter,
    family: &OidcSession,
    token: usize,
    next: usize,
    second: i64,
) -> Presented {
    family.present(&id(token), presenter, rotation(next, second), at(second))
}

fn id_token(family: &OidcSession, token: usize, second: i64) -> Presented {
    family.present(&id(token), PROGRAM, Wanted::IdToken, at(second))
}

fn served(presented: Presented) -> OidcSession {
    match presented {
        Presented::Served(family) => family,
        Presented::JustSpent => panic!("just spent"),
        Presented::Ended(reason) => panic!("{reason}"),
    }
}

const REPLAYED: Presented = Presented::Ended(EndReason::Replayed);

#[test]
fn tokens_are_spent_one_after_the_other() {
    let mut family = family();
    for number in 0..5 {
        let second = 1800 * i64::try_from(number).unwrap();
        family = served(rotate(&family, number, number + 1, second));
        assert_eq!(family.expires_at, at(86_400 + second));
    }
}

#[test]
fn a_spent_token_ends_the_family() {
    let first = served(rotate(&family(), 0, 1, 10));
    assert_eq!(rotate(&first, 0, 2, 10), REPLAYED);
    let second = served(rotate(&first, 1, 2, 20));
    for token in [0, 1, 7] {
        assert_eq!(rotate(&second, token, 3, 21), REPLAYED);
    }
}

#[test]
fn renewal_of_the_go_sdk_works() {
    let family = served(rotate(&family(), 0, 1, 10));
    let family = served(id_token(&family, 0, 11));
    // The next renewal is half an hour later.
    let family = served(rotate(&family, 1, 2, 1800));
    let family = served(id_token(&family, 1, 1860));
    served(rotate(&family, 2, 3, 3600));
}

#[test]
fn the_exception_is_narrow() {
    let spent = served(rotate(&family(), 0, 1, 10));
    assert_eq!(id_token(&spent, 0, 71), REPLAYED, "a minute is over");
    assert_eq!(id_token(&spent, 0, 4), REPLAYED, "the clock was set back");
    let taken = served(id_token(&spent, 0, 70));
    assert_eq!(id_token(&taken, 0, 70), REPLAYED, "once");
    assert_eq!(rotate(&taken, 0, 2, 70), REPLAYED, "nothing else");
    let next = served(rotate(&spent, 1, 2, 20));
    assert_eq!(id_token(&next, 0, 21), REPLAYED, "only the last one");
    assert_eq!(id_token(&spent, 9, 11), REPLAYED, "only one of the family");
}

#[test]
fn the_current_token_yields_id_tokens_and_stays_what_it_is() {
    let family = family();
    assert_eq!(served(id_token(&family, 0, 5)), family);
    assert_eq!(served(id_token(&family, 0, 6)), family);
    let spent = served(rotate(&family, 0, 1, 10));
    let taken = served(id_token(&spent, 0, 11));
    assert_eq!(id_token(&taken, 0, 12), REPLAYED);
    assert_eq!(served(id_token(&taken, 1, 12)), taken);
}

#[test]
fn other_clients_end_the_family() {
    let ended = Presented::Ended(EndReason::OtherClient);
    let spent = served(rotate(&family(), 0, 1, 10));
    for token in [0, 1] {
        let other = Presenter {
            client: OidcClient::OpenZiti,
            ..CONSOLE
        };
        let presented = spent.present(&id(token), other, Wanted::IdToken, at(11));
        assert_eq!(presented, ended);
    }
}

#[test]
fn tabs_of_the_console_end_no_session() {
    let first = served(rotate_by(CONSOLE, &family(), 0, 1, 10));
    let second = served(rotate_by(CONSOLE, &first, 1, 2, 15));
    for (token, second_of, presented) in [
        (0, 10, Presented::JustSpent),
        (0, 20, Presented::JustSpent),
        (0, 21, REPLAYED),
        (1, 25, Presented::JustSpent),
        (1, 26, REPLAYED),
        (1, 9, REPLAYED),
        (7, 15, REPLAYED),
    ] {
        let outcome = rotate_by(CONSOLE, &second, token, 3, second_of);
        assert_eq!(outcome, presented, "{token} at {second_of}");
    }
    assert_eq!(rotate(&second, 1, 3, 15), REPLAYED, "a program");
    let by_program = served(rotate(&family(), 0, 1, 10));
    assert_eq!(rotate_by(CONSOLE, &by_program, 0, 2, 10), REPLAYED);
}

#[test]
fn what_is_remembered_for_the_console_is_bounded() {
    let mut family = family();
    for number in 0..100 {
        family = served(rotate_by(CONSOLE, &family, number, number + 1, 10));
    }
    let oldest = 99 - MAX_REMEMBERED;
    let outcome = |token| rotate_by(CONSOLE, &family, token, 101, 10);
    assert_eq!(outcome(oldest), Presented::JustSpent);
    assert_eq!(outcome(oldest - 1), REPLAYED);
    let later = served(rotate_by(CONSOLE, &family, 100, 101, 1_000));
    let text = serde_json::to_string(&later).unwrap();
    assert!(!text.contains("spent_before"), "{text}");
}

#[test]
fn session_without_refresh_tokens_serves_none() {
    let pending = OidcSession::pending(OidcClient::Native, at(600));
    for session in [pending.clone(), pending.issued(at(1_800), None)] {
        assert_eq!(rotate(&session, 0, 1, 10), REPLAYED);
        assert_eq!(id_token(&session, 0, 10), REPLAYED);
    }
    assert!(!pending.has_expired(at(599)) && pending.has_expired(at(600)));
}

#[test]
fn end_of_the_last_access_token_is_known() {
    let pending = OidcSession::pending(OidcClient::Native, at(600));
    assert_eq!(pending.access_ends_at(), None);
    assert_eq!(family().access_ends_at(), Some(at(1_800)));
    let renewed = served(rotate(&family(), 0, 1, 100));
    assert_eq!(renewed.access_ends_at(), Some(at(1_900)));
    // The lifetime was shortened.
    let wanted = Wanted::Rotation {
        next: refresh(2, 86_400),
        access_expires_at: at(200),
    };
    let shorter = served(renewed.present(&id(1), PROGRAM, wanted, at(140)));
    assert_eq!(shorter.access_ends_at(), Some(at(1_900)));
    let same = served(id_token(&shorter, 2, 150));
    assert_eq!(same.access_ends_at(), Some(at(1_900)));
}

/// Any of its tokens may be an access token.
#[test]
fn record_without_the_end_of_access_tokens_stands_for_all_its_tokens() {
    let mut old = serde_json::to_value(family()).unwrap();
    old.as_object_mut()
        .unwrap()
        .remove("access_expires_at")
        .unwrap();
    let old: OidcSession = serde_json::from_value(old).unwrap();
    assert_eq!(old.access_ends_at(), Some(at(86_400)));
}

#[test]
fn record_leads_back() {
    let pending = OidcSession::pending(OidcClient::OpenZiti, at(600));
    for family in [pending, family(), served(rotate(&family(), 0, 1, 10))] {
        let text = serde_json::to_string(&family).unwrap();
        assert_eq!(serde_json::from_str::<OidcSession>(&text).unwrap(), family);
    }
}

/// Of 64 who present one token at the same time, each in a transaction of its own.
#[test]
fn one_of_many_is_served() {
    let mut record = Some(family());
    let mut served = 0;
    for next in 1..=64 {
        match record.as_ref().map(|family| rotate(family, 0, next, 10)) {
            Some(Presented::Served(family)) => {
                served += 1;
                record = Some(family);
            },
            Some(Presented::JustSpent | Presented::Ended(_)) => record = None,
            None => {},
        }
    }
    assert_eq!((served, record), (1, None));
}

/// What is presented: how many tokens before the newest, by whom, what for, and after how many seconds.
fn events() -> impl Strategy<Value = Vec<(usize, Presenter, bool, i64)>> {
    let other_client = Presenter {
        client: OidcClient::OpenZiti,
        is_console: false,
    };
    let presenter = prop_oneof![10 => Just(PROGRAM), 20 => Just(CONSOLE), 1 => Just(other_client)];
    let age = prop_oneof![6 => Just(0_usize), 3 => Just(1), 1 => Just(2)];
    let wait = prop_oneof![0..5_i64, 0..50_i64];
    proptest::collection::vec((age, presenter, any::<bool>(), wait), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// Held against the rule as it is told, with the whole history in view.
    #[test]
    fn whatever_the_order_each_token_is_spent_once(events in events()) {
        let mut family = family();
        let (mut newest, mut now) = (0_usize, 0);
        let mut spent_by = BTreeMap::new();
        let mut yielded = std::collections::BTreeSet::new();
        for (age, presenter, wants_id_token, wait) in events {
            now += wait;
            let token = newest.saturating_sub(age);
            let spent: Option<(i64, bool)> = spent_by.get(&token).copied();
            let is_own = presenter.client == OidcClient::Native;
            let (presented, is_allowed) = if wants_id_token {
                let is_recent = spent.is_some_and(|(second, _)| now - second <= 60);
                // A token before the last one was spent before its successor was.
                let is_last = newest - token <= 1;
                (
                    family.present(&id(token), presenter, Wanted::IdToken, at(now)),
                    spent.is_none() || is_recent && is_last && !yielded.contains(&token),
                )
            } else {
                let wanted = rotation(newest + 1, now);
                (family.present(&id(token), presenter, wanted, at(now)), spent.is_none())
            };
            match presented {
                Presented::Served(next) => {
                    prop_assert!(is_allowed && is_own);
                    family = next;
                    if wants_id_token {
                        prop_assert!(spent.is_none() || yielded.insert(token));
                    } else {
                        prop_assert!(spent_by.insert(token, (now, presenter.is_console)).is_none());
                        newest += 1;
                    }
                },
                Presented::JustSpent => {
                    let by_console = spent.filter(|(_, by_console)| *by_console);
                    let is_recent = by_console.is_some_and(|(second, _)| now - second <= 10);
                    prop_assert!(!is_allowed && presenter.is_console && is_recent);
                },
                Presented::Ended(_) => {
                    prop_assert!(!is_allowed || !is_own);
                    return Ok(());
                },
            }
        }
    }
}
