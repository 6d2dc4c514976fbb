//! A store that the first release left behind, opened by today's code.
//!
//! `first-release` holds the store and its key, what clients of it had in their hands
//! (`clients.json`), and what the management and fabric APIs answered about it (`answers.json`). The
//! store itself is never made anew. When answers change on purpose, `PORTCULLIS_BLESS=1` writes them
//! again: look at the difference before committing it. Kinds of entities that came later have no
//! records in it, and what is answered about them stands in no recording.
//! `PORTCULLIS_GOLDEN_STORE=DIR` saves what [`populate`] makes today, for the next format of the
//! store.

mod answers;
mod populate;

use crate::support::mfa::Device;
use crate::support::{current_session, log_in, text};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::Method;
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{COLLECTIONS, KINDS, RecordCounts};
use portcullis_testkit::{Harness, PASSWORD, SavedStore};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The first release had the kinds up to this byte. Bytes are never reused, so later kinds have
/// greater ones.
const LAST_KIND_OF_FIRST_RELEASE: u8 = 20;

fn is_of_first_release(kind: Kind) -> bool {
    kind.byte() <= LAST_KIND_OF_FIRST_RELEASE
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("api/maintenance/golden_store/first-release")
}

fn json_file(name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder().join(name)).unwrap()).unwrap()
}

/// The controller on the store of the first release, and what its clients have.
async fn open() -> (Harness, Value) {
    let mut store = Vec::new();
    let packed = fs::read(folder().join("store.gz")).unwrap();
    GzDecoder::new(&*packed).read_to_end(&mut store).unwrap();
    let clients = json_file("clients.json");
    let saved = SavedStore {
        store,
        key: fs::read(folder().join("store.key")).unwrap(),
        time: text(&clients, "time").parse().unwrap(),
    };
    (Harness::restore(saved).await, clients)
}

#[tokio::test]
async fn answers_about_an_old_store_stay_the_same() {
    let (controller, clients) = open().await;
    let mut found = answers::all(&controller, text(&clients, "adminSession")).await;
    for (collection, kind) in COLLECTIONS {
        if !is_of_first_release(*kind) {
            answers::remove_empty(&mut found, collection);
        }
    }
    let path = folder().join("answers.json");
    if env::var_os("PORTCULLIS_BLESS").is_some() {
        fs::write(&path, format!("{found:#}\n")).unwrap();
    }
    let expected = json_file("answers.json");
    let (found, expected) = (found.as_object().unwrap(), expected.as_object().unwrap());
    for (path, answer) in expected {
        assert_eq!(found.get(path), Some(answer), "{path}");
    }
    for path in found.keys() {
        assert!(expected.contains_key(path), "not recorded: {path}");
    }
}

#[tokio::test]
async fn clients_of_an_old_store_go_on() {
    let (controller, clients) = open().await;
    let session = current_session(&controller, text(&clients, "annaSession")).await;
    assert_eq!(text(&session.data()["identity"], "name"), "anna");

    let partial = log_in(&controller, "anna").await.data();
    let partial = text(&partial, "token");
    let device = Device::scan(text(&clients, "annaProvisioningUrl"));
    let answer = async |code: &str| {
        let path = "/edge/client/v1/authenticate/mfa";
        let request = controller.request(Method::POST, path).session(partial);
        let reply = request.json(&json!({"code": code})).send().await;
        reply.status.as_u16()
    };
    // That of the last step verified the enrollment.
    assert_eq!(answer(&device.code(&controller, -1)).await, 400);
    assert_eq!(answer(text(&clients, "annaRecoveryCode")).await, 200);

    let path = format!(
        "/edge/client/v1/enroll?method=updb&token={}",
        text(&clients, "updbToken")
    );
    let request = controller.request(Method::POST, &path);
    let body = json!({"password": PASSWORD});
    assert_eq!(request.json(&body).send().await.status, 200);
}

#[tokio::test]
async fn an_old_store_has_records_of_exactly_the_kinds_of_its_time() {
    let (controller, _clients) = open().await;
    let snapshot = controller.engine.snapshot().unwrap();
    for &kind in KINDS {
        let count = RecordCounts::expected(&*snapshot, kind).unwrap();
        assert_eq!(count != 0, is_of_first_release(kind), "{kind:?}: {count}");
    }
}

/// The recipe works and is complete.
#[tokio::test]
async fn a_store_made_today_has_records_of_every_kind() {
    let (controller, clients) = populate::populate().await;
    let snapshot = controller.engine.snapshot().unwrap();
    for &kind in KINDS {
        let count = RecordCounts::expected(&*snapshot, kind).unwrap();
        assert_ne!(count, 0, "{kind:?} has no record in populate.rs");
    }
    drop(snapshot);
    if let Some(folder) = env::var_os("PORTCULLIS_GOLDEN_STORE") {
        save(&controller, &clients, Path::new(&folder)).await;
    }
}

async fn save(controller: &Harness, clients: &Value, folder: &Path) {
    let copy = folder.join("store");
    let path = "/fabric/v1/database/snapshot";
    let request = controller.request(Method::POST, path);
    let request = request.session(text(clients, "adminSession"));
    let home = controller.home().join("copy");
    let reply = request.json(&json!({"path": "copy"})).send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(&home).unwrap()).unwrap();
    fs::write(copy.with_extension("gz"), packed.finish().unwrap()).unwrap();
    fs::copy(
        controller.home().join("store.key"),
        copy.with_extension("key"),
    )
    .unwrap();
    fs::write(folder.join("clients.json"), format!("{clients:#}\n")).unwrap();
}
