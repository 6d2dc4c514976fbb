//! The programs of iproute2.

use std::process::{Command, Stdio};

/// Runs `ip`.
pub(crate) fn ip(words: &str) -> Result<(), String> {
    run(Command::new("ip").args(words.split(' ')))
}

/// Runs a program that has to succeed.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|error| format!("{command:?}: {error}"))?;
    let problem = || {
        let said = String::from_utf8_lossy(&done.stderr);
        format!("{command:?}: {}", said.trim())
    };
    done.status.success().then_some(()).ok_or_else(problem)
}
