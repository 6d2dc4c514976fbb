//! Detection of lost rows.

use crate::support::{Store, identity, insert, shortfalls, store};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::engine::{Engine as _, StoreError, submit_with};
use portcullis_storage::key::UniqueKey;
use portcullis_storage::tables::*;

#[test]
fn lost_rows_are_found() {
    let store = store();
    insert(&store, 1, &identity("i1", "laptop")).unwrap();
    submit_with(&store, |tx| {
        tx.delete(identity_key(RecordNumber(1)).as_bytes());
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
    let found = shortfalls(&store);
    assert!(
        found.contains(&CountMismatch::Records {
            kind: IDENTITY.byte(),
            found: 0,
            stated: 1
        }),
        "{found:?}"
    );
    assert_eq!(found.len(), 3, "the count and two unique rows: {found:?}");
    let snapshot = store.snapshot().unwrap();
    let lost = Rows::new(&*snapshot)
        .find::<Identity>(&UniqueValue::new(UniqueIndex::IdentityName, "laptop"))
        .unwrap_err();
    assert!(
        matches!(lost, StoreError::Corrupt { .. }),
        "absence is not permission: {lost}"
    );
}

#[test]
fn lost_unique_values_are_found() {
    let store = store();
    let mut laptop = identity("i1", "laptop");
    laptop.spec.external_id = Some("ext".to_owned());
    laptop.is_default_admin = true;
    insert(&store, 1, &laptop).unwrap();
    insert(&store, 2, &identity("i2", "phone")).unwrap();
    for (value, stated) in [
        (UniqueValue::new(UniqueIndex::IdentityName, "phone"), 2),
        (UniqueValue::new(UniqueIndex::IdentityExternalId, "ext"), 1),
        (UniqueValue::new(UniqueIndex::DefaultAdministrator, ""), 1),
    ] {
        let key = value.key();
        let row = store
            .snapshot()
            .unwrap()
            .get(key.as_bytes())
            .unwrap()
            .unwrap();
        set(&store, &key, None);
        let index = value.index as u8;
        let found = stated - 1;
        assert_eq!(
            shortfalls(&store),
            [CountMismatch::Values {
                index,
                found,
                stated
            }]
        );
        set(&store, &key, Some(row));
        assert!(shortfalls(&store).is_empty());
    }
}

/// Sets or removes one row, as damage would.
fn set(store: &Store, key: &UniqueKey, row: Option<Vec<u8>>) {
    let key = key.clone();
    submit_with(store, move |tx| {
        match &row {
            Some(row) => tx.put(key.as_bytes(), row),
            None => tx.delete(key.as_bytes()),
        }
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
}
