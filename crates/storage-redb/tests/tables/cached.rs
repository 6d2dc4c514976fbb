//! Caching of entities per view.

use crate::support::{Store, identity, insert, store, write};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::engine::{Engine as _, Snapshot};
use portcullis_storage::per_snapshot::PerSnapshot;
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
fn names(
    view: &Arc<dyn Snapshot>,
    caches: &PerSnapshot<EntityCache>,
    (number, id): (u64, &str),
) -> [Option<String>; 4] {
    let cache = caches.get(view);
    let rows = Rows::with_cache(&**view, &cache);
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
fn shared_entity_is_parsed_once_in_a_view() {
    let store = store();
    insert(&store, 1, &identity("i1", "one")).unwrap();
    let caches = PerSnapshot::<EntityCache>::default();
    let views = [(); 2].map(|()| store.snapshot().unwrap());
    let [first, second] = views.each_ref().map(|view| caches.get(view));
    let [first, second] = [
        Rows::with_cache(&*views[0], &first),
        Rows::with_cache(&*views[1], &second),
    ];
    let key = identity_key(RecordNumber(1));
    let read: Arc<Identity> = first.get_shared(&key).unwrap().unwrap();
    let found = second
        .find_shared::<Identity>(&by_id("i1"))
        .unwrap()
        .unwrap();
    assert_eq!(found.key, key);
    assert!(Arc::ptr_eq(&read, &found.entity));
}

#[test]
fn transaction_reads_what_it_wrote() {
    let store = store();
    insert(&store, 1, &identity("i1", "one")).unwrap();
    write(&store, |rows| {
        let key = identity_key(RecordNumber(1));
        let before: Arc<Identity> = rows.rows().get_shared(&key)?.unwrap();
        rows.replace(&key, &*before, &identity("i1", "two"))?;
        let after: Arc<Identity> = rows.rows().get_shared(&key)?.unwrap();
        assert_eq!((before.name(), after.name()), ("one", "two"));
        Ok(())
    })
    .unwrap();
}

#[test]
fn view_shows_what_was_there_and_the_next_one_what_is() {
    let store = store();
    insert(&store, 1, &identity("i1", "one")).unwrap();
    let caches = PerSnapshot::default();
    let before = store.snapshot().unwrap();
    let names = |view: &Arc<dyn Snapshot>| names(view, &caches, (1, "i1"));
    let all = |name: &str| [(); 4].map(|()| Some(name.to_owned()));
    assert_eq!(names(&before), all("one"));

    renamed(&store, 1, "two");
    assert_eq!(names(&before), all("one"));
    assert_eq!(names(&store.snapshot().unwrap()), all("two"));

    write(&store, |rows| {
        let found = rows.rows().find(&by_id("i1"))?.unwrap();
        Ok(rows.remove_identity(&found)?)
    })
    .unwrap();
    assert_eq!(names(&before), all("one"));
    assert_eq!(names(&store.snapshot().unwrap()), [None, None, None, None]);
}

#[test]
fn nobody_sees_less_than_what_was_acknowledged() {
    const RENAMES: u64 = 300;
    let store = store();
    insert(&store, 1, &identity("i1", "0")).unwrap();
    let acknowledged = AtomicU64::new(0);
    let caches = PerSnapshot::default();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let least = acknowledged.load(Ordering::Acquire);
                    let seen = names(&store.snapshot().unwrap(), &caches, (1, "i1"));
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
