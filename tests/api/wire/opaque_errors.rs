//! S-58: whatever fails inside a controller, its clients are told a code, what that means and the id of
//! their request, and nothing else: no path, no name of a type, nothing that a library says. Administrators
//! alone hear that the disk is full, in one sentence: they can do something about it.
//!
//! Every operation here is asked for again and again, and each time the store fails one call later, until
//! the operation gets through: so each call that it makes has failed once, in each way.

mod world;

pub(crate) use world::World;

use crate::support::{create, one_password_at_a_time};
use http::Method;
use portcullis_api::code::Code;
use portcullis_domain::clock::Timestamp;
use portcullis_http::path::Api;
use portcullis_testkit::{DiskCall, HarnessOptions, PASSWORD, Reply, StoreFault};
use serde_json::json;
use std::io::ErrorKind;
use std::sync::Arc;
use tokio::task::JoinSet;
use world::Operation;

/// What monitors are told.
const FAULTS: [&str; 4] = [
    "the disk that holds the store is full",
    "the store cannot be read or written at the moment",
    "the store is closed",
    "the store is damaged",
];

/// A store that fails so often is tried no longer.
const MOST_CALLS: u64 = 5000;

/// What administrators hear of a full disk.
const FULL_DISK: &str = "the disk that holds the store is full; make room on it, then try again";

/// Asserts that an answer says no more than that it did not work.
#[track_caller]
fn assert_opaque(reply: &Reply, operation: &Operation, how: &str) {
    assert_tells(reply, None, operation, how);
}

/// Asserts that an answer says no more than that it did not work, and this cause.
#[track_caller]
fn assert_tells(reply: &Reply, cause: Option<&str>, operation: &Operation, how: &str) {
    let (method, path) = (&operation.method, &operation.path);
    let what = format!("{method} {path}, {how}: {} {}", reply.status, reply.text());
    let body = reply.json();
    if let Some(checks) = body["data"]["checks"].as_array() {
        // What is wrong is what monitors ask for: in words, of which these are all.
        for check in checks {
            let message = check["err"]["message"].as_str();
            assert!(message.is_none_or(|one| FAULTS.contains(&one)), "{what}");
        }
        return;
    }
    assert!(reply.status.as_u16() >= 429, "{what}");
    let code = body["error"]["code"].as_str().unwrap_or_default();
    let code = Code::ALL.iter().find(|known| known.name() == code);
    let code = code.unwrap_or_else(|| panic!("{what}"));
    let request = body["error"]["requestId"].clone();
    assert!(
        request.as_str().is_some_and(|id| {
            id.len() < 40
                && id
                    .chars()
                    .all(|one| one.is_ascii_alphanumeric() || ".-_".contains(one))
        }),
        "{what}"
    );
    // All but the id is known beforehand, so there is nothing in it of what happened.
    let mut expected = json!({
        "error": {"code": code.name(), "message": code.message(), "requestId": request},
        "meta": {"apiEnrollmentVersion": "0.0.1", "apiVersion": "0.0.1"},
    });
    if let Some(cause) = cause {
        expected["error"]["cause"] = json!({"code": "UNHANDLED", "message": cause});
    }
    assert_eq!(body, expected, "{what}");
    for (name, value) in &reply.headers {
        let value = value.to_str().unwrap();
        let told = ["/var", "store", "redb", "panick", "os error"];
        let is_opaque = !told.iter().any(|told| value.contains(told));
        assert!(is_opaque, "{name}: {value}, {what}");
    }
}

/// The cause in an answer about a full disk, which only administrators are given.
#[track_caller]
fn full_disk_cause(reply: &Reply, operation: &Operation, world: &World) -> Option<&'static str> {
    let is_told = reply.json()["error"].get("cause").is_some();
    assert!(!is_told || world.is_by_admin(operation), "{operation:?}");
    is_told.then_some(FULL_DISK)
}

/// Has each operation fail at each of its calls.
async fn fail_everywhere(fault: StoreFault) {
    let world = World::new(HarnessOptions::default()).await;
    let controller = world.controller();
    let (mut told, mut causes) = (0, 0);
    for operation in &world.operations {
        let mut calls = 0;
        loop {
            controller.faults.arm(fault, calls);
            let reply = operation.ask(controller).await;
            if !controller.faults.disarm() {
                break;
            }
            let how = format!("{fault:?} after {calls} calls");
            let cause = full_disk_cause(&reply, operation, &world);
            causes += usize::from(cause.is_some());
            assert_tells(&reply, cause, operation, &how);
            (calls, told) = (calls + 1, told + 1);
            assert!(calls < MOST_CALLS, "{operation:?}");
        }
    }
    assert!(told > 30, "{fault:?} was met {told} times");
    assert_eq!(
        causes > 20,
        fault == StoreFault::Full,
        "{fault:?}: {causes}"
    );
    assert!(
        causes == 0 || fault == StoreFault::Full,
        "{fault:?}: {causes}"
    );
}

#[tokio::test]
async fn store_that_does_not_answer_is_not_told_of() {
    fail_everywhere(StoreFault::Unavailable).await;
}

#[tokio::test]
async fn full_store_is_told_of_to_administrators_alone() {
    fail_everywhere(StoreFault::Full).await;
}

#[tokio::test]
async fn closed_store_is_not_told_of() {
    fail_everywhere(StoreFault::Closed).await;
}

#[tokio::test]
async fn damaged_rows_are_not_told_of() {
    fail_everywhere(StoreFault::Damage).await;
}

#[tokio::test]
async fn panics_are_not_told_of() {
    fail_everywhere(StoreFault::Panic).await;
}

#[tokio::test]
async fn full_queue_of_the_store_is_not_told_of() {
    fail_everywhere(StoreFault::Overload).await;
}

#[tokio::test]
async fn failing_disk_is_not_told_of() {
    for (call, kind) in [
        (DiskCall::Write, ErrorKind::StorageFull),
        (DiskCall::Write, ErrorKind::ReadOnlyFilesystem),
        (DiskCall::Write, ErrorKind::Other),
        (DiskCall::Sync, ErrorKind::Other),
    ] {
        let world = World::new(HarnessOptions::default()).await;
        world.controller().disk.fail(call, kind);
        let (mut told, mut causes) = (0, 0);
        for operation in &world.operations {
            let reply = operation.ask(world.controller()).await;
            if reply.status.is_server_error() {
                let cause = full_disk_cause(&reply, operation, &world);
                causes += usize::from(cause.is_some());
                assert_tells(&reply, cause, operation, &format!("{call:?} fails: {kind}"));
                told += 1;
            }
        }
        assert!(told > 20, "{call:?} {kind}: {told}");
        let is_full = kind == ErrorKind::StorageFull;
        // Afterwards nothing can be read either, and nobody is known to be an administrator.
        assert_eq!(causes > 0, is_full, "{call:?} {kind}: {causes}");
    }
}

#[tokio::test]
async fn want_of_randomness_and_of_time_are_not_told_of() {
    let world = World::new(HarnessOptions::default()).await;
    let controller = world.controller();
    controller.entropy.set_exhausted(true);
    let mut told = 0;
    for operation in &world.operations {
        let reply = operation.ask(controller).await;
        if reply.status.is_server_error() {
            assert_opaque(&reply, operation, "no randomness");
            told += 1;
        }
    }
    assert!(told > 10, "{told}");
    controller.entropy.set_exhausted(false);
    let first = "0000-01-01T00:00:00Z".parse().unwrap();
    for instant in [first, Timestamp::UNIX_EPOCH, Timestamp::MAX] {
        let world = World::new(HarnessOptions::default()).await;
        world.controller().clock.set(instant);
        for operation in &world.operations {
            let reply = operation.ask(world.controller()).await;
            if reply.status.is_server_error() {
                assert_opaque(&reply, operation, &format!("it is {instant}"));
            }
        }
    }
}

#[tokio::test]
async fn full_queues_of_passwords_are_not_told_of() {
    let controller = Arc::new(one_password_at_a_time().await);
    let admin = controller.admin().await;
    let id = create(&controller, &admin, "bare", json!({})).await;
    let login = json!({"username": "nobody", "password": PASSWORD});
    let made = json!({
        "method": "updb", "identityId": id, "username": "made", "password": PASSWORD,
    });
    let path = format!("{}/authenticators", Api::Management.base_path());
    let operations = [
        Operation::new("", (Method::POST, "/authenticate?method=password")).json(&login),
        Operation::new(&admin, (Method::POST, &path)).json(&made),
    ];
    let mut tasks = JoinSet::new();
    for number in 0..64 {
        let (controller, operation) = (controller.clone(), operations[number % 2].clone());
        tasks.spawn(async move { (operation.ask(&controller).await, operation) });
    }
    let mut told = 0;
    for (reply, operation) in tasks.join_all().await {
        if reply.status == 429 || reply.status.is_server_error() {
            assert_opaque(&reply, &operation, "the queue is full");
            told += 1;
        }
    }
    assert!(told > 20, "{told}");
}
