//! Stores that are damaged, or of another time.

use crate::support::{Serving, finish, made, program};
use portcullis_domain::change::Change;
use portcullis_storage::engine::{Engine as _, StoreError, WriteTx, submit_with};
use portcullis_storage::key::RecordKey;
use portcullis_storage::redb_engine::{Options, RedbEngine, SCHEMA_VERSION, Schema};
use portcullis_storage::tables::IDENTITY;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn home() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let store = home.join("ctrl.db.portcullis");
    (folder, home.join("controller.yml"), store)
}

/// Loses the record of the first identity and nothing else, as bit rot would.
fn lose_identity(store: &Path) {
    let engine: RedbEngine<Change> = RedbEngine::open(store, Options::default()).unwrap();
    let mut first = None;
    let note = &mut |key: &[u8], _value: &[u8]| {
        first = Some(key.to_vec());
        Ok(ControlFlow::Break(()))
    };
    engine
        .snapshot()
        .unwrap()
        .scan(&RecordKey::all(IDENTITY), note)
        .unwrap();
    let key = first.unwrap();
    let lose = move |tx: &mut dyn WriteTx<Change>| {
        tx.delete(&key);
        Ok::<_, StoreError>(())
    };
    submit_with(&engine, lose).unwrap().wait().unwrap().unwrap();
}

#[test]
fn store_with_lost_rows_is_served_only_on_demand() {
    let (_folder, config, store) = home();
    lose_identity(&store);
    let refused = finish(program().arg("run").arg(&config));
    refused.failed_with(&[
        "the store is damaged",
        "put a backup in its place",
        "--accept-damage",
    ]);
    assert!(
        refused.stderr.contains("\"level\":\"ERROR\""),
        "{refused:?}"
    );

    let mut serving = Serving::start(program().arg("run").arg(&config).arg("--accept-damage"));
    serving.logged("because --accept-damage says so");
    serving.logged("serving");
    let _ = serving.stop("TERM");
}

#[test]
fn store_of_a_later_version_is_refused() {
    let (_folder, config, store) = home();
    let options = Options {
        schema: Schema {
            version: SCHEMA_VERSION + 1,
            migrations: &[|_| Ok(())],
        },
        ..Options::default()
    };
    drop(RedbEngine::<Change>::open(&store, options).unwrap());
    let refused = finish(program().arg("run").arg(&config));
    refused.failed_with(&["schema version", "use the version that wrote it"]);
}
