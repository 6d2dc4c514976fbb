//! TOTP codes that logins ask for.

use portcullis_program::output;
use portcullis_sdk::{CodeFuture, CodePrompt, CodeQuery};
use secrecy::SecretString;
use std::io::{self, IsTerminal as _};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;
use zeroize::Zeroizing;

/// Where TOTP codes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CodeSource {
    /// A person at the terminal.
    Terminal,
    /// What this command of the shell prints.
    Command(String),
}

/// How long a command may take.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

impl CodeSource {
    /// The command, if there is one; otherwise the terminal, if there is one.
    pub(crate) fn choose(command: Option<String>) -> Option<Self> {
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        let terminal = is_terminal.then_some(Self::Terminal);
        command.map(Self::Command).or(terminal)
    }
}

impl CodePrompt for CodeSource {
    fn ask(&self, query: CodeQuery) -> CodeFuture<'_> {
        Box::pin(async move {
            match self {
                Self::Terminal => ask_person(&query).await,
                // It would print the same code again, or the next one, which may lock the identity out.
                Self::Command(_) if query.refusal.is_some() => None,
                Self::Command(command) => run(command).await,
            }
        })
    }
}

async fn ask_person(query: &CodeQuery) -> Option<SecretString> {
    if let Some(refusal) = &query.refusal {
        output::eprint_line(output::one_line(refusal));
    }
    output::eprint_question("TOTP code, or a recovery code:");
    // The thread is abandoned if this future is dropped while it waits.
    let line = tokio::task::spawn_blocking(|| {
        let mut line = Zeroizing::new(String::with_capacity(64));
        io::stdin().read_line(&mut line).map(|_length| line)
    });
    code(&line.await.ok()?.ok()?)
}

async fn run(command: &str) -> Option<SecretString> {
    let running = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .output();
    match timeout(COMMAND_TIMEOUT, running).await {
        Ok(Ok(ended)) if ended.status.success() => {
            let printed = Zeroizing::new(ended.stdout);
            code(std::str::from_utf8(&printed).ok()?)
        },
        Ok(Ok(ended)) => {
            tracing::warn!(status = %ended.status, "the command for TOTP codes has failed");
            None
        },
        Ok(Err(error)) => {
            tracing::warn!(%error, "the command for TOTP codes cannot be started");
            None
        },
        Err(_elapsed) => {
            tracing::warn!("the command for TOTP codes has not ended after 30 s");
            None
        },
    }
}

fn code(line: &str) -> Option<SecretString> {
    let code = line.trim();
    (!code.is_empty()).then(|| SecretString::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    async fn ask(command: &str, refusal: Option<&str>) -> Option<String> {
        let source = CodeSource::choose(Some(command.to_owned())).expect("a command");
        let query = CodeQuery {
            refusal: refusal.map(str::to_owned),
            attempts_left: 1,
            length: None,
        };
        let code = source.ask(query).await?;
        Some(code.expose_secret().to_owned())
    }

    #[tokio::test]
    async fn commands_print_codes() {
        assert_eq!(ask("echo 123456", None).await.as_deref(), Some("123456"));
        assert_eq!(ask("echo 123456; false", None).await, None);
        assert_eq!(ask("true", None).await, None);
    }

    #[tokio::test]
    async fn a_refused_code_is_not_repeated() {
        assert_eq!(ask("echo 123456", Some("wrong")).await, None);
    }
}
