//! Passwords from the command line, a file or a prompt.

use crate::cli::PasswordArgs;
use crate::{admin_credentials, prompt, usage};
use anyhow::{Context as _, bail};
use secrecy::SecretString;
use std::path::Path;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

/// Reads a password, unless a signal ends the command first.
pub(super) async fn read_until_stopped(
    given: &PasswordArgs,
    stop: &CancellationToken,
) -> anyhow::Result<SecretString> {
    match stop.run_until_cancelled(read(given)).await {
        Some(password) => password,
        None => bail!("stopped before anything was changed"),
    }
}

/// Reads a password from the source that the command line names.
async fn read(given: &PasswordArgs) -> anyhow::Result<SecretString> {
    match (&given.password_file, &given.password) {
        (Some(path), _) => read_from(path).await,
        (None, Some(given)) => {
            admin_credentials::validate_password(given)?;
            Ok(given.as_str().into())
        },
        (None, None) if prompt::is_interactive() => prompt::read_new_password().await,
        (None, None) => Err(usage::error(
            "a password is required: use --password-file FILE, --password-file - for standard input, \
             or the variable PORTCULLIS_PASSWORD",
        )),
    }
}

/// Reads a password from a file, or prompts for it if the path is `-`.
pub(super) async fn read_from(path: &Path) -> anyhow::Result<SecretString> {
    if path == Path::new("-") {
        prompt::read_new_password().await
    } else {
        read_from_file(path)
    }
}

fn read_from_file(path: &Path) -> anyhow::Result<SecretString> {
    let text = std::fs::read_to_string(path)
        .map(Zeroizing::new)
        .with_context(|| format!("the password file {} cannot be read", path.display()))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).into())
}
