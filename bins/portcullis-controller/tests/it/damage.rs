//! Stores that are damaged, or of another time.

use crate::support::{Finished, Serving, finish, made, program};
use portcullis_domain::change::Change;
use portcullis_storage::engine::{Engine as _, StoreError, WriteTx, submit_with};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::IDENTITY;
use portcullis_storage_redb::{Options, RedbEngine, SCHEMA_VERSION, Schema};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn home() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let store = home.join("ctrl.db.portcullis");
    (folder, home.join("controller.yml"), store)
}

/// Loses the record of the first identity and nothing else, as bit rot would.
pub(crate) fn lose_identity(store: &Path) {
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
        "restore a backup",
        "--accept-damage",
    ]);
    assert!(
        refused.stderr.contains("\"level\":\"ERROR\""),
        "{refused:?}"
    );

    let mut serving = Serving::start(program().arg("run").arg(&config).arg("--accept-damage"));
    serving.logged("because --accept-damage was given");
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

/// Overwrites one page of a store after another, each time in a fresh copy, and runs it.
fn runs_with_a_lost_page(config: &Path, store: &Path) -> Vec<Finished> {
    let sound = fs::read(store).unwrap();
    let mut finished = Vec::new();
    for (number, page) in sound.chunks(4096).enumerate().skip(1) {
        if page.iter().all(|byte| *byte == 0) {
            continue;
        }
        let mut damaged = sound.clone();
        let lost = damaged.iter_mut().skip(number * 4096).take(page.len());
        lost.for_each(|byte| *byte = 0xa5);
        fs::write(store, damaged).unwrap();
        let mut run = program();
        // Whatever is not noticed serves, and ends when it is told to.
        run.arg("run").arg(config);
        finished.push(started_and_ended(&mut run));
    }
    finished
}

/// Runs the program until it serves or ends by itself.
fn started_and_ended(command: &mut Command) -> Finished {
    let mut serving = Serving::start(command);
    if serving.serves() {
        serving.stop("TERM")
    } else {
        serving.ended()
    }
}

#[test]
fn damaged_pages_are_reported_without_panics() {
    let (_folder, config, store) = home();
    let runs = runs_with_a_lost_page(&config, &store);
    assert!(runs.iter().any(|run| run.code == Some(1)), "{runs:?}");
    for run in runs {
        assert!(!run.stderr.contains("panicked"), "{run:?}");
        assert!(!run.stderr.contains("RUST_BACKTRACE"), "{run:?}");
    }
}
