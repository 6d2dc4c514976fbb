//! Sessions of others, as administrators see and end them.

use crate::Session;

#[test]
fn session_that_is_deleted_is_over() {
    let session = Session::logged_in();
    let first = session.json(&["whoami"])["session"]["id"].clone();
    let first = first.as_str().unwrap();
    session.log_in();
    let shown = session.json(&["session", "show", first]);
    assert_eq!(shown["identity"]["name"], "admin");
    let table = session.run(&["session", "show", first]).success().text();
    assert!(table.contains("address:      127.0.0.1\n"), "{table}");
    assert!(!table.contains(shown["token"].as_str().unwrap()), "{table}");

    session.run(&["session", "delete", first]).success();
    session.run(&["session", "show", first]).expect_code(1);
    // One's own is a session like any other.
    let own = session.json(&["whoami"])["session"]["id"].clone();
    let delete = ["session", "delete", own.as_str().unwrap()];
    session.run(&delete).success();
    let over = session.run(&["whoami"]).expect_code(3).stderr;
    assert!(over.contains("the session has expired"), "{over}");
}

#[test]
fn sessions_of_an_identity_are_ended_together() {
    let session = Session::logged_in();
    for _ in 0..3 {
        session.log_in();
    }
    let filter = ["session", "delete", "--filter", "true", "--dry-run"];
    let table = session.run(&filter).success().text();
    assert!(
        table.ends_with("\n4 sessions would be deleted\n"),
        "{table}"
    );
    let delete = ["session", "delete", "--identity", "admin"];
    session.run(&delete).expect_code(2);
    let delete = [&delete[..], &["--yes"]].concat();
    // The one that it is done with comes last.
    let deleted = session.run(&delete).success().text();
    assert!(deleted.ends_with("\n4 sessions deleted\n"), "{deleted}");
    session.run(&["whoami"]).expect_code(3);
}
