//! Non-interactive sources of secrets: arguments, files and the environment.

use crate::error::CliError;
use crate::files;
use secrecy::SecretString;
use std::convert::Infallible;
use std::env::{self, VarError};
use std::path::Path;
use zeroize::Zeroizing;

/// Whether a path means standard input.
pub(crate) fn is_stdin(path: Option<&Path>) -> bool {
    path == Some(Path::new("-"))
}

/// Reads the secret from an argument or the first line of a file, if given. `what` is the noun in
/// errors.
pub(crate) fn read_from_args(
    secret: Option<&SecretString>,
    file: Option<&Path>,
    what: &str,
) -> Result<Option<SecretString>, CliError> {
    let Some(path) = file else {
        return Ok(secret.cloned());
    };
    let text = Zeroizing::new(files::read_text(path)?);
    match first_line(&text) {
        Some(secret) => Ok(Some(SecretString::from(secret))),
        None => Err(CliError::usage(format!(
            "{} contains no {what}",
            path.display()
        ))),
    }
}

/// Whether an environment variable is set and not empty.
pub(crate) fn is_env_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|text| !text.is_empty())
}

/// Reads a secret from an environment variable, if set.
pub(crate) fn read_from_env(variable: &str) -> Result<Option<SecretString>, CliError> {
    match env::var(variable) {
        Ok(secret) if !secret.is_empty() => Ok(Some(SecretString::from(secret))),
        // Shells unset a variable by making it empty.
        Ok(_) | Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(CliError::usage(format!("{variable} is not valid UTF-8")))
        },
    }
}

/// Accepts any text: parse errors would quote the secret.
#[expect(clippy::unnecessary_wraps, reason = "parsers of arguments may fail")]
pub(crate) fn parse_secret(text: &str) -> Result<SecretString, Infallible> {
    Ok(SecretString::from(text))
}

/// The first line, without its line ending; `None` if it is empty.
fn first_line(text: &str) -> Option<&str> {
    text.lines().next().filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_line_is_the_secret() {
        for (text, secret) in [
            ("secret", Some("secret")),
            ("secret\n", Some("secret")),
            (" two words \r\nrest\n", Some(" two words ")),
            ("\nsecret", None),
            ("", None),
        ] {
            assert_eq!(first_line(text), secret, "{text:?}");
        }
    }
}
