//! The mirror of sessions against a map of them.

use crate::support::{at, session};
use portcullis_domain::api_session::{ApiSession, TokenHash};
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::quota::StoredSize as _;
use portcullis_index::{ApiSessionMirror, Direction};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const TIMEOUT: SignedDuration = SignedDuration::from_millis(10);

#[derive(Debug, Clone)]
enum Step {
    /// Number, owner, version of id and token, last activity of the record.
    Put(u8, u64, u8, i64),
    Remove(u8),
    RemoveOwnedBy(u64),
    Touch(u8, u8, i64),
    Drain(usize),
    Restore(u8),
}

struct Known {
    owner: RecordNumber,
    record: Arc<ApiSession>,
    last: i64,
}

#[derive(Default)]
struct Model {
    known: BTreeMap<u64, Known>,
    dirty: BTreeSet<u64>,
}

/// Token and id belong to one number; each bit of a version stands for one of them exchanged.
fn token(number: u8, version: u8) -> u8 {
    number + version % 2 * 20
}

fn record(number: u8, version: u8, last: i64) -> Arc<ApiSession> {
    let id = format!("{}-{}-{number}", version / 2, number.wrapping_mul(41));
    let mut record = session(&id, token(number, version), last);
    // So that a record differs in size from the one it replaces.
    record.config_types = vec!["x".repeat(usize::try_from(last.rem_euclid(64)).unwrap())];
    Arc::new(record)
}

fn any_step() -> impl Strategy<Value = Step> {
    let number = 0_u8..20;
    prop_oneof![
        6 => (number.clone(), 0..4_u64, 0..4_u8, 0..40_i64)
            .prop_map(|(number, owner, version, last)| Step::Put(number, owner, version, last)),
        2 => number.clone().prop_map(Step::Remove),
        1 => (0..4_u64).prop_map(Step::RemoveOwnedBy),
        6 => (number.clone(), 0..2_u8, 0..60_i64)
            .prop_map(|(number, version, now)| Step::Touch(number, version, now)),
        2 => (0..6_usize).prop_map(Step::Drain),
        1 => number.prop_map(Step::Restore),
    ]
}

fn step(sessions: &mut ApiSessionMirror, model: &mut Model, step: &Step) {
    match *step {
        Step::Put(number, owner, version, last) => {
            let (key, owner, record) = (
                u64::from(number),
                RecordNumber(owner),
                record(number, version, last),
            );
            sessions.put(RecordNumber(key), owner, record.clone());
            let last = model
                .known
                .get(&key)
                .map_or(last, |known| known.last.max(last));
            model.known.insert(
                key,
                Known {
                    owner,
                    record,
                    last,
                },
            );
        },
        Step::Remove(number) => {
            let was_there = model.known.remove(&number.into()).is_some();
            model.dirty.remove(&number.into());
            assert_eq!(sessions.remove(RecordNumber(number.into())), was_there);
        },
        Step::RemoveOwnedBy(owner) => {
            sessions.remove_owned_by(RecordNumber(owner));
            model
                .known
                .retain(|_, known| known.owner != RecordNumber(owner));
            model
                .dirty
                .retain(|number| model.known.contains_key(number));
        },
        Step::Touch(number, version, now) => {
            let hash = TokenHash([token(number, version); 16]);
            let known = model.known.get_mut(&number.into());
            let known = known.filter(|known| known.record.token_hash == hash);
            assert_eq!(sessions.touch(hash, at(now)), known.is_some());
            if let Some(known) = known.filter(|known| known.last < now) {
                known.last = now;
                model.dirty.insert(number.into());
            }
        },
        Step::Drain(at_most) => drain(sessions, model, at_most),
        Step::Restore(number) => {
            sessions.restore_dirty(RecordNumber(number.into()));
            if model.known.contains_key(&number.into()) {
                model.dirty.insert(number.into());
            }
        },
    }
}

fn drain(sessions: &ApiSessionMirror, model: &mut Model, at_most: usize) {
    let drained = sessions.drain_dirty_activity(at_most);
    assert_eq!(drained.len(), model.dirty.len().min(at_most));
    for (owner, number, last) in drained {
        assert!(model.dirty.remove(&number.0), "{number:?} was not dirty");
        let known = &model.known[&number.0];
        assert_eq!((owner, last), (known.owner, at(known.last)));
    }
}

fn assert_same(sessions: &ApiSessionMirror, model: &Model, now: Timestamp) {
    assert_eq!(sessions.len(), model.known.len());
    assert_eq!(sessions.is_empty(), model.known.is_empty());
    for (number, known) in &model.known {
        let by_token = sessions.find(known.record.token_hash).unwrap();
        let by_id = sessions.find_by_id(known.record.id.as_str()).unwrap();
        let by_number = sessions.get(RecordNumber(*number)).unwrap();
        for found in [by_token, by_id, by_number] {
            assert_eq!(
                (found.number, found.owner),
                (RecordNumber(*number), known.owner)
            );
            assert!(Arc::ptr_eq(found.record, &known.record));
            assert_eq!(found.last_activity_at(), at(known.last));
        }
    }
    let tokens: BTreeSet<[u8; 16]> = model
        .known
        .values()
        .map(|known| known.record.token_hash.0)
        .collect();
    for token in 0..40 {
        let found = sessions.find(TokenHash([token; 16]));
        assert_eq!(found.is_some(), tokens.contains(&[token; 16]));
    }
    let ids = |of: Option<RecordNumber>| {
        let mut ids: Vec<(&str, RecordNumber)> = model
            .known
            .iter()
            .filter(|(_, known)| of.is_none_or(|owner| known.owner == owner))
            .map(|(number, known)| (known.record.id.as_str(), RecordNumber(*number)))
            .collect();
        ids.sort_unstable();
        ids.into_iter()
            .map(|(_, number)| number)
            .collect::<Vec<_>>()
    };
    for (offset, limit) in [(0, usize::MAX), (0, 3), (2, 5), (19, 3), (99, 3)] {
        let page = |of: &[RecordNumber]| {
            of.iter()
                .skip(offset)
                .take(limit)
                .copied()
                .collect::<Vec<_>>()
        };
        let mut all = ids(None);
        assert_eq!(
            sessions.page(Direction::Ascending, offset as u64, limit),
            page(&all)
        );
        all.reverse();
        assert_eq!(
            sessions.page(Direction::Descending, offset as u64, limit),
            page(&all)
        );
        for owner in (0..4).map(RecordNumber) {
            let owned = ids(Some(owner));
            assert_eq!(sessions.owned_by(owner, offset as u64, limit), page(&owned));
            assert_eq!(sessions.owned_count(owner), owned.len());
            assert_eq!(sessions.owned_bytes(owner), bytes_of(model, owner));
        }
    }
    assert_expired(sessions, model, now);
}

fn bytes_of(model: &Model, owner: RecordNumber) -> usize {
    let known = model.known.values().filter(|known| known.owner == owner);
    known.map(|known| known.record.stored_bytes()).sum()
}

/// The sessions that have expired, each as identity and session.
fn expired(
    sessions: &ApiSessionMirror,
    now: Timestamp,
    timeout: SignedDuration,
) -> Vec<(RecordNumber, RecordNumber)> {
    let expired = sessions.expired(now, timeout);
    expired
        .map(|session| (session.owner, session.number))
        .collect()
}

fn assert_expired(sessions: &ApiSessionMirror, model: &Model, now: Timestamp) {
    let mut expired = expired(sessions, now, TIMEOUT);
    expired.sort_unstable();
    let mut expected: Vec<(RecordNumber, RecordNumber)> = model
        .known
        .iter()
        .filter(|(_, known)| ApiSession::expires_at(at(known.last), TIMEOUT) <= now)
        .map(|(number, known)| (known.owner, RecordNumber(*number)))
        .collect();
    expected.sort_unstable();
    assert_eq!(expired, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_mirror_shows_what_was_put(
        start in prop::collection::vec(any_step(), 0..40),
        steps in prop::collection::vec(any_step(), 0..80),
        now in 0_i64..70,
    ) {
        let mut model = Model::default();
        let mut records = Vec::new();
        for step in start {
            if let Step::Put(number, owner, version, last) = step {
                let (key, owner, record) = (u64::from(number), RecordNumber(owner), record(number, version, last));
                let last = model.known.get(&key).map_or(last, |known| known.last.max(last));
                model.known.insert(key, Known { owner, record: record.clone(), last });
                records.push((RecordNumber(key), owner, record));
            }
        }
        let mut sessions = ApiSessionMirror::from_records(records);
        assert_same(&sessions, &model, at(now));
        for next in steps {
            step(&mut sessions, &mut model, &next);
            assert_same(&sessions, &model, at(now));
        }
        drain(&sessions, &mut model, usize::MAX);
        prop_assert!(model.dirty.is_empty());
    }
}

#[test]
fn a_session_expires_at_the_end_of_its_timeout_and_not_before() {
    let sessions =
        ApiSessionMirror::from_records([(RecordNumber(1), RecordNumber(2), record(1, 0, -5))]);
    let pair = (RecordNumber(2), RecordNumber(1));
    for (now, timeout, expected) in [
        (at(4), TIMEOUT, vec![]),
        (at(5), TIMEOUT, vec![pair]),
        (at(5) - SignedDuration::from_nanos(1), TIMEOUT, vec![]),
        (at(5), TIMEOUT + SignedDuration::from_nanos(1), vec![]),
        (
            at(5) + SignedDuration::from_nanos(1),
            TIMEOUT + SignedDuration::from_nanos(1),
            vec![pair],
        ),
        (Timestamp::MAX, SignedDuration::MAX, vec![]),
        (Timestamp::MIN, SignedDuration::ZERO, vec![]),
    ] {
        assert_eq!(
            expired(&sessions, now, timeout),
            expected,
            "{now} {timeout:?}"
        );
    }
}

/// Touches that race with drains: the last instant of every session is drained in the end.
#[test]
fn no_activity_is_lost_between_touch_and_drain() {
    let records = (0..8).map(|number| {
        (
            RecordNumber(number.into()),
            RecordNumber(1),
            record(number, 0, 0),
        )
    });
    let sessions = ApiSessionMirror::from_records(records);
    let is_over = AtomicBool::new(false);
    let mut seen: BTreeMap<RecordNumber, Timestamp> = BTreeMap::new();
    let mut note = |drained: Vec<(RecordNumber, RecordNumber, Timestamp)>| {
        for (_, number, last) in drained {
            let before = seen.insert(number, last);
            assert!(
                before.is_none_or(|before| before <= last),
                "{number:?} went back"
            );
        }
    };
    std::thread::scope(|scope| {
        let touching = scope.spawn(|| {
            for now in 1..=20_000 {
                for number in 0..8 {
                    assert!(sessions.touch(TokenHash([token(number, 0); 16]), at(now)));
                }
            }
            is_over.store(true, Ordering::Release);
        });
        while !is_over.load(Ordering::Acquire) && !touching.is_finished() {
            note(sessions.drain_dirty_activity(3));
        }
    });
    note(sessions.drain_dirty_activity(usize::MAX));
    assert_eq!(seen.len(), 8);
    assert!(seen.values().all(|last| *last == at(20_000)), "{seen:?}");
}
