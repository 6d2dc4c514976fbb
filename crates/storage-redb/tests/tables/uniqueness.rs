//! Uniqueness constraints.

use crate::support::{changes, find, identity, insert, session, shortfalls, store, write};
use portcullis_domain::change::Change;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::*;
use std::ops::ControlFlow;

#[test]
fn entity_is_found_by_each_of_its_unique_values() {
    let store = store();
    let mut laptop = identity("i1", "laptop");
    laptop.spec.external_id = Some("ext".to_owned());
    insert(&store, 7, &laptop).unwrap();
    for (index, value) in [
        (UniqueIndex::IdentityId, "i1"),
        (UniqueIndex::IdentityName, "laptop"),
        (UniqueIndex::IdentityExternalId, "ext"),
    ] {
        let found = find(&store, index, value).unwrap();
        assert_eq!(
            (found.number(), &found.entity),
            (RecordNumber(7), &laptop),
            "{index:?}"
        );
    }
    assert_eq!(find(&store, UniqueIndex::IdentityName, "Laptop"), None);
    assert!(matches!(
        changes(&store, 0).as_slice(),
        [Change::Identity(change)] if change.number == RecordNumber(7) && change.entity.is_some()
    ));
}

#[test]
fn taken_value_leaves_nothing_behind() {
    let store = store();
    insert(&store, 1, &identity("i1", "laptop")).unwrap();
    let before = store.feed().revision();
    let error = insert(&store, 2, &identity("i2", "laptop")).unwrap_err();
    assert!(
        matches!(error, WriteError::UniqueViolation(value) if value.index == UniqueIndex::IdentityName)
    );
    assert_eq!(find(&store, UniqueIndex::IdentityId, "i2"), None);
    assert!(changes(&store, before).is_empty());
    assert!(shortfalls(&store).is_empty());
}

#[test]
fn replacement_moves_unique_values() {
    let store = store();
    let before = identity("i1", "laptop");
    insert(&store, 1, &before).unwrap();
    insert(&store, 2, &identity("i2", "phone")).unwrap();
    let key = identity_key(RecordNumber(1));

    let (old, taken) = (before.clone(), identity("i1", "phone"));
    let error = write(&store, move |rows| rows.replace(&key, &old, &taken)).unwrap_err();
    assert!(matches!(error, WriteError::UniqueViolation(_)));

    let (old, renamed) = (before.clone(), identity("i1", "tablet"));
    write(&store, move |rows| rows.replace(&key, &old, &renamed)).unwrap();
    assert_eq!(find(&store, UniqueIndex::IdentityName, "laptop"), None);
    assert_eq!(
        find(&store, UniqueIndex::IdentityName, "tablet")
            .unwrap()
            .number(),
        RecordNumber(1)
    );
    // The old name is available at once.
    insert(&store, 3, &identity("i3", "laptop")).unwrap();
    assert!(shortfalls(&store).is_empty());
}

#[test]
fn there_is_one_administrator_by_birth() {
    let store = store();
    let mut first = identity("i1", "admin");
    first.is_default_admin = true;
    let mut second = identity("i2", "other");
    second.is_default_admin = true;
    insert(&store, 1, &first).unwrap();
    let error = insert(&store, 2, &second).unwrap_err();
    assert!(
        matches!(error, WriteError::UniqueViolation(v) if v.index == UniqueIndex::DefaultAdministrator)
    );
}

#[test]
fn scan_passes_over_other_kinds() {
    let store = store();
    let laptop = identity("i1", "laptop");
    insert(&store, 1, &laptop).unwrap();
    let key = identity_key(RecordNumber(1)).dependent(API_SESSION, 1);
    let one = session(&laptop, 1);
    write(&store, move |rows| rows.insert(&key, &one)).unwrap();
    insert(&store, 2, &identity("i2", "phone")).unwrap();

    let snapshot = store.snapshot().unwrap();
    let mut names = Vec::new();
    Rows::new(&*snapshot)
        .for_each_in::<Identity>(&RecordKey::all(IDENTITY), &mut |found| {
            names.push(found.entity.name().to_owned());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    assert_eq!(names, ["laptop", "phone"]);
}
