//! Exactness of secondary rows.

use crate::support::{Store, shortfalls};
use portcullis_storage::engine::{Engine as _, KeyRange, ReadTx};
use portcullis_storage::key::{RecordKey, ReferenceKey, UniqueKey};
use portcullis_storage::tables::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

type Keys = BTreeSet<Vec<u8>>;

/// Asserts that all counts are right, that secondary rows are complete and not stale, and that all
/// references resolve.
pub(crate) fn assert_rows_exact(store: &Store) {
    assert_eq!(shortfalls(store), []);
    let snapshot = store.snapshot().unwrap();
    let mut expected = Keys::new();
    for root in roots() {
        let mut records = Vec::new();
        snapshot
            .scan(&RecordKey::all(root), &mut |key, _frame| {
                records.push(RecordKey::parse(key).unwrap());
                Ok(ControlFlow::Continue(()))
            })
            .unwrap();
        for key in &records {
            let rows = Rows::new(&*snapshot);
            expected.extend(dispatch(key.id().0, SecondaryKeys { rows, key }).unwrap());
        }
    }
    let mut found = keys(&*snapshot, &ReferenceKey::all());
    found.extend(keys(&*snapshot, &UniqueKey::all_indexes()));
    assert_eq!(found, expected);
}

fn keys(tx: &dyn ReadTx, range: &KeyRange) -> Keys {
    let mut keys = Keys::new();
    tx.scan(range, &mut |key, _frame| {
        keys.insert(key.to_vec());
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    keys
}

/// The keys of the secondary rows of a record.
struct SecondaryKeys<'a> {
    rows: Rows<'a>,
    key: &'a RecordKey,
}

impl EntityVisitor for SecondaryKeys<'_> {
    type Output = Vec<Vec<u8>>;

    fn visit<E: Entity>(self) -> Self::Output {
        let entity: E = self.rows.get(self.key).unwrap().unwrap();
        let mut keys = Vec::new();
        for value in entity.unique_values() {
            assert_eq!(self.rows.locate(&value).unwrap(), Some(*self.key));
            keys.push(value.key().as_bytes().to_vec());
        }
        for target in entity.references() {
            let target = self.rows.locate(&target).unwrap().expect("a target");
            let reference = ReferenceKey::new(target.id(), self.key.id());
            keys.push(reference.as_bytes().to_vec());
        }
        keys
    }
}
