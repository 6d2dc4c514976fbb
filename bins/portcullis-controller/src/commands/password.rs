//! New passwords from the command line, a file, the environment or a prompt.

use crate::cli::NewPasswordArgs;
use crate::{admin_credentials, prompt, usage};
use anyhow::{Context as _, bail};
use secrecy::SecretString;
use std::env::{self, VarError};
use std::path::Path;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

/// Environment variable for a password that is to be set, also of the program `portcullis`, where
/// `PORTCULLIS_PASSWORD` is the one to log in with.
const ENV_VAR: &str = "PORTCULLIS_NEW_PASSWORD";

/// A password that is given, or one to be asked for on the terminal.
pub(super) enum PasswordSource {
    Given(SecretString),
    Prompt,
}

/// Reads the password that the command line or the environment gives. Without one there has to be a
/// terminal to prompt on.
pub(super) async fn read_given(
    given: &NewPasswordArgs,
    stop: &CancellationToken,
) -> anyhow::Result<PasswordSource> {
    if let Some(path) = &given.password_file {
        if is_stdin(path) && prompt::is_interactive() {
            return Ok(PasswordSource::Prompt);
        }
        return until_stopped(read_from(path), stop)
            .await
            .map(PasswordSource::Given);
    }
    if let Some(password) = &given.password {
        return validated("--password", password);
    }
    if let Some(password) = read_from_env()? {
        return validated(ENV_VAR, &password);
    }
    if prompt::is_interactive() {
        return Ok(PasswordSource::Prompt);
    }
    Err(usage::error(format!(
        "a password is required: use --password-file FILE, --password-file - for standard input, or \
         the variable {ENV_VAR}"
    )))
}

impl PasswordSource {
    /// The password, for which the user is prompted if none was given.
    pub(super) async fn or_prompt(self, stop: &CancellationToken) -> anyhow::Result<SecretString> {
        match self {
            Self::Given(password) => Ok(password),
            Self::Prompt => until_stopped(prompt::read_new_password(), stop).await,
        }
    }
}

/// Reads a password, unless a signal ends the command first.
async fn until_stopped(
    reading: impl Future<Output = anyhow::Result<SecretString>>,
    stop: &CancellationToken,
) -> anyhow::Result<SecretString> {
    match stop.run_until_cancelled(reading).await {
        Some(password) => password,
        None => bail!("stopped before a password was set"),
    }
}

fn validated(source: &str, password: &str) -> anyhow::Result<PasswordSource> {
    admin_credentials::validate_password(source, password)?;
    Ok(PasswordSource::Given(password.into()))
}

/// The password in the environment, if any: shells unset a variable by making it empty.
fn read_from_env() -> anyhow::Result<Option<Zeroizing<String>>> {
    match env::var(ENV_VAR) {
        Ok(password) if !password.is_empty() => Ok(Some(Zeroizing::new(password))),
        Ok(_) | Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(usage::error(format!("{ENV_VAR} is not valid UTF-8"))),
    }
}

/// Reads a password from a file, or prompts for it if the path is `-`.
pub(super) async fn read_from(path: &Path) -> anyhow::Result<SecretString> {
    if is_stdin(path) {
        prompt::read_new_password().await
    } else {
        read_from_file(path)
    }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn read_from_file(path: &Path) -> anyhow::Result<SecretString> {
    let text = std::fs::read_to_string(path)
        .map(Zeroizing::new)
        .with_context(|| format!("the password file {} cannot be read", path.display()))?;
    match text.lines().next() {
        Some(password) if !password.is_empty() => Ok(password.into()),
        _ => bail!(
            "the first line of the password file {} is empty",
            path.display()
        ),
    }
}
