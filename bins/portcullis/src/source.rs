//! Where secrets come from when nobody is asked: arguments, files, the environment.

use crate::error::CliError;
use crate::files;
use secrecy::SecretString;
use std::convert::Infallible;
use std::env::{self, VarError};
use std::path::Path;
use zeroize::Zeroizing;

/// Whether a file is the standard input.
pub(crate) fn is_stdin(path: Option<&Path>) -> bool {
    path == Some(Path::new("-"))
}

/// The secret of the arguments, if they say where it is: `what` is what a file holds.
pub(crate) fn given(
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

/// Whether there is anything in a variable.
pub(crate) fn is_set(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|text| !text.is_empty())
}

/// The secret in a variable, if it is set.
pub(crate) fn from_environment(variable: &str) -> Result<Option<SecretString>, CliError> {
    match env::var(variable) {
        Ok(secret) if !secret.is_empty() => Ok(Some(SecretString::from(secret))),
        // Set to nothing is how shells leave a variable out.
        Ok(_) | Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(CliError::usage(format!("{variable} is not valid UTF-8")))
        },
    }
}

/// Takes an argument as it is: what is wrong with a secret is said without it.
#[expect(clippy::unnecessary_wraps, reason = "parsers of arguments may fail")]
pub(crate) fn secret(text: &str) -> Result<SecretString, Infallible> {
    Ok(SecretString::from(text))
}

/// The first line without its end; `None` when it is empty.
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
