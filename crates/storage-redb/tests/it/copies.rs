//! Copies of a store that is in use.

use crate::support::put;
use portcullis_storage::engine::{CopyError, Engine as _, KeyRange, ReadTx};
use portcullis_storage::key::{Kind, MODEL_POSITION_KEY};
use portcullis_storage_redb::{Options, RedbEngine};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const KIND: Kind = Kind::new::<1>();

fn open(path: &Path) -> RedbEngine<u64> {
    RedbEngine::open(path, Options::default()).unwrap()
}

fn rows(tx: &dyn ReadTx) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut rows = Vec::new();
    tx.scan(&KeyRange::all(), &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    rows
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn copy_opens_as_the_store_that_the_snapshot_saw() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let engine = open(&path("store"));
    for number in 0..200_u8 {
        // More than one chunk.
        put(&engine, &[1, number], &vec![number; 50_000]).unwrap();
        engine.allocate(KIND);
    }
    let snapshot = engine.snapshot().unwrap();
    put(&engine, b"\x01later", b"not in the copy").unwrap();
    snapshot.write_copy(&path("draft"), &path("copy")).unwrap();
    assert_eq!(names(folder.path()), ["copy", "store"]);
    let mode = fs::metadata(path("copy")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let copied = open(&path("copy"));
    let restored = copied.snapshot().unwrap();
    assert_eq!(restored.revision().unwrap(), 200);
    assert!(rows(&*restored) == rows(&*snapshot), "the rows differ");
    put(&copied, b"\x01new", b"it can be written").unwrap();
    assert!(copied.allocate(KIND) >= 200, "numbers are drawn once");
}

#[test]
fn copy_does_not_know_where_the_router_data_model_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let engine = open(&path("store"));
    put(&engine, MODEL_POSITION_KEY, b"here").unwrap();
    let snapshot = engine.snapshot().unwrap();
    snapshot.write_copy(&path("draft"), &path("copy")).unwrap();
    let copied = open(&path("copy"));
    let restored = copied.snapshot().unwrap();
    assert_eq!(restored.get(MODEL_POSITION_KEY).unwrap(), None);
    assert_eq!(rows(&*restored).len() + 1, rows(&*snapshot).len());
}

#[test]
fn nothing_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let engine = open(&path("store"));
    put(&engine, b"\x01row", b"value").unwrap();
    fs::write(path("taken"), "precious").unwrap();
    std::os::unix::fs::symlink(path("elsewhere"), path("link")).unwrap();
    let snapshot = engine.snapshot().unwrap();
    for name in ["taken", "link", "store"] {
        let error = snapshot
            .write_copy(&path("draft"), &path(name))
            .unwrap_err();
        assert!(matches!(error, CopyError::Exists), "{name}: {error}");
    }
    assert_eq!(fs::read(path("taken")).unwrap(), b"precious");
    assert_eq!(names(folder.path()), ["link", "store", "taken"]);
}

#[test]
fn what_was_cut_short_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let engine = open(&path("store"));
    put(&engine, b"\x01row", b"value").unwrap();
    fs::write(path("draft"), "a part of a copy").unwrap();
    let snapshot = engine.snapshot().unwrap();
    snapshot.write_copy(&path("draft"), &path("copy")).unwrap();
    assert_eq!(names(folder.path()), ["copy", "store"]);
    let copied = open(&path("copy"));
    let row = copied.snapshot().unwrap().get(b"\x01row").unwrap();
    assert_eq!(row.as_deref(), Some(&b"value"[..]));
    let nowhere = path("missing").join("copy");
    let error = snapshot.write_copy(&nowhere.with_extension("draft"), &nowhere);
    assert!(matches!(error, Err(CopyError::Io(_))), "{error:?}");
}
