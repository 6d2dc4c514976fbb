//! Prompts on the terminal.

use crate::output;
use anyhow::{Context as _, ensure};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use secrecy::{ExposeSecret as _, SecretString};
use std::io::{self, IsTerminal as _};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// Whether there is a terminal to prompt on.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Reads a new password from stdin. A terminal is prompted twice, without echo: a slip of the finger
/// would lock its user out.
pub(crate) async fn read_new_password() -> anyhow::Result<SecretString> {
    let Some(_hidden) = EchoGuard::new() else {
        return read_secret_line().await;
    };
    let password = ask_secret("Password:").await?;
    let again = ask_secret("Again:").await?;
    let [first, second] = [&password, &again].map(|typed| typed.expose_secret().as_bytes());
    ensure!(
        bool::from(first.ct_eq(second)),
        "the passwords differ: type the same one twice"
    );
    Ok(password)
}

async fn ask_secret(question: &str) -> anyhow::Result<SecretString> {
    output::eprint_question(question);
    let answer = read_secret_line().await;
    output::eprint_line("");
    answer
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

async fn read_secret_line() -> anyhow::Result<SecretString> {
    // The thread is abandoned if this future is dropped while it waits.
    let line = tokio::task::spawn_blocking(|| {
        let mut line = Zeroizing::new(String::with_capacity(256));
        io::stdin()
            .read_line(&mut line)
            .context("stdin cannot be read")?;
        let answer = line.trim_end_matches(['\n', '\r']);
        ensure!(!answer.is_empty(), "stdin contains no password");
        Ok(answer.into())
    });
    line.await.context("the answer could not be read")?
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
