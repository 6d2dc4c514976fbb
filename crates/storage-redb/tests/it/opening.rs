//! Opening of stores.

use crate::support::put;
use portcullis_storage::engine::{Engine as _, KeyRange, StoreError, WriteTx};
use portcullis_storage_redb::disk::{Disk, MemoryDisk};
use portcullis_storage_redb::{Migration, OpenError, Options, RedbEngine, Schema};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

fn open(path: &Path) -> Result<RedbEngine<u64>, OpenError> {
    RedbEngine::open(path, Options::default())
}

fn with_schema(version: u32, migrations: &'static [Migration]) -> Options {
    Options {
        schema: Schema {
            version,
            migrations,
        },
        ..Options::default()
    }
}

#[test]
fn store_in_use_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let first = open(&path).unwrap();
    let error = open(&path).unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error}");
    assert!(error.to_string().contains("store is in use"), "{error}");
    drop(first);
    open(&path).unwrap();
}

#[test]
fn snapshot_of_a_closed_store_never_shows_a_later_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let engine = open(&path).unwrap();
    for number in 0..200_u8 {
        put(&engine, &[1, number], b"old").unwrap();
    }
    let snapshot = engine.snapshot().unwrap();
    drop(engine);
    let engine = open(&path).unwrap();
    for number in 0..200_u8 {
        put(&engine, &[1, number], b"new").unwrap();
    }
    for number in 0..200_u8 {
        // Cached data may still be returned.
        let result = snapshot.get(&[1, number]);
        let right = match &result {
            Ok(value) => value.as_deref() == Some(b"old"),
            Err(error) => matches!(error, StoreError::Closed),
        };
        assert!(right, "row {number}: {result:?}");
    }
}

#[test]
fn other_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let whole = {
        let engine = open(&path).unwrap();
        put(&engine, b"\x01", b"value").unwrap();
        drop(engine);
        fs::read(&path).unwrap()
    };
    let rows: [(&str, Vec<u8>); 4] = [
        ("text", b"this is not a store at all\n".repeat(500)),
        ("zeros", vec![0; 100_000]),
        ("a page", whole[..4096].to_vec()),
        ("half", whole[..whole.len() / 2].to_vec()),
    ];
    for (what, bytes) in rows {
        fs::write(&path, &bytes).unwrap();
        let error = open(&path).unwrap_err();
        assert!(
            matches!(error, OpenError::Corrupt { .. }),
            "{what}: {error:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), bytes, "{what} was changed");
    }
}

#[test]
fn unusable_paths_are_named() {
    let directory = tempfile::tempdir().unwrap();
    for path in [
        directory.path().join("no/such/store"),
        directory.path().to_owned(),
    ] {
        let error = open(&path).unwrap_err();
        assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
        assert!(
            error.to_string().contains(path.to_str().unwrap()),
            "{error}"
        );
    }
}

#[test]
fn store_cut_short_while_it_was_made_is_made_anew() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    fs::write(directory.path().join("store.new"), b"half a store").unwrap();
    put(&open(&path).unwrap(), b"\x01", b"value").unwrap();
    assert!(!directory.path().join("store.new").exists());
    // An empty file, created in advance for its ownership for example, is initialized.
    let path = directory.path().join("empty");
    fs::write(&path, b"").unwrap();
    put(&open(&path).unwrap(), b"\x01", b"value").unwrap();
    assert_eq!(open(&path).unwrap().feed().revision(), 1);
}

#[test]
fn newer_schema_is_refused() {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    drop(RedbEngine::<u64>::on_disk(Arc::clone(&disk), with_schema(3, &[])).unwrap());
    let error = RedbEngine::<u64>::on_disk(disk, with_schema(2, &[])).unwrap_err();
    let refused = matches!(
        error,
        OpenError::Newer {
            found: 3,
            supported: 2,
            ..
        }
    );
    assert!(refused, "{error}");
}

fn append(tx: &mut dyn WriteTx<()>, byte: u8) -> Result<(), StoreError> {
    let mut rows = Vec::new();
    tx.scan(&KeyRange::prefix(b"\x01"), &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    })?;
    for (key, mut value) in rows {
        value.push(byte);
        tx.put(&key, &value);
    }
    Ok(())
}

#[test]
fn older_schema_is_migrated_step_by_step() {
    const STEPS: &[Migration] = &[
        |_| Err(StoreError::Full),
        |tx| append(tx, 2),
        |tx| append(tx, 3),
    ];
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    let engine = RedbEngine::<u64>::on_disk(Arc::clone(&disk), with_schema(2, &[])).unwrap();
    put(&engine, b"\x01a", b"a").unwrap();
    put(&engine, b"\x01b", b"b").unwrap();
    drop(engine);
    for _ in 0..2 {
        let engine = RedbEngine::<u64>::on_disk(Arc::clone(&disk), with_schema(4, STEPS)).unwrap();
        let snapshot = engine.snapshot().unwrap();
        assert_eq!(snapshot.get(b"\x01a").unwrap().unwrap(), b"a\x02\x03");
        assert_eq!(snapshot.get(b"\x01b").unwrap().unwrap(), b"b\x02\x03");
        assert_eq!(snapshot.revision().unwrap(), 2);
    }
}

#[test]
fn failed_migration_leaves_the_store_as_it_was() {
    const STEPS: &[Migration] = &[|tx| append(tx, 1), |_| Err(StoreError::corrupt("a row"))];
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    let engine = RedbEngine::<u64>::on_disk(Arc::clone(&disk), with_schema(1, &[])).unwrap();
    put(&engine, b"\x01a", b"a").unwrap();
    drop(engine);
    let error = RedbEngine::<u64>::on_disk(Arc::clone(&disk), with_schema(3, STEPS)).unwrap_err();
    assert!(
        matches!(error, OpenError::Migration { from: 2, .. }),
        "{error}"
    );
    let engine = RedbEngine::<u64>::on_disk(disk, with_schema(1, &[])).unwrap();
    assert_eq!(
        engine.snapshot().unwrap().get(b"\x01a").unwrap().unwrap(),
        b"a"
    );
}
