//! Where a password comes from.

use crate::error::CliError;
use crate::{files, prompt};
use clap::Args;
use secrecy::SecretString;
use std::convert::Infallible;
use std::env::{self, VarError};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Holds a password when no argument says where it is.
const VARIABLE: &str = "PORTCULLIS_PASSWORD";

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

impl PasswordArgs {
    /// Obtains the password; `is_new` has it asked for twice.
    pub(crate) fn obtain(&self, question: &str, is_new: bool) -> Result<SecretString, CliError> {
        if let Some(path) = &self.password_file {
            let text = Zeroizing::new(files::read_text(path)?);
            return first_line(&text)
                .map(SecretString::from)
                .ok_or_else(|| CliError::usage(format!("{} holds no password", path.display())));
        }
        if let Some(password) = &self.password {
            return Ok(password.clone());
        }
        match env::var(VARIABLE) {
            Ok(password) if !password.is_empty() => Ok(SecretString::from(password)),
            // Set to nothing is how shells leave a variable out.
            Ok(_) | Err(VarError::NotPresent) => prompt::password(question, is_new),
            Err(VarError::NotUnicode(_)) => {
                Err(CliError::usage(format!("{VARIABLE} does not hold text")))
            },
        }
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
