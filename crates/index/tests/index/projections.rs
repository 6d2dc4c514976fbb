//! Loading and following the store.

use crate::changes::{loaded, put_identity, put_session, remove_identity};
use portcullis_domain::change::Change;
use portcullis_index::{Direction, Projections, SortKey};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn names(projections: &Projections) -> Vec<String> {
    let identities = projections.identities();
    identities
        .walk(SortKey::Name, Direction::Ascending, 0)
        .map(|slot| identities.name(slot).unwrap().to_owned())
        .collect()
}

#[test]
fn changes_that_the_snapshot_held_are_passed_over() {
    let projections = Projections::default();
    projections.apply(9, &[put_identity(1, "before the load")]);
    projections.begin_load();
    projections.apply(10, &[put_identity(2, "older than the scan")]);
    projections.load_put(&put_identity(1, "one"));
    projections.load_put(&put_identity(2, "two"));
    projections.apply(11, &[put_identity(3, "three"), remove_identity(1)]);
    projections.load_put(&put_identity(4, "four"));
    assert!(!projections.is_ready());
    assert!(names(&projections).is_empty());

    projections.finish_load(10);
    assert!(projections.is_ready());
    assert_eq!(names(&projections), ["four", "three", "two"]);

    projections.apply(11, &[put_identity(1, "a repetition")]);
    assert_eq!(names(&projections), ["four", "three", "two"]);
    projections.apply(12, &[put_identity(4, "for")]);
    assert_eq!(names(&projections), ["for", "three", "two"]);
}

#[test]
fn a_load_that_failed_can_be_begun_again() {
    let projections = Projections::default();
    projections.begin_load();
    projections.load_put(&put_identity(1, "of the failed scan"));
    projections.apply(11, &[put_identity(2, "two")]);
    projections.begin_load();
    projections.load_put(&put_identity(3, "three"));
    projections.finish_load(10);
    assert_eq!(names(&projections), ["three", "two"]);
}

#[test]
fn loading_anew_serves_the_old_until_the_end() {
    let projections = loaded(&[put_identity(1, "one"), put_session(1, 1)]);
    projections.begin_load();
    assert!(!projections.is_ready());
    assert_eq!(names(&projections), ["one"]);
    projections.load_put(&put_identity(2, "two"));
    projections.finish_load(20);
    assert_eq!(names(&projections), ["two"]);
    assert!(projections.sessions().is_empty());
    projections.apply(15, &[put_identity(3, "three")]);
    assert_eq!(names(&projections), ["two"], "15 is in the scan of 20");
}

#[test]
fn without_a_beginning_there_is_no_end() {
    let projections = Projections::default();
    projections.load_put(&put_identity(1, "one"));
    projections.finish_load(10);
    assert!(!projections.is_ready());

    let projections = loaded(&[put_identity(1, "one")]);
    projections.load_put(&put_identity(2, "two"));
    projections.finish_load(99);
    assert_eq!(names(&projections), ["one"]);
    projections.apply(11, &[put_identity(3, "three")]);
    assert_eq!(names(&projections), ["one", "three"]);
}

#[test]
fn a_session_of_nobody_is_not_mirrored() {
    let mut orphan = put_session(1, 1);
    if let Change::ApiSession(change) = &mut orphan {
        change.owner = None;
    }
    assert!(loaded(&[orphan.clone()]).sessions().is_empty());
    let projections = loaded(&[put_session(1, 1)]);
    projections.apply(11, &[orphan]);
    assert!(projections.sessions().is_empty());
}

#[test]
fn readiness_is_told_once_to_everybody() {
    let calls = Arc::new(AtomicUsize::new(0));
    let notify = || {
        let calls = calls.clone();
        move || {
            calls.fetch_add(1, Ordering::Relaxed);
        }
    };
    let projections = Projections::default();
    projections.on_ready(notify());
    projections.begin_load();
    projections.on_ready(notify());
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    projections.finish_load(1);
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    projections.on_ready(notify());
    assert_eq!(calls.load(Ordering::Relaxed), 3, "at once when it is ready");
    projections.begin_load();
    projections.finish_load(2);
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

/// A writer that commits while another thread scans and readers hold guards: nothing is lost,
/// nothing waits for ever.
#[test]
fn commits_during_a_load_are_all_in_after_it() {
    let projections = Projections::default();
    projections.begin_load();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for revision in 1..=2_000 {
                projections.apply(
                    revision,
                    &[put_identity(revision, &format!("{revision:04}"))],
                );
            }
        });
        scope.spawn(|| {
            for revision in 1..=500_u64 {
                projections.load_put(&put_identity(revision, &format!("{revision:04}")));
            }
            projections.finish_load(500);
        });
        scope.spawn(|| {
            for _ in 0..200 {
                let identities = projections.identities();
                let is_ready = projections.is_ready();
                assert!(!is_ready || identities.len() <= 2_000);
            }
        });
    });
    assert!(projections.is_ready());
    let expected: Vec<String> = (1..=2_000)
        .map(|revision| format!("{revision:04}"))
        .collect();
    assert_eq!(names(&projections), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Wherever a scan falls among the commits, the end is what the commits say.
    #[test]
    fn a_load_at_any_moment_ends_with_the_same(
        commits in prop::collection::vec(prop::collection::vec((0_u64..8, any::<bool>()), 1..4), 1..20),
        begun in 0_usize..20,
        scanned in 0_usize..20,
        finished in 0_usize..20,
    ) {
        let mut moments = [begun, scanned, finished].map(|moment| moment.min(commits.len()));
        moments.sort_unstable();
        let projections = Projections::default();
        let mut store: BTreeMap<u64, String> = BTreeMap::new();
        let mut scan = BTreeMap::new();
        for revision in 0..=commits.len() {
            if moments[0] == revision {
                projections.begin_load();
            }
            if moments[1] == revision {
                scan = store.clone();
            }
            if moments[2] == revision {
                for (number, name) in &scan {
                    projections.load_put(&put_identity(*number, name));
                }
                projections.finish_load(moments[1] as u64);
            }
            let Some(commit) = commits.get(revision) else {
                break;
            };
            let mut changes = Vec::new();
            for (number, is_put) in commit {
                let name = format!("{number}-{revision}");
                if *is_put {
                    changes.push(put_identity(*number, &name));
                    store.insert(*number, name);
                } else {
                    changes.push(remove_identity(*number));
                    store.remove(number);
                }
            }
            projections.apply(revision as u64 + 1, &changes);
        }
        prop_assert_eq!(names(&projections), store.into_values().collect::<Vec<_>>());
    }
}
