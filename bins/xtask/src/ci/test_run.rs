//! The tests of the workspace. Those that fail run once more by themselves: many wait for sockets and programs, and on
//! a machine that others use, too, such a wait can be too long. Which ones needed that is printed at the end.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::Context as _;

/// More failures than this are not bad luck.
const MAX_REPEATED: usize = 5;

/// Runs `cargo test` with the arguments, and what failed again. `cargo` makes the command for both.
pub(super) fn run(
    cargo: impl Fn() -> Command,
    arguments: &[&str],
    out: &mut impl Write,
) -> anyhow::Result<bool> {
    let mut command = cargo();
    command.args(arguments).arg("--no-fail-fast");
    let (status, failed) = watch(command, out)?;
    if status.success() {
        return Ok(true);
    }
    // Without a name, something else went wrong: a test does not compile, or a program was killed.
    if failed.is_empty() || failed.len() > MAX_REPEATED {
        return Ok(false);
    }
    writeln!(out, "== failed, and run once more: {}", listed(&failed))?;
    out.flush()?;
    let mut command = cargo();
    command
        .args(arguments)
        .args(["--", "--exact"])
        .args(&failed);
    let (status, failed_again) = watch(command, out)?;
    if !status.success() {
        writeln!(out, "== failed twice: {}", listed(&failed_again))?;
        return Ok(false);
    }
    writeln!(out, "== unstable: {}", listed(&failed))?;
    Ok(true)
}

fn listed(names: &BTreeSet<String>) -> String {
    names
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}

/// Runs the command, passes on what it prints, and finds the names of the tests that failed.
fn watch(
    mut command: Command,
    out: &mut impl Write,
) -> anyhow::Result<(ExitStatus, BTreeSet<String>)> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let printed = child.stdout.take().context("no output to read")?;
    let failed = failures(printed, out)?;
    Ok((child.wait()?, failed))
}

/// Copies what test programs print, and returns the names of the tests that failed.
fn failures(printed: impl Read, out: &mut impl Write) -> std::io::Result<BTreeSet<String>> {
    let mut failed = BTreeSet::new();
    let mut printed = BufReader::new(printed);
    let mut line = Vec::new();
    while printed.read_until(b'\n', &mut line)? > 0 {
        out.write_all(&line)?;
        failed.extend(failure(&String::from_utf8_lossy(&line)));
        line.clear();
    }
    Ok(failed)
}

/// The name of the test, if the line says that one failed.
fn failure(line: &str) -> Option<String> {
    let name = line
        .trim_end()
        .strip_prefix("test ")?
        .strip_suffix(" ... FAILED")?;
    // What a test that panics should have been told is not part of its name.
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_failed_tests_are_found_and_all_is_copied() {
        let printed = "\nrunning 4 tests\n\
            test a::passes ... ok\n\
            test a::fails ... FAILED\n\
            test a::panics - should panic ... FAILED\n\
            test crates/x/src/lib.rs - Thing (line 12) ... FAILED\n\
            test result: FAILED. 1 passed; 3 failed; 0 ignored\n";
        let mut copied = Vec::new();
        let failed = failures(printed.as_bytes(), &mut copied).unwrap();
        assert_eq!(copied, printed.as_bytes());
        let expected = [
            "a::fails",
            "a::panics",
            "crates/x/src/lib.rs - Thing (line 12)",
        ];
        assert_eq!(failed, BTreeSet::from(expected.map(str::to_owned)));
    }

    /// A command of the shell that fails as long as `fails` is true of its number of calls.
    fn tests(directory: &std::path::Path, script: &str) -> impl Fn() -> Command {
        let (directory, script) = (directory.to_owned(), script.to_owned());
        move || {
            let mut command = Command::new("sh");
            command.current_dir(&directory).args(["-c", &script]);
            command
        }
    }

    #[test]
    fn what_fails_once_runs_again_and_what_fails_twice_fails() {
        let directory = tempfile::tempdir().unwrap();
        // The arguments end in the name of the test in the second run alone.
        let once = "echo \"$@\" >> calls; case \"$*\" in *unlucky) ;; *) echo 'test unlucky ... FAILED'; exit 101; esac";
        assert!(run(tests(directory.path(), once), &["test"], &mut Vec::new()).unwrap());
        let calls = std::fs::read_to_string(directory.path().join("calls")).unwrap();
        assert_eq!(calls, "--no-fail-fast\n-- --exact unlucky\n");
        let always = "echo 'test broken ... FAILED'; exit 101";
        assert!(!run(tests(directory.path(), always), &["test"], &mut Vec::new()).unwrap());
    }

    #[test]
    fn failures_without_a_name_or_too_many_are_not_repeated() {
        let directory = tempfile::tempdir().unwrap();
        let killed = "echo >> calls; exit 101";
        assert!(!run(tests(directory.path(), killed), &["test"], &mut Vec::new()).unwrap());
        let many =
            "echo >> calls; for n in 1 2 3 4 5 6; do echo \"test t$n ... FAILED\"; done; exit 101";
        assert!(!run(tests(directory.path(), many), &["test"], &mut Vec::new()).unwrap());
        let calls = std::fs::read_to_string(directory.path().join("calls")).unwrap();
        assert_eq!(calls.lines().count(), 2);
    }
}
