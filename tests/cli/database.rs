//! The store, as administrators look after it.

use crate::Session;
use std::path::Path;

#[test]
fn the_store_is_copied_checked_and_counted() {
    let session = Session::logged_in();
    session.json(&["identity", "create", "anna"]);
    let before = session.run(&["database", "results"]).success().text();
    assert_eq!(before.trim(), "no check since the controller started");
    let summary = session.json(&["database", "summary"]);
    assert_eq!(summary["identities"], 2);
    let printed = session.run(&["database", "summary"]).success().text();
    assert!(printed.contains("routers.edge"), "{printed}");

    let copied = session.json(&["database", "snapshot"]);
    let path = copied["path"].as_str().unwrap();
    assert!(path.contains(".portcullis-"), "{path}");
    assert!(Path::new(path).is_file(), "{path}");
    // Its minute is not over.
    session.run(&["database", "snapshot"]).expect_code(1);

    let printed = session.run(&["database", "check"]).success().text();
    assert_eq!(printed.trim(), "0 findings");
    let found = session.json(&["database", "check", "--fix"]);
    assert_eq!(found["fixingErrors"], true);
    assert_eq!(session.json(&["database", "results"]), found);
}
