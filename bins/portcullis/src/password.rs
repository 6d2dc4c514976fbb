//! Where passwords come from.

use crate::error::CliError;
use crate::{files, prompt};
use clap::Args;
use secrecy::SecretString;
use std::convert::Infallible;
use std::env::{self, VarError};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Holds one's own password when no argument says where it is.
const VARIABLE: &str = "PORTCULLIS_PASSWORD";

/// Holds a password that is to be set when no argument says where it is.
const NEW_VARIABLE: &str = "PORTCULLIS_NEW_PASSWORD";

/// Where a password comes from. Without any of these it is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct PasswordArgs {
    /// The password. Other users of this machine may see it; prefer a file, or the environment
    /// variable `PORTCULLIS_PASSWORD`
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    password: Option<SecretString>,

    /// Read the password from the first line of a file, or of the standard input for `-`; goes
    /// before `PORTCULLIS_PASSWORD`
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    password_file: Option<PathBuf>,
}

/// Where a password comes from that is to be set. It is never the one by which somebody logs in.
#[derive(Debug, Clone, Args)]
pub(crate) struct NewPasswordArgs {
    /// The new password. Other users of this machine may see it; prefer a file, or the environment
    /// variable `PORTCULLIS_NEW_PASSWORD`
    #[arg(long, value_name = "PASSWORD", value_parser = secret)]
    password: Option<SecretString>,

    /// Read the new password from the first line of a file, or of the standard input for `-`; goes
    /// before `PORTCULLIS_NEW_PASSWORD`
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    password_file: Option<PathBuf>,
}

/// Where the password comes from that holds so far.
#[derive(Debug, Clone, Args)]
pub(crate) struct CurrentPasswordArgs {
    /// Read the present password from the first line of a file, or of the standard input for `-`;
    /// goes before `PORTCULLIS_PASSWORD`
    #[arg(long, value_name = "FILE")]
    current_password_file: Option<PathBuf>,
}

impl PasswordArgs {
    /// Whether the arguments say where it is.
    pub(crate) fn is_given(&self) -> bool {
        self.password.is_some() || self.password_file.is_some()
    }

    /// The file that holds it, if it is to come from one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.password_file.as_deref()
    }

    /// Obtains the password; `is_new` has it asked for twice.
    pub(crate) fn obtain(&self, question: &str, is_new: bool) -> Result<SecretString, CliError> {
        match given(self.password.as_ref(), self.password_file.as_deref())? {
            Some(password) => Ok(password),
            None => {
                from_environment(VARIABLE)?.map_or_else(|| prompt::password(question, is_new), Ok)
            },
        }
    }
}

impl NewPasswordArgs {
    /// Whether the arguments say where it is.
    pub(crate) fn is_given(&self) -> bool {
        self.password.is_some() || self.password_file.is_some()
    }

    /// Whether it stands on the standard input.
    pub(crate) fn is_on_stdin(&self) -> bool {
        is_stdin(self.password_file.as_deref())
    }

    /// Obtains the password.
    pub(crate) fn obtain(&self, question: &str) -> Result<SecretString, CliError> {
        match given(self.password.as_ref(), self.password_file.as_deref())? {
            Some(password) => Ok(password),
            None => {
                from_environment(NEW_VARIABLE)?.map_or_else(|| prompt::password(question, true), Ok)
            },
        }
    }
}

impl CurrentPasswordArgs {
    /// Whether it stands on the standard input.
    pub(crate) fn is_on_stdin(&self) -> bool {
        is_stdin(self.current_password_file.as_deref())
    }

    /// Obtains the password.
    pub(crate) fn obtain(&self, question: &str) -> Result<SecretString, CliError> {
        match given(None, self.current_password_file.as_deref())? {
            Some(password) => Ok(password),
            None => {
                from_environment(VARIABLE)?.map_or_else(|| prompt::password(question, false), Ok)
            },
        }
    }
}

fn is_stdin(path: Option<&Path>) -> bool {
    path == Some(Path::new("-"))
}

/// The password of the arguments, if they say where it is.
fn given(
    password: Option<&SecretString>,
    file: Option<&Path>,
) -> Result<Option<SecretString>, CliError> {
    let Some(path) = file else {
        return Ok(password.cloned());
    };
    let text = Zeroizing::new(files::read_text(path)?);
    match first_line(&text) {
        Some(password) => Ok(Some(SecretString::from(password))),
        None => Err(CliError::usage(format!(
            "{} holds no password",
            path.display()
        ))),
    }
}

/// The password in a variable, if it is set.
fn from_environment(variable: &str) -> Result<Option<SecretString>, CliError> {
    match env::var(variable) {
        Ok(password) if !password.is_empty() => Ok(Some(SecretString::from(password))),
        // Set to nothing is how shells leave a variable out.
        Ok(_) | Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => {
            Err(CliError::usage(format!("{variable} does not hold text")))
        },
    }
}

#[expect(clippy::unnecessary_wraps, reason = "parsers of arguments may fail")]
fn secret(text: &str) -> Result<SecretString, Infallible> {
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
    fn first_line_is_the_password() {
        for (text, password) in [
            ("secret", Some("secret")),
            ("secret\n", Some("secret")),
            (" two words \r\nrest\n", Some(" two words ")),
            ("\nsecret", None),
            ("", None),
        ] {
            assert_eq!(first_line(text), password, "{text:?}");
        }
    }
}
