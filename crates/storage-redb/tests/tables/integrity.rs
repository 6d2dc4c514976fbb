//! Inspection and repair.

use crate::network::network;
use crate::support::{Store, identity, insert, store, write};
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::engine::{Engine as _, KeyRange, StoreError, submit_with};
use portcullis_storage::frame;
use portcullis_storage::key::{META_TAG, RecordKey, ReferenceKey, UniqueKey};
use portcullis_storage::tables::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

type RowMap = BTreeMap<Vec<u8>, Vec<u8>>;

fn rows_in(store: &Store, range: &KeyRange) -> RowMap {
    let mut rows = RowMap::new();
    let snapshot = store.snapshot().unwrap();
    snapshot
        .scan(range, &mut |key, row| {
            rows.insert(key.to_vec(), row.to_vec());
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    rows
}

/// Everything but the rows of the engine itself.
fn contents(store: &Store) -> RowMap {
    rows_in(store, &KeyRange::starting(&[META_TAG + 1]))
}

fn secondary_rows(store: &Store) -> RowMap {
    let mut rows = rows_in(store, &ReferenceKey::all());
    rows.extend(rows_in(store, &UniqueKey::all_indexes()));
    rows
}

/// Sets or removes one row, as damage would.
fn set(store: &Store, key: &[u8], row: Option<&[u8]>) {
    let (key, row) = (key.to_vec(), row.map(<[u8]>::to_vec));
    submit_with(store, move |tx| {
        match &row {
            Some(row) => tx.put(&key, row),
            None => tx.delete(&key),
        }
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
}

fn found(store: &Store) -> Vec<Finding> {
    let inspection = inspect(&*store.snapshot().unwrap(), usize::MAX, &|| false).unwrap();
    assert!(!inspection.is_truncated);
    inspection.findings
}

/// Repairs all findings; returns the remaining errors.
fn repair(store: &Store) -> Vec<IntegrityError> {
    let findings = found(store);
    let left = write(store, move |rows| {
        let mut left = Vec::new();
        for finding in &findings {
            if !rows.repair(finding)? {
                left.push(finding.fault.clone());
            }
        }
        Ok(left)
    });
    left.unwrap()
}

#[test]
fn sound_store_has_no_findings() {
    assert_eq!(found(&network()), []);
    assert_eq!(found(&store()), []);
}

#[test]
fn each_row_beside_the_records_is_restored() {
    let store = network();
    let sound = contents(&store);
    let rows = secondary_rows(&store);
    assert!(rows.len() > 40, "{}", rows.len());
    let elsewhere = RecordKey::root(CONFIG_TYPE, 1);
    for (key, row) in rows {
        let misled = frame::encode(&key, elsewhere.as_bytes());
        let mut faults: Vec<Option<&[u8]>> = vec![None, Some(b"garbage")];
        if misled != row {
            faults.push(Some(&misled));
        }
        for fault in faults {
            set(&store, &key, fault);
            assert_ne!(found(&store), [], "{key:?}");
            // Some rows are only repaired once those of their targets are.
            repair(&store);
            repair(&store);
            assert!(contents(&store) == sound, "{key:?} {fault:?}");
        }
    }
}

#[test]
fn rows_that_no_record_has_are_taken_away() {
    let store = network();
    let sound = contents(&store);
    let (owner, other) = (identity_key(RecordNumber(1)), RecordKey::root(SERVICE, 1));
    let value = UniqueKey::new(UniqueIndex::IdentityName as u8, b"nobody");
    let reference = ReferenceKey::new(other.id(), owner.id());
    // The identity does not refer to this target.
    let stray = ReferenceKey::new(RecordKey::root(TERMINATOR, 1).id(), owner.id());
    assert!(sound.contains_key(reference.as_bytes()));
    for key in [value.as_bytes(), stray.as_bytes()] {
        set(&store, key, Some(&frame::encode(key, owner.as_bytes())));
    }
    let fault = IntegrityError::StaleRow(owner);
    let faults: Vec<IntegrityError> = found(&store).into_iter().map(|one| one.fault).collect();
    assert_eq!(faults, [fault.clone(), fault]);
    assert_eq!(repair(&store), []);
    assert!(contents(&store) == sound);
}

#[test]
fn lost_and_damaged_records_keep_their_traces() {
    for lost in [None, Some(&b"garbage"[..])] {
        let store = network();
        let records = rows_in(&store, &RecordKey::all_kinds());
        for (key, row) in records {
            set(&store, &key, lost);
            let before = contents(&store);
            let left = repair(&store);
            assert!(!left.is_empty(), "{key:?}");
            assert!(contents(&store) == before, "{key:?}: {left:?}");
            set(&store, &key, Some(&row));
            assert_eq!(found(&store), []);
        }
    }
}

#[test]
fn faults_are_said_in_words() {
    let store = network();
    let identity = identity_key(RecordNumber(1));
    set(&store, identity.as_bytes(), None);
    let texts: Vec<String> = found(&store).iter().map(ToString::to_string).collect();
    for expected in [
        "record 1:1/5:1 depends on a record that is missing",
        "record 15:1 refers by IdentityId to an entity that is missing",
        "a row points to record 1:1, which is missing",
        "0 records of kind 1 found, 1 expected",
    ] {
        assert!(texts.iter().any(|text| text == expected), "{texts:#?}");
    }
}

#[test]
fn contested_value_is_left_to_people() {
    let store = store();
    insert(&store, 1, &identity("i1", "laptop")).unwrap();
    insert(&store, 2, &identity("i2", "phone")).unwrap();
    let (first, second) = (identity_key(RecordNumber(1)), identity_key(RecordNumber(2)));
    let rows = contents(&store);
    let row = &rows[first.as_bytes()];
    let body = frame::decode(first.as_bytes(), row).unwrap();
    let twin = frame::encode(second.as_bytes(), body);
    set(&store, second.as_bytes(), Some(&twin));
    let before = contents(&store);
    let contested = |index| IntegrityError::ConflictingValue {
        record: second,
        holder: first,
        index,
    };
    let left = repair(&store);
    assert_eq!(
        left,
        [
            contested(UniqueIndex::IdentityId),
            contested(UniqueIndex::IdentityName)
        ]
    );
    // The stale rows of its former id and name are removed.
    assert_eq!(contents(&store).len(), before.len() - 2);
}

#[test]
fn inspection_ends_when_it_is_told_to() {
    let store = network();
    for key in secondary_rows(&store).keys() {
        set(&store, key, None);
    }
    let snapshot = store.snapshot().unwrap();
    let cut = inspect(&*snapshot, 3, &|| false).unwrap();
    assert!(cut.is_truncated && cut.findings.len() >= 3, "{cut:?}");
    let stopped = inspect(&*snapshot, usize::MAX, &|| true).unwrap();
    assert!(stopped.is_truncated && stopped.findings.is_empty());
}
