//! Loading and following the store.

use crate::support::{
    self, authenticator, edge_router_policy, enrollment, identity, policy, service_session,
    session, terminator,
};
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::config::{Config, ConfigSpec, ConfigType, ConfigTypeSpec, Object, Target};
use portcullis_domain::enrollment::Method;
use portcullis_domain::ids::{ConfigId, ConfigTypeId, Number};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::router::RouterKind;
use portcullis_domain::tags::Tags;
use portcullis_index::{Direction, Projections, SortKey};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn put_identity(number: u64, name: &str) -> Change {
    Change::Identity(EntityChange {
        owner: None,
        number: Number(number),
        now: Some(Arc::new(identity(&format!("i{number}"), name, 0))),
    })
}

fn remove_identity(number: u64) -> Change {
    Change::Identity(EntityChange {
        owner: None,
        number: Number(number),
        now: None,
    })
}

fn put_enrollment(number: u64, owner: u64) -> Change {
    Change::Enrollment(EntityChange {
        owner: Some(Owner::Identity(Number(owner))),
        number: Number(number),
        now: Some(Arc::new(enrollment(&format!("e{number}"), 0, Method::Ott))),
    })
}

fn put_authenticator(number: u64, owner: u64) -> Change {
    Change::Authenticator(EntityChange {
        owner: Some(Owner::Identity(Number(owner))),
        number: Number(number),
        now: Some(Arc::new(authenticator(&format!("a{number}"), 0, None))),
    })
}

fn remove_authenticator(number: u64) -> Change {
    Change::Authenticator(EntityChange {
        owner: None,
        number: Number(number),
        now: None,
    })
}

fn put_policy(number: u64, name: &str) -> Change {
    Change::AuthPolicy(EntityChange {
        owner: None,
        number: Number(number),
        now: Some(Arc::new(policy(&format!("p{number}"), name, 0))),
    })
}

fn put_session(number: u8, owner: u64) -> Change {
    Change::ApiSession(EntityChange {
        owner: Some(Owner::Identity(Number(owner))),
        number: Number(number.into()),
        now: Some(Arc::new(session(&format!("s{number}"), number, 0))),
    })
}

fn root<E>(number: u64, entity: E) -> EntityChange<E> {
    EntityChange {
        owner: None,
        number: Number(number),
        now: Some(Arc::new(entity)),
    }
}

fn put_service_session(number: u64, owner: u64) -> Change {
    let session = service_session(&format!("s{number}"), 0, "service", ServiceGrant::Dial);
    Change::Session(EntityChange {
        owner: Some(Owner::Identity(Number(owner))),
        ..root(number, session)
    })
}

/// One of each kind that has a catalog and is nowhere else in these tests.
fn of_others(number: u64) -> [Change; 5] {
    let id = format!("x{number}");
    let config = ConfigSpec {
        name: id.clone(),
        config_type: ConfigTypeId::from_wire("type"),
        data: Object::new(),
        tags: Tags::default(),
    };
    let config_type = ConfigTypeSpec {
        name: id.clone(),
        schema: None,
        target: Target::default(),
        tags: Tags::default(),
    };
    let now = support::at(0);
    let config = Config::new(ConfigId::from_wire(&id), config, now).unwrap();
    let config_type = ConfigType::new(ConfigTypeId::from_wire(&id), config_type, now).unwrap();
    [
        Change::Config(root(number, config)),
        Change::ConfigType(root(number, config_type)),
        Change::Terminator(root(number, terminator(&id, 0, ["s", "r", ""]))),
        Change::EdgeRouterPolicy(root(number, edge_router_policy(&id, true))),
        put_service_session(number, 1),
    ]
}

fn remove_session(number: u64) -> Change {
    Change::ApiSession(EntityChange {
        owner: None,
        number: Number(number),
        now: None,
    })
}

fn loaded(records: &[Change]) -> Projections {
    let projections = Projections::default();
    projections.begin_load();
    for record in records {
        projections.load_put(record);
    }
    projections.finish_load(10);
    projections
}

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
fn what_lives_under_an_identity_goes_with_it() {
    let projections = loaded(&[
        put_identity(1, "one"),
        put_identity(2, "two"),
        put_enrollment(1, 1),
        put_enrollment(2, 2),
        put_authenticator(1, 1),
        put_authenticator(2, 1),
        put_authenticator(3, 2),
        put_session(1, 1),
        put_session(2, 1),
        put_session(3, 2),
    ]);
    assert_eq!(projections.sessions().owned_count(Number(1)), 2);
    projections.apply(11, &[remove_identity(1)]);
    let all = |direction| projections.sessions().page(direction, 0, 9);
    assert_eq!(all(Direction::Ascending), [Number(3)]);
    assert_eq!(
        projections
            .enrollments()
            .owned_by(Owner::Identity(Number(1)), 0, 9),
        []
    );
    assert_eq!(
        projections
            .enrollments()
            .owned_by(Owner::Identity(Number(2)), 0, 9),
        [Number(2)]
    );
    let authenticators = || {
        let authenticators = projections.authenticators();
        authenticators.page(SortKey::Id, Direction::Ascending, 0, 9)
    };
    assert_eq!(authenticators(), [Number(3)]);
    projections.apply(12, &[put_authenticator(4, 2), remove_authenticator(3)]);
    assert_eq!(authenticators(), [Number(4)]);
    projections.apply(13, &[remove_session(3)]);
    assert!(projections.sessions().is_empty());
}

#[test]
fn what_lives_under_a_router_goes_with_it() {
    let owner = Owner::Router(Number(1));
    let mut of_router = put_enrollment(1, 1);
    if let Change::Enrollment(change) = &mut of_router {
        change.owner = Some(owner);
    }
    let router = |now| {
        Change::Router(EntityChange {
            owner: None,
            number: Number(1),
            now,
        })
    };
    let put_router = router(Some(Arc::new(support::router("r1", RouterKind::Transit))));
    let projections = loaded(&[
        put_router,
        put_identity(1, "one"),
        of_router,
        put_enrollment(2, 1),
        put_session(1, 1),
        put_service_session(1, 1),
    ]);
    assert_eq!(projections.enrollments().owned_by(owner, 0, 9), [Number(1)]);
    projections.apply(11, &[router(None)]);
    assert!(projections.routers().is_empty());
    let left = |projections: &Projections| {
        [
            projections.enrollments().len(),
            projections.sessions().len(),
            projections.service_sessions().len(),
        ]
    };
    assert_eq!(left(&projections), [1, 1, 1], "the identity has its number");
    projections.apply(12, &[remove_identity(1)]);
    assert_eq!(left(&projections), [0, 0, 0]);
}

#[test]
fn other_kinds_are_loaded_and_followed() {
    let projections = loaded(&of_others(1));
    projections.apply(11, &of_others(2));
    for number in [1, 2].map(Number) {
        assert!(projections.config_types().contains(number));
        assert!(projections.configs().contains(number));
        assert!(projections.terminators().contains(number));
        assert!(projections.service_sessions().contains(number));
        assert!(projections.edge_router_policies().contains(number));
    }
}

#[test]
fn policies_are_loaded_and_followed() {
    let projections = loaded(&[put_policy(1, "Default")]);
    let named = |name| projections.auth_policies().find_by_name(name);
    assert_eq!(named("Default"), Some(Number(1)));
    projections.apply(11, &[put_policy(2, "strict"), put_policy(1, "default")]);
    assert_eq!(
        (named("Default"), named("default")),
        (None, Some(Number(1)))
    );
    let removal = Change::AuthPolicy(EntityChange {
        owner: None,
        number: Number(2),
        now: None,
    });
    projections.apply(12, &[removal, remove_identity(1)]);
    assert_eq!((named("strict"), named("default")), (None, Some(Number(1))));
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
