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

fn family() -> OidcSession {
    OidcSession::pending(OidcClient::Native, at(0)).issued(Some(id(0)), at(86_400))
}

/// Presents a token for the next one.
fn rotate(family: &OidcSession, token: usize, next: usize, second: i64) -> Presented {
    let wanted = Wanted::Rotation {
        next: id(next),
        expires_at: at(86_400 + second),
    };
    family.present(&id(token), OidcClient::Native, wanted, at(second))
}

fn id_token(family: &OidcSession, token: usize, second: i64) -> Presented {
    family.present(&id(token), OidcClient::Native, Wanted::IdToken, at(second))
}

fn served(presented: Presented) -> OidcSession {
    match presented {
        Presented::Served(family) => family,
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
        let presented = spent.present(&id(token), OidcClient::OpenZiti, Wanted::IdToken, at(11));
        assert_eq!(presented, ended);
    }
}

#[test]
fn session_without_refresh_tokens_serves_none() {
    let pending = OidcSession::pending(OidcClient::Native, at(600));
    for session in [pending.clone(), pending.issued(None, at(1_800))] {
        assert_eq!(rotate(&session, 0, 1, 10), REPLAYED);
        assert_eq!(id_token(&session, 0, 10), REPLAYED);
    }
    assert!(!pending.has_expired(at(599)) && pending.has_expired(at(600)));
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
            Some(Presented::Ended(_)) => record = None,
            None => {},
        }
    }
    assert_eq!((served, record), (1, None));
}

/// What is presented: how many tokens before the newest, by whom, what for, and after how many seconds.
fn events() -> impl Strategy<Value = Vec<(usize, OidcClient, bool, i64)>> {
    let client = prop_oneof![20 => Just(OidcClient::Native), 1 => Just(OidcClient::OpenZiti)];
    let age = prop_oneof![6 => Just(0_usize), 3 => Just(1), 1 => Just(2)];
    proptest::collection::vec((age, client, any::<bool>(), 0..50_i64), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// Held against the rule as it is told, with the whole history in view.
    #[test]
    fn whatever_the_order_each_token_is_spent_once(events in events()) {
        let mut family = family();
        let (mut newest, mut now) = (0_usize, 0);
        let mut spent_at = BTreeMap::new();
        let mut yielded = std::collections::BTreeSet::new();
        for (age, client, wants_id_token, wait) in events {
            now += wait;
            let token = newest.saturating_sub(age);
            let spent = spent_at.get(&token).copied();
            let (presented, is_allowed) = if wants_id_token {
                let is_recent = spent.is_some_and(|spent| now - spent <= 60);
                // A token before the last one was spent before its successor was.
                let is_last = newest - token <= 1;
                (
                    family.present(&id(token), client, Wanted::IdToken, at(now)),
                    spent.is_none() || is_recent && is_last && !yielded.contains(&token),
                )
            } else {
                let wanted = Wanted::Rotation { next: id(newest + 1), expires_at: at(now + 86_400) };
                (family.present(&id(token), client, wanted, at(now)), spent.is_none())
            };
            match presented {
                Presented::Served(next) => {
                    prop_assert!(is_allowed && client == OidcClient::Native);
                    family = next;
                    if wants_id_token {
                        prop_assert!(spent.is_none() || yielded.insert(token));
                    } else {
                        prop_assert!(spent_at.insert(token, now).is_none());
                        newest += 1;
                    }
                },
                Presented::Ended(_) => {
                    prop_assert!(!is_allowed || client != OidcClient::Native);
                    return Ok(());
                },
            }
        }
    }
}
