//! A password that a command line gives, or says where to find.

use crate::cli::GivenPassword;
use crate::{login, prompt, usage};
use anyhow::Context as _;
use secrecy::SecretString;
use std::path::Path;
use zeroize::Zeroizing;

/// Reads a password from where the command line says.
pub(super) async fn read(given: &GivenPassword) -> anyhow::Result<SecretString> {
    match (&given.password_file, &given.password) {
        (Some(path), _) => from(path).await,
        (None, Some(given)) => {
            login::check_password(given)?;
            Ok(given.as_str().into())
        },
        (None, None) => Err(usage::error(
            "a password is needed: --password-file FILE, or --password-file - to be asked for it \
             (or the variable PORTCULLIS_PASSWORD)",
        )),
    }
}

/// Reads a password from a file, or asks for it where that is `-`.
pub(super) async fn from(path: &Path) -> anyhow::Result<SecretString> {
    if path == Path::new("-") {
        prompt::secret("Password:").await
    } else {
        from_file(path)
    }
}

fn from_file(path: &Path) -> anyhow::Result<SecretString> {
    let text = std::fs::read_to_string(path)
        .map(Zeroizing::new)
        .with_context(|| format!("the password file {} cannot be read", path.display()))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).into())
}
