//! Readers of access while groups of commits come in.

use super::naive::{Kind, Names, Said};
use super::told::{entity, policy};
use crate::changes::{loaded, put_enrollment};
use portcullis_domain::change::Change;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::service::Service;
use portcullis_index::{PolicyKind, Projections, Selectable as _, Slot};
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(30);

const READERS: usize = 3;

/// How often they shall have looked together, and how many groups shall have come.
const ENOUGH: usize = 2_000;

fn says(identity: Option<&str>, service: Option<&str>) -> Said {
    let list = |id: Option<&str>| id.map(|id| format!("@{id}")).into_iter().collect();
    Said {
        is_binding: false,
        is_all_of: false,
        lists: BTreeMap::from([
            (Kind::Identity, list(identity)),
            (Kind::Service, list(service)),
            (Kind::Check, Names::new()),
        ]),
    }
}

/// An identity and a service that carry the same attribute.
fn couple(couple: usize, attribute: usize) -> [Change; 2] {
    let carried = Names::from([format!("a{attribute}")]);
    let put = |kind, id: String| entity(kind, &id, Some(&carried));
    // The service takes the slot first, so that neither comes in the order of locks.
    [
        put(Kind::Service, format!("s-{couple}")),
        put(Kind::Identity, format!("i-{couple}")),
    ]
}

/// The policy that lets the identity of a couple dial its service.
fn grant(couple: usize) -> Change {
    let (identity, service) = (format!("i-{couple}"), format!("s-{couple}"));
    let said = says(Some(&identity), Some(&service));
    policy(PolicyKind::Service, "p-0", Some(&said))
}

/// Another couple takes the place and the slots of the one before.
fn exchange(old: usize, new: usize) -> Vec<Change> {
    let mut changes = vec![
        policy(PolicyKind::Service, "p-0", Some(&says(None, None))),
        entity(Kind::Identity, &format!("i-{old}"), None),
        entity(Kind::Service, &format!("s-{old}"), None),
    ];
    changes.extend(couple(new, new));
    changes.push(grant(new));
    changes
}

fn only(slots: &RoaringBitmap) -> Slot {
    assert_eq!(slots.len(), 1);
    Slot::from_bit(slots.min().unwrap())
}

/// The one identity may dial the one service, which is of the same couple and carries the same.
fn assert_couple(projections: &Projections) {
    let guard = projections.access();
    let (identities, services) = (guard.identities(), guard.services());
    let (identity, service) = (only(identities.live()), only(services.live()));
    let dialed = guard
        .access()
        .services(Some(ServiceGrant::Dial), identity, guard.kinds());
    assert_eq!(only(&dialed), service);
    assert_eq!(identities.number(identity), services.number(service));
    let carried = Identity::role_attributes(identities.columns()).terms_of(identity);
    assert!(carried.eq(Service::role_attributes(services.columns()).terms_of(service)));
}

/// Exchanges couples, changes what they carry and loads anew, until everybody has done enough.
fn write(projections: &Projections, looks: &AtomicUsize) {
    let begun = Instant::now();
    let mut couples = 1;
    // That of the load.
    let mut revision = 10;
    while revision < ENOUGH || looks.load(Ordering::Relaxed) < ENOUGH {
        assert!(begun.elapsed() < DEADLINE, "too slow");
        revision += 1;
        let changes = if revision.is_multiple_of(3) {
            couple(couples, revision).to_vec()
        } else {
            couples += 1;
            exchange(couples - 1, couples)
        };
        if revision.is_multiple_of(50) {
            projections.begin_load();
            let records = couple(couples, revision);
            for record in records.iter().chain([&grant(couples)]) {
                projections.load_put(record);
            }
            projections.finish_load(revision as u64);
        } else {
            projections.apply(revision as u64, &changes);
        }
    }
}

#[test]
fn readers_see_each_group_whole() {
    let mut records = couple(1, 1).to_vec();
    records.push(grant(1));
    let projections = Arc::new(loaded(&records));
    let looks = Arc::new(AtomicUsize::new(0));
    let is_done = Arc::new(AtomicBool::new(false));
    let (ended, ends) = mpsc::channel();
    for _ in 0..READERS {
        let (projections, looks) = (projections.clone(), looks.clone());
        let (is_done, ended) = (is_done.clone(), ended.clone());
        std::thread::spawn(move || {
            while !is_done.load(Ordering::Relaxed) {
                assert_couple(&projections);
                assert!(projections.services().len() <= 1);
                looks.fetch_add(1, Ordering::Relaxed);
            }
            ended.send(())
        });
    }
    std::thread::spawn(move || {
        write(&projections, &looks);
        is_done.store(true, Ordering::Relaxed);
        ended.send(())
    });
    for _ in 0..=READERS {
        ends.recv_timeout(DEADLINE * 2)
            .expect("nobody waits for ever, and nobody fails");
    }
}

#[test]
fn what_access_is_not_about_is_written_while_it_is_read() {
    let projections = Arc::new(loaded(&couple(1, 1)));
    let guard = projections.access();
    let (ended, ends) = mpsc::channel();
    let writer = projections.clone();
    std::thread::spawn(move || {
        writer.apply(11, &[put_enrollment(7, 1)]);
        ended.send(())
    });
    ends.recv_timeout(DEADLINE).expect("it waits for nothing");
    assert!(projections.enrollments().contains(RecordNumber(7)));
    drop(guard);
}
