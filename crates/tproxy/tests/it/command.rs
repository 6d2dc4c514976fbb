//! Programs that tests run.

use std::process::{Command, Output};

/// Runs a program, and returns what it prints.
#[track_caller]
pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = try_run(program, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{program} {arguments:?} failed: {error}"
    );
    String::from_utf8(output.stdout).expect("a text")
}

#[track_caller]
pub(crate) fn try_run(program: &str, arguments: &[&str]) -> Output {
    let output = Command::new(program).args(arguments).output();
    output.unwrap_or_else(|error| panic!("{program} cannot be started: {error}"))
}

/// Runs a program with its arguments in one text, and returns what it prints.
#[track_caller]
pub(crate) fn sh(line: &str) -> String {
    run("sh", &["-c", line])
}

/// Runs something that blocks beside the tasks of the test.
pub(crate) async fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work)
        .await
        .expect("does not panic")
}
