//! Prompts on the terminal.

use crate::output;
use anyhow::{Context as _, ensure};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use secrecy::SecretString;
use std::io::{self, IsTerminal as _};
use zeroize::Zeroizing;

/// Reads one line from stdin. On a terminal it prompts first and disables echo.
pub(crate) async fn read_secret(question: &str) -> anyhow::Result<SecretString> {
    let hidden = EchoGuard::new();
    if hidden.is_some() {
        output::eprint_question(question);
    }
    // The thread is abandoned if this future is dropped while it waits.
    let line = tokio::task::spawn_blocking(read_secret_line).await;
    if hidden.is_some() {
        output::eprint_line("");
    }
    line.context("the answer could not be read")?
}

/// Asks a question on a terminal and reads the answer.
pub(crate) async fn read_line(question: &str) -> anyhow::Result<String> {
    output::eprint_question(question);
    // The thread is abandoned if this future is dropped while it waits.
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        let length = io::stdin()
            .read_line(&mut line)
            .context("stdin cannot be read")?;
        ensure!(length > 0, "stdin ended before all questions were answered");
        Ok(line)
    });
    line.await.context("the answer could not be read")?
}

fn read_secret_line() -> anyhow::Result<SecretString> {
    let mut line = Zeroizing::new(String::with_capacity(256));
    io::stdin()
        .read_line(&mut line)
        .context("stdin cannot be read")?;
    let answer = line.trim_end_matches(['\n', '\r']);
    ensure!(!answer.is_empty(), "stdin contains no password");
    Ok(answer.into())
}

/// Guard that disables the echo of the terminal.
struct EchoGuard(Termios);

impl EchoGuard {
    /// Disables the echo, if stdin is a terminal.
    fn new() -> Option<Self> {
        let usual = io::stdin()
            .is_terminal()
            .then(|| tcgetattr(io::stdin()))?
            .ok()?;
        let mut hiding = usual.clone();
        hiding.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Now, &hiding).ok()?;
        Some(Self(usual))
    }
}

impl Drop for EchoGuard {
    fn drop(&mut self) {
        // A terminal that is gone needs no restoring.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
