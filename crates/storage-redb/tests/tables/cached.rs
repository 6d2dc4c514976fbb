//! Caching of entities per view.

use crate::support::{Store, identity, insert, store, write};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::engine::{Engine as _, Snapshot};
use portcullis_storage::tables::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn by_id(id: &str) -> UniqueValue {
    UniqueValue::new(UniqueIndex::IdentityId, id)
}

fn renamed(store: &Store, number: u64, name: &str) {
    let name = name.to_owned();
    write(store, move |rows| {
        let key = identity_key(RecordNumber(number));
        let before: Identity = rows.rows().get(&key)?.unwrap();
        let after = identity(before.id.as_str(), &name);
        rows.replace(&key, &before, &after)
    })
    .unwrap();
}

/// The names of the identity in a view, by each read method.
fn names(view: &dyn Snapshot, number: u64, id: &str) -> [Option<String>; 4] {
    let rows = Rows::new(view);
    let key = identity_key(RecordNumber(number));
    let name = |identity: &Identity| identity.name().to_owned();
    [
        rows.get::<Identity>(&key).unwrap().as_ref().map(name),
        rows.get_shared::<Identity>(&key)
            .unwrap()
            .as_deref()
            .map(name),
        rows.find::<Identity>(&by_id(id))
            .unwrap()
            .map(|found| name(&found.entity)),
        rows.find_shared::<Identity>(&by_id(id))
            .unwrap()
            .map(|found| name(&found.entity)),
    ]
}

#[test]
fn entity_is_read_once_in_a_view() {
    let store = store();
    insert(&store, 1, &identity("i1", "one")).unwrap();
    let (first, second) = (store.snapshot().unwrap(), store.snapshot().unwrap());
    let key = identity_key(RecordNumber(1));
    let read: Arc<Identity> = Rows::new(&*first).get_shared(&key).unwrap().unwrap();
    let found = Rows::new(&*second)
        .find_shared::<Identity>(&by_id("i1"))
        .unwrap()
        .unwrap();
    assert_eq!(found.key, key);
    assert!(Arc::ptr_eq(&read, &found.entity));
}

#[test]
fn view_shows_what_was_there_and_the_next_one_what_is() {
    let store = store();
    insert(&store, 1, &identity("i1", "one")).unwrap();
    let before = store.snapshot().unwrap();
    let all = |name: &str| [(); 4].map(|()| Some(name.to_owned()));
    assert_eq!(names(&*before, 1, "i1"), all("one"));

    renamed(&store, 1, "two");
    assert_eq!(names(&*before, 1, "i1"), all("one"));
    assert_eq!(names(&*store.snapshot().unwrap(), 1, "i1"), all("two"));

    write(&store, |rows| {
        let found = rows.rows().find(&by_id("i1"))?.unwrap();
        Ok(rows.remove_identity(&found)?)
    })
    .unwrap();
    assert_eq!(names(&*before, 1, "i1"), all("one"));
    assert_eq!(
        names(&*store.snapshot().unwrap(), 1, "i1"),
        [None, None, None, None]
    );
}

#[test]
fn nobody_sees_less_than_what_was_acknowledged() {
    const RENAMES: u64 = 300;
    let store = store();
    insert(&store, 1, &identity("i1", "0")).unwrap();
    let acknowledged = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let least = acknowledged.load(Ordering::Acquire);
                    let seen = names(&*store.snapshot().unwrap(), 1, "i1");
                    let seen = seen.map(|name| name.unwrap().parse::<u64>().unwrap());
                    assert!(seen[0] >= least, "{} is older than {least}", seen[0]);
                    assert_eq!(seen, [seen[0]; 4]);
                    if least == RENAMES {
                        break;
                    }
                }
            });
        }
        for number in 1..=RENAMES {
            renamed(&store, 1, &number.to_string());
            acknowledged.store(number, Ordering::Release);
        }
    });
}
