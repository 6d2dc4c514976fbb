//! The audit trail in a file of its own: a chain that shows what was done to it.

use crate::support::{Serving, finish, made, mode, program};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Starts the network in `home` with its audit trail in `file`.
fn serving(home: &Path, file: &Path) -> Serving {
    let mut command = program();
    command.arg("run").arg(home.join("controller.yml"));
    let mut serving = Serving::start(command.arg("--audit-file").arg(file));
    serving.logged("\"message\":\"serving\"");
    serving
}

fn verified(file: &Path) -> crate::support::Finished {
    finish(program().args(["audit", "verify"]).arg(file))
}

/// Lines of a trail as the next start continues it.
fn lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn trail_in_a_file_is_a_chain_over_restarts_and_shows_what_was_done_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let (home, file) = (
        folder.path().join("home"),
        folder.path().join("audit.jsonl"),
    );
    let mut command = program();
    command.args(["--log", "warn", "quickstart", "--ctrl-port", "0", "--home"]);
    let mut first = Serving::start(command.arg(&home).arg("--audit-file").arg(&file));
    first.ready();
    // A second controller must not write between the lines of the first.
    let other = folder.path().join("other");
    let mut second = program();
    second
        .args(["quickstart", "--ctrl-port", "0", "--home"])
        .arg(&other);
    finish(second.arg("--audit-file").arg(&file))
        .failed_with(&[&format!("in use by process {};", first.id())]);
    assert_eq!(first.stop("TERM").code, Some(0));
    assert_eq!(mode(&file), 0o600);
    let made = lines(&file);
    assert!(made[0].contains("audit.begin"), "{}", made[0]);
    assert!(made.iter().any(|line| line.contains("identity.create")));
    assert!(!made.iter().any(|line| line.contains("audit.missing")));

    assert_eq!(serving(&home, &file).stop("TERM").code, Some(0));
    assert_eq!(lines(&file)[..made.len()], made, "it is continued");
    let whole = verified(&file);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    assert!(whole.stdout.contains(": intact, "), "{whole:?}");

    let edited: Vec<_> = made
        .iter()
        .map(|line| line.replace("admin", "nobody"))
        .collect();
    let broken = folder.path().join("broken.jsonl");
    let mut swapped = made.clone();
    swapped.swap(2, 3);
    let damaged = [
        (edited, "does not follow"),
        (made[1..].to_vec(), "line 1 is not the beginning"),
        ([&made[..3], &made[4..]].concat(), "line 4 does not follow"),
        (swapped, "line 3 does not follow"),
    ];
    for (lines, reason) in damaged {
        fs::write(&broken, lines.join("\n") + "\n").unwrap();
        fs::set_permissions(&broken, Permissions::from_mode(0o600)).unwrap();
        verified(&broken).failed_with(&["broken.jsonl", reason]);
    }
    let refused = program()
        .arg("run")
        .arg(home.join("controller.yml"))
        .arg("--audit-file")
        .arg(&broken)
        .output();
    let refused = String::from_utf8(refused.unwrap().stderr).unwrap();
    assert!(
        refused.contains("is damaged") && refused.contains("rename it"),
        "{refused}"
    );
}

#[test]
fn end_of_a_trail_that_was_cut_off_is_told_by_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let (home, file) = (
        folder.path().join("home"),
        folder.path().join("audit.jsonl"),
    );
    made(&home);
    // The trail of that run went to standard error: this file lacks it, and says so.
    let mut first = serving(&home, &file);
    let warning = first.logged("lacks events that the store has no more");
    assert!(warning.contains("\"level\":\"WARN\"") && warning.contains("\"first\":1"));
    assert_eq!(first.stop("TERM").code, Some(0));
    let key = "audit: {file: audit.jsonl}\nrelativePaths: file\n";
    let config = home.join("controller.yml");
    let text = fs::read_to_string(&config).unwrap();
    let text = text.replace("relativePaths: file\n", "");
    fs::write(&config, format!("{key}{text}")).unwrap();
    let checked = verified(&file);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(
        checked.stdout.contains("line 2: the events 1 to "),
        "{checked:?}"
    );
    let strict = finish(program().args(["audit", "verify", "--strict"]).arg(&file));
    strict.failed_with(&["events of the audit trail are missing"]);
    verified(folder.path()).failed_with(&["is a directory; name the audit file in it"]);

    // What a start without another change finds.
    let whole = lines(&file);
    let numbered = whole.iter().rposition(|line| line.contains("\"seq\":"));
    let kept = numbered.unwrap_or(2);
    fs::write(&file, whole[..kept].join("\n") + "\n").unwrap();
    assert_eq!(serving(&home, &file).stop("TERM").code, Some(0));
    let checked = verified(&file);
    assert_eq!(checked.code, Some(0), "{checked:?}");
}

#[test]
fn backup_that_is_put_back_goes_on_in_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let (home, file) = (
        folder.path().join("home"),
        folder.path().join("audit.jsonl"),
    );
    made(&home);
    let config = home.join("controller.yml");
    let reset = |password: &str| {
        let mut command = program();
        command.args(["admin", "reset-password"]).arg(&config);
        let reset = finish(command.args(["admin", "-p", password]));
        assert_eq!(reset.code, Some(0), "{reset:?}");
    };
    assert_eq!(serving(&home, &file).stop("TERM").code, Some(0));
    // Its event waits in the store, and in the copy.
    reset("another horse");
    let store = home.join("ctrl.db.portcullis");
    let copy = folder.path().join("copy");
    fs::copy(&store, &copy).unwrap();
    assert_eq!(serving(&home, &file).stop("TERM").code, Some(0));
    reset("a third horse");
    assert_eq!(serving(&home, &file).stop("TERM").code, Some(0));

    fs::copy(&copy, &store).unwrap();
    for _ in 0..2 {
        assert_eq!(serving(&home, &file).stop("TERM").code, Some(0));
    }
    let checked = verified(&file);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(
        checked.stdout.contains("a backup was restored"),
        "{checked:?}"
    );
    let written = lines(&file);
    let resets = written
        .iter()
        .filter(|line| line.contains("reset-password"));
    assert_eq!(resets.count(), 3, "{written:?}");

    // A file of another network.
    let other = folder.path().join("other");
    made(&other);
    for _ in 0..2 {
        assert_eq!(serving(&other, &file).stop("TERM").code, Some(0));
    }
    assert_eq!(verified(&file).code, Some(0));
}

#[test]
fn audit_file_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (home, file) = (
        folder.path().join("home"),
        folder.path().join("audit.jsonl"),
    );
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let mut command = program();
    command
        .args(["quickstart", "--ctrl-port", "0", "--home"])
        .arg(&home);
    finish(command.arg("--audit-file").arg(&file)).failed_with(&["mode 644", "mode 600", "640"]);
}

#[test]
fn level_of_the_log_does_not_silence_the_trail_but_its_own_does() {
    let folder = tempfile::tempdir().unwrap();
    for (filter, is_told) in [("warn", true), ("warn,audit=off", false)] {
        let home = folder.path().join(filter);
        let mut command = program();
        command.args(["--log", filter, "quickstart", "--ctrl-port", "0", "--home"]);
        let mut serving = Serving::start(command.arg(&home));
        serving.ready();
        let ended = serving.stop("TERM");
        assert_eq!(
            ended.stderr.contains("\"target\":\"audit\""),
            is_told,
            "{ended:?}"
        );
        let warning = "the audit trail is discarded";
        assert_eq!(ended.stderr.contains(warning), !is_told, "{ended:?}");
    }
}
