//! Many identities deleted by a filter.

use crate::Session;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use support::{Tool, binaries, command, run, tools, wait};

const MANY: usize = 600;

fn with_many() -> Session {
    let session = Session::logged_in();
    let rows = (0..MANY)
        .map(|number| format!("bulk-{number:04},none\n"))
        .collect::<Vec<_>>()
        .concat();
    let file = session.site.file("many.csv");
    fs::write(file, format!("name,enrollment\n{rows}")).unwrap();
    session
        .run(&["identity", "import", "many.csv", "--parallel", "32"])
        .success();
    session
}

#[test]
fn many_are_planned_confirmed_and_deleted() {
    let session = with_many();
    let filter = "name contains \"bulk-\"";
    let dry = session.json(&["identity", "delete", "--filter", filter, "--dry-run"]);
    assert_eq!(dry["wouldDelete"].as_array().unwrap().len(), MANY);
    if tools::are_available(&[Tool::Script]) {
        let mut terminal = session.command(Path::new("script"));
        let line = format!(
            "{} identity delete --filter '{filter}'",
            binaries::cli().display()
        );
        terminal.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        let outcome = command::run_with(&mut terminal, b"n\n", wait::DEFAULT_TIMEOUT);
        let text = outcome.expect_code(1).text();
        assert!(text.contains("Delete 600 identities (bulk-"), "{text}");
        assert!(
            text.contains("...)? Their sessions, certificates"),
            "{text}"
        );
        assert!(text.contains("nothing was deleted"), "{text}");
    }
    let text = session
        .run(&["identity", "delete", "--filter", filter, "--yes"])
        .success()
        .text();
    assert_eq!(text, "600 identities deleted\n");
    let left = session.json(&["identity", "list", "--filter", filter]);
    assert_eq!(left, serde_json::json!([]));
}

#[test]
fn deletion_says_how_far_it_came_until_ctrl_c() {
    let session = with_many();
    let filter = "name contains \"bulk-\"";
    let mut deletion = session.command(&binaries::cli());
    let mut deletion = deletion
        .args([
            "identity",
            "delete",
            "--filter",
            filter,
            "--yes",
            "--verbose",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(deletion.stderr.take().unwrap()).lines();
    let is_deletion = |line: io::Result<String>| line.unwrap().starts_with("DELETE ");
    assert!(stderr.any(is_deletion), "something is deleted");
    let id = deletion.id().to_string();
    run(Command::new("kill").args(["-s", "INT", &id])).success();
    let log: Vec<_> = stderr.map(Result::unwrap).collect();
    let output = deletion.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{log:?}");
    let told = log.iter().skip_while(|line| line.starts_with("DELETE "));
    let told: Vec<_> = told.map(String::as_str).collect();
    let hint = "hint: run the same command again to delete the rest";
    assert_eq!(told, ["error: cancelled", hint]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let left = session.json(&["identity", "list", "--all", "--filter", filter]);
    let left = left.as_array().unwrap().len();
    let deleted = MANY - left;
    let summary = format!("{deleted} identities deleted, {left} not tried\n");
    assert!(stdout.ends_with(&summary), "{summary}: {stdout}");
    assert!(deleted > 0 && left > 0, "{summary}");
}

/// Failures are told beside what was deleted, however much that was.
#[test]
fn failures_do_not_go_under() {
    let session = with_many();
    let outcome = session
        .run(&["identity", "delete", "--filter", "true", "--yes"])
        .expect_code(1);
    let text = outcome.text();
    assert!(
        text.starts_with("failed") && text.contains("admin"),
        "{text}"
    );
    assert!(text.ends_with("\n600 identities deleted\n"), "{text}");
    assert!(outcome.stderr.contains("`admin`"), "{}", outcome.stderr);
}
