//! Deleting: what is meant, what is asked, what is told.

use crate::Session;
use insta::assert_snapshot;
use serde_json::json;
use std::path::Path;
use support::{Tool, binaries, command, tools, wait};

#[test]
fn nothing_is_deleted_on_a_dry_run() {
    let session = Session::logged_in();
    let first = session.json(&["identity", "create", "first"]);
    let second = session.json(&["identity", "create", "second"]);
    for arguments in [
        &["identity", "delete", "first"][..],
        &["identity", "delete", "--filter", "name = \"first\""],
        &[
            "identity",
            "delete",
            "--filter",
            "name = \"first\"",
            "--yes",
        ],
    ] {
        let dry = [arguments, &["--dry-run"]].concat();
        let document = session.json(&dry);
        let expected = json!({"wouldDelete": [{"id": first["id"], "name": "first"}]});
        assert_eq!(document, expected, "{arguments:?}");
    }
    let transcript = session.transcript(&[
        "identity delete first --dry-run",
        "enrollment delete --identity second --dry-run",
        "session delete --filter true --dry-run --output json",
    ]);
    let open = session.json(&["whoami"])["session"]["id"].clone();
    let ids = [
        (&first["id"], "FIRST"),
        (&second["enrollment"]["ott"]["id"], "OTT"),
        (&open, "SESSION"),
    ];
    let shown = ids.iter().fold(transcript, |text, (id, name)| {
        text.replace(id.as_str().unwrap(), name)
    });
    assert_snapshot!(shown, @r#"
        $ portcullis identity delete first --dry-run
        would delete  FIRST  first
        1 identity would be deleted
        [0]
        $ portcullis enrollment delete --identity second --dry-run
        would delete  OTT  ott of second
        1 enrollment would be deleted
        [0]
        $ portcullis session delete --filter true --dry-run --output json
        {
          "wouldDelete": [
            {
              "id": "SESSION",
              "name": "of admin from 127.0.0.1"
            }
          ]
        }
        [0]
        "#);
    session.json(&["identity", "show", "first"]);
    let left = session.json(&["enrollment", "list"]);
    assert_eq!(left.as_array().unwrap().len(), 2);
}

#[test]
fn enrollments_of_an_identity_are_withdrawn() {
    let session = Session::logged_in();
    let first = session.json(&["identity", "create", "first"]);
    session.json(&["identity", "create", "second"]);
    let delete = ["enrollment", "delete", "--identity", "first"];
    let asked = session.run(&delete).expect_code(2).stderr;
    assert!(asked.contains("Delete 1 enrollment ("), "{asked}");
    assert!(asked.contains("--yes"), "{asked}");
    // The two ways to choose go together.
    let none = [
        &delete[..],
        &[
            "--filter",
            "createdAt < datetime(2001-01-01T00:00:00Z)",
            "--yes",
        ],
    ]
    .concat();
    let none = session.run(&none).success().text();
    assert_eq!(none, "0 enrollments deleted\n");
    session.run(&[&delete[..], &["--yes"]].concat()).success();
    let filter = format!("identity=\"{}\"", first["id"].as_str().unwrap());
    let by_filter = ["enrollment", "list", "--filter", &filter];
    assert_eq!(session.json(&by_filter), json!([]));
    let left = session.json(&["enrollment", "list"]);
    assert_eq!(left[0]["identity"]["name"], "second");
}

#[test]
fn question_counts_what_a_filter_found() {
    if !tools::are_available(&[Tool::Script]) {
        return;
    }
    let session = Session::logged_in();
    session.json(&["identity", "create", "first"]);
    for (answer, code, told) in [
        ("n\n", 1, "nothing was deleted"),
        ("y\n", 0, "1 identity deleted"),
    ] {
        // A terminal of its own, since only there something is asked.
        let mut terminal = session.command(Path::new("script"));
        let line = format!(
            "{} identity delete --filter 'name = \"first\"'",
            binaries::cli().display()
        );
        terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        let outcome = command::run_with(&mut terminal, answer.as_bytes(), wait::DEFAULT_TIMEOUT);
        let text = outcome.expect_code(code).text();
        assert!(text.contains("Delete 1 identity (first)?"), "{text}");
        assert!(text.contains(told), "{text}");
    }
}

/// What cannot be deleted is told, and the rest is deleted.
#[test]
fn failures_are_told_beside_what_was_deleted() {
    let session = Session::logged_in();
    session.json(&["identity", "create", "first"]);
    let delete = ["identity", "delete", "--filter", "true", "--yes"];
    let outcome = session.run(&[&delete[..], &["--output", "json"]].concat());
    let outcome = outcome.expect_code(1);
    let document: serde_json::Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(document["deleted"][0]["name"], "first");
    assert_eq!(document["failed"][0]["name"], "admin");
    let id = document["failed"][0]["id"].as_str().unwrap();
    let told = format!("error: identity `admin` ({id}) was not deleted: the controller refused");
    assert!(outcome.stderr.starts_with(&told), "{}", outcome.stderr);
}
