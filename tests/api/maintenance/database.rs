//! Copies of the store, and how much is in it.

use crate::support::{create, get, revision};
use http::{Method, StatusCode};
use portcullis_domain::change::Change;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::tables::{IDENTITY, RecordCounts, Rows, UniqueIndex, UniqueValue};
use portcullis_storage_redb::{Options, RedbEngine};
use portcullis_testkit::{AuditTrail, Harness, Reply};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

async fn snapshot(controller: &Harness, token: &str) -> Reply {
    let path = "/database/snapshot";
    controller.manage(Method::POST, path, token).send().await
}

/// Asks the fabric for a copy at a place.
async fn snapshot_at(controller: &Harness, token: &str, path: &str) -> Reply {
    let request = controller.request(Method::POST, "/fabric/v1/database/snapshot");
    let body = json!({"path": path});
    request.session(token).json(&body).send().await
}

/// The names in the folder of the store, without its key.
fn names(controller: &Harness) -> Vec<String> {
    let entries = fs::read_dir(controller.home()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != "store.key").collect();
    names.sort();
    names
}

/// Opens a copy and reads which identities it has: how many, and the one of a name.
fn restored(copy: &Path, name: &str) -> (u64, Option<Identity>) {
    let engine = RedbEngine::<Change>::open(copy, Options::default()).unwrap();
    let snapshot = engine.snapshot().unwrap();
    assert_eq!(RecordCounts::verify(&*snapshot).unwrap(), []);
    let value = UniqueValue::new(UniqueIndex::IdentityName, name);
    let found = Rows::new(&*snapshot).find::<Identity>(&value).unwrap();
    let count = RecordCounts::expected(&*snapshot, IDENTITY).unwrap();
    (count, found.map(|found| found.entity))
}

#[tokio::test]
async fn a_copy_lies_beside_the_store_and_opens_as_one() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "laptop", json!({})).await;
    let trail = AuditTrail::from_now(&controller);
    let reply = snapshot(&controller, &admin).await;
    assert_eq!(reply.status, StatusCode::OK);
    create(&controller, &admin, "later", json!({})).await;

    let name = "store-20310405-060708";
    let path = controller.home().join(name).display().to_string();
    assert_eq!(reply.json(), json!({"data": {"path": path}, "meta": {}}));
    assert_eq!(names(&controller), [name]);
    let copy = controller.home().join(name);
    let audit = ("database.snapshot".to_owned(), copy.display().to_string());
    assert!(trail.operations().contains(&audit));
    let mode = fs::metadata(&copy).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (count, laptop) = restored(&copy, "laptop");
    assert_eq!((count, laptop.unwrap().id.as_str()), (2, id.as_str()));
    assert_eq!(restored(&copy, "later"), (2, None));
}

#[tokio::test]
async fn copies_are_a_minute_apart() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    snapshot(&controller, &admin).await.data();
    controller.clock.advance(SignedDuration::from_secs(59));
    let reply = snapshot(&controller, &admin).await;
    assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(reply.json()["error"]["code"], "RATE_LIMITED");
    assert_eq!(reply.headers["retry-after"], "1");
    assert_eq!(names(&controller).len(), 1);
    controller.clock.advance(SignedDuration::from_secs(1));
    snapshot(&controller, &admin).await.data();
    assert_eq!(names(&controller).len(), 2);
    // Put back, the clock names a file that is there; that one stays.
    controller.clock.advance(SignedDuration::from_secs(-60));
    let first = fs::read(controller.home().join("store-20310405-060708")).unwrap();
    let reply = snapshot(&controller, &admin).await;
    assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS);
    let again = fs::read(controller.home().join("store-20310405-060708")).unwrap();
    assert!(first == again, "a copy was written over");
}

#[tokio::test]
async fn a_copy_goes_where_it_is_wished_below_the_folder_of_the_store() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    create(&controller, &admin, "laptop", json!({})).await;
    fs::create_dir(controller.home().join("copies")).unwrap();
    let place = controller.home().join("copies/before the move");
    let reply = snapshot_at(&controller, &admin, "copies/before the move").await;
    assert_eq!(reply.data(), json!({"path": place.display().to_string()}));
    assert!(restored(&place, "laptop").1.is_some());
    let left: Vec<_> = fs::read_dir(controller.home().join("copies"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn the_fabric_copies_to_the_usual_place_when_none_is_wished() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let copy = |name: &str| controller.home().join(name).display().to_string();
    let reply = snapshot_at(&controller, &admin, "").await;
    assert_eq!(reply.data()["path"], copy("store-20310405-060708"));
    for (path, answer) in [
        (
            "/fabric/v1/database",
            json!({"path": copy("store-20310405-060808")}),
        ),
        (
            "/fabric/v1/database/snapshot",
            json!({"path": copy("store-20310405-060908")}),
        ),
    ] {
        controller.clock.advance(SignedDuration::from_mins(1));
        let request = controller.request(Method::POST, path);
        let reply = request.session(&admin).send().await;
        assert_eq!(reply.data(), answer, "{}", reply.text());
    }
    assert_eq!(names(&controller).len(), 3);
}

/// S-53.
#[tokio::test]
async fn no_copy_leaves_the_folder_of_the_store() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (home, outside) = (controller.home(), tempfile::tempdir().unwrap());
    symlink(outside.path(), home.join("out")).unwrap();
    symlink(outside.path().join("file"), home.join("dangling")).unwrap();
    fs::create_dir(home.join("folder")).unwrap();
    fs::write(home.join("file"), "precious").unwrap();
    let absolute = outside.path().join("copy").display().to_string();
    let before = names(&controller);
    let long = "a".repeat(1025);
    for (wish, reason) in [
        ("../copy", "must not contain `..`"),
        ("../../etc/passwd", "must not contain `..`"),
        ("folder/../../copy", "must not contain `..`"),
        ("folder/..", "must not contain `..`"),
        (
            absolute.as_str(),
            "must be relative to the directory of the database",
        ),
        ("/", "must name a file"),
        (".", "must not begin with `.`"),
        ("folder/", "must name a file"),
        ("folder", "must name a file that does not exist yet"),
        ("file", "must name a file that does not exist yet"),
        ("dangling", "must name a file that does not exist yet"),
        ("out", "must name a file that does not exist yet"),
        ("out/copy", "must not contain a symbolic link"),
        ("missing/copy", "must be in a directory that exists"),
        (
            "file/copy",
            "must consist of directories, followed by a file name",
        ),
        ("a\0b", "must not contain control characters"),
        (long.as_str(), "is too long"),
        (
            "store",
            "must not be the name of a file that the database uses itself",
        ),
        (
            "store.key",
            "must not be the name of a file that the database uses itself",
        ),
        (
            "folder/store.copy",
            "must not be the name of a file that the database uses itself",
        ),
    ] {
        let refused = snapshot_at(&controller, &admin, wish).await;
        assert_eq!(
            refused.error(),
            (400, "COULD_NOT_VALIDATE".to_owned()),
            "{wish}"
        );
        let shown: String = wish.chars().take(64).collect();
        assert_eq!(
            refused.json()["error"]["cause"],
            json!({"field": "path", "reason": reason, "value": shown}),
        );
    }
    assert_eq!(names(&controller), before);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(fs::read(home.join("file")).unwrap(), b"precious");
    // What is refused takes nobody's turn.
    let copied = snapshot_at(&controller, &admin, "copy").await;
    assert_eq!(copied.status, StatusCode::OK, "{}", copied.text());
}

#[tokio::test]
async fn a_copy_that_cannot_be_written_leaves_nothing() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    // The draft cannot be made where a folder has its name.
    fs::create_dir(controller.home().join("store.copy")).unwrap();
    let before = revision(&controller);
    let reply = snapshot(&controller, &admin).await;
    assert_eq!(reply.status, StatusCode::INTERNAL_SERVER_ERROR);
    let text = reply.json()["error"]["cause"]["message"].clone();
    let text = text.as_str().unwrap();
    assert!(
        text.starts_with("the snapshot could not be written"),
        "{text}"
    );
    assert_eq!(names(&controller), ["store.copy"]);
    assert_eq!(revision(&controller), before);
}

#[tokio::test]
async fn the_summary_counts_every_kind() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let counts = |reply: Reply| {
        let body = reply.json();
        assert_eq!(body["meta"], Value::Null);
        body["data"].clone()
    };
    let before = counts(get(&controller, &admin, "/summary").await);
    let fresh = json!({
        "apiSessionCertificates": 0, "apiSessions": 1, "authPolicies": 1, "authenticators": 1,
        "cas": 0, "configTypes": before["configTypes"], "configs": 0, "controllers": 1,
        "edgeRouterPolicies": 0, "enrollments": 0, "eventualEvents": 0, "externalJwtSigners": 0,
        "identities": 1, "identityTypes": 2, "mfas": 0, "postureCheckTypes": 5,
        "postureChecks": 0, "revocations": 0, "routers": 0, "routers.edge": 0,
        "serviceEdgeRouterPolicies": 0, "servicePolicies": 0, "services": 0, "sessions": 0,
        "terminators": 0,
    });
    assert_eq!(before, fresh);
    assert!(before["configTypes"].as_u64() > Some(0));
    create(
        &controller,
        &admin,
        "laptop",
        json!({"enrollment": {"ott": true}}),
    )
    .await;
    crate::routers::edge_routers::add_edge(&controller, &admin, "edge", json!({})).await;
    crate::routers::edge_routers::add_transit(&controller, &admin, "transit", json!({})).await;
    let after = counts(get(&controller, &admin, "/summary").await);
    for (kind, count) in [
        ("identities", 2),
        ("enrollments", 3),
        ("routers", 2),
        ("routers.edge", 1),
    ] {
        assert_eq!(after[kind], count, "{kind}");
    }
}
