//! Asking the person at the terminal.

use crate::output;
use anyhow::{Context as _, ensure};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use secrecy::SecretString;
use std::io::{self, IsTerminal as _};
use zeroize::Zeroizing;

/// Reads one line from stdin. At a terminal it is asked for, and what is typed is not shown.
pub(crate) async fn secret(question: &str) -> anyhow::Result<SecretString> {
    let hidden = Hidden::new();
    if hidden.is_some() {
        output::ask(question);
    }
    // The thread stays behind when this is given up while it waits.
    let line = tokio::task::spawn_blocking(read_line).await;
    if hidden.is_some() {
        output::remark("");
    }
    line.context("the answer could not be read")?
}

fn read_line() -> anyhow::Result<SecretString> {
    let mut line = Zeroizing::new(String::with_capacity(256));
    io::stdin()
        .read_line(&mut line)
        .context("stdin cannot be read")?;
    let answer = line.trim_end_matches(['\n', '\r']);
    ensure!(!answer.is_empty(), "stdin contains no password");
    Ok(answer.into())
}

/// Keeps the terminal from showing what is typed, for as long as it lives.
struct Hidden(Termios);

impl Hidden {
    /// Hides what is typed, if stdin is a terminal.
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

impl Drop for Hidden {
    fn drop(&mut self) {
        // Nothing more can be done about a terminal that went away.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}
