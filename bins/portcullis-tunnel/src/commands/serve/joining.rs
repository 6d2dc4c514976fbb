//! Joining the network with an identity file.

use crate::cli::JoinArgs;
use crate::code_prompt::CodeSource;
use anyhow::{Context as _, anyhow};
use portcullis_program::{build, output};
use portcullis_sdk::{Context, EdgeIdentity, OpenError, SessionError};
use std::path::Path;
use std::time::Duration;

/// Joins the network. A program that is started before its network waits for it.
///
/// # Errors
///
/// If the identity file cannot be used, or the login is refused.
pub(super) async fn join(arguments: JoinArgs) -> anyhow::Result<Context> {
    let path = arguments.identity;
    let identity = read(&path).await?;
    let code = CodeSource::choose(arguments.mfa_code_command);
    let builder = Context::builder(identity)
        .application("portcullis-tunnel", build::VERSION)
        .login_timeout(Duration::MAX);
    let builder = match code {
        Some(code) => builder.code_prompt(code),
        None => builder,
    };
    Box::pin(builder.open())
        .await
        .map_err(|error| explain(&path, error))
}

async fn read(path: &Path) -> anyhow::Result<EdgeIdentity> {
    let path = path.to_owned();
    let reading = tokio::task::spawn_blocking(move || EdgeIdentity::read(&path));
    Ok(reading.await.context("the identity file was not read")??)
}

/// Adds what to do about it.
fn explain(path: &Path, error: OpenError) -> anyhow::Error {
    let advice = match &error {
        OpenError::Session(SessionError::CodeNeeded) => {
            "start it at a terminal, or add --mfa-code-command COMMAND"
        },
        OpenError::Session(SessionError::TotpNotEnrolled) => {
            "enroll the identity with `portcullis mfa enroll --identity FILE`"
        },
        OpenError::Session(SessionError::CodesRefused { .. }) => {
            "codes depend on the time: is the clock of this machine right?"
        },
        OpenError::Session(SessionError::LoginRefused(_)) => {
            "its administrators can say whether the identity is disabled, or was deleted"
        },
        _ => "",
    };
    let path = path.display();
    let text = output::error_chain(&error.into());
    let advice = if advice.is_empty() {
        String::new()
    } else {
        format!("; {advice}")
    };
    anyhow!("the network is not joined with {path}: {text}{advice}")
}
