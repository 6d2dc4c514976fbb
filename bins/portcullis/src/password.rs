//! Password sources.

use crate::error::CliError;
use crate::{prompt, secret_source};
use clap::Args;
use secrecy::SecretString;
use std::path::{Path, PathBuf};

/// Noun for the secret in error messages.
const SECRET_NAME: &str = "password";

/// Environment variable for the user's own password.
const ENV_VAR: &str = "PORTCULLIS_PASSWORD";

/// Environment variable for a new password.
const NEW_ENV_VAR: &str = "PORTCULLIS_NEW_PASSWORD";

/// Password source; prompts by default.
#[derive(Debug, Clone, Args)]
pub(crate) struct PasswordArgs {
    /// Password. Visible to other users of this machine: prefer a file or the environment variable
    /// `PORTCULLIS_PASSWORD`
    #[arg(long, value_name = "PASSWORD", value_parser = secret_source::parse_secret)]
    password: Option<SecretString>,

    /// Read the password from the first line of a file, or standard input for `-`; overrides
    /// `PORTCULLIS_PASSWORD`
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    password_file: Option<PathBuf>,
}

/// Source of a new password, never that of the password to log in with.
#[derive(Debug, Clone, Args)]
pub(crate) struct NewPasswordArgs {
    /// New password. Visible to other users of this machine: prefer a file or the environment
    /// variable `PORTCULLIS_NEW_PASSWORD`
    #[arg(long, value_name = "PASSWORD", value_parser = secret_source::parse_secret)]
    password: Option<SecretString>,

    /// Read the new password from the first line of a file, or standard input for `-`; overrides
    /// `PORTCULLIS_NEW_PASSWORD`
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    password_file: Option<PathBuf>,
}

/// Source of the current password.
#[derive(Debug, Clone, Args)]
pub(crate) struct CurrentPasswordArgs {
    /// Read the current password from the first line of a file, or standard input for `-`;
    /// overrides `PORTCULLIS_PASSWORD`
    #[arg(long, value_name = "FILE")]
    current_password_file: Option<PathBuf>,
}

impl PasswordArgs {
    /// Whether an argument provides it.
    pub(crate) fn is_given(&self) -> bool {
        self.password.is_some() || self.password_file.is_some()
    }

    /// The file to read it from, if any.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.password_file.as_deref()
    }

    /// Reads the password, or prompts for it, twice if `is_new`.
    pub(crate) fn read_or_prompt(
        &self,
        question: &str,
        is_new: bool,
    ) -> Result<SecretString, CliError> {
        let given = secret_source::read_from_args(
            self.password.as_ref(),
            self.password_file.as_deref(),
            SECRET_NAME,
        )?;
        given_or_prompt(given, ENV_VAR, question, is_new)
    }
}

impl NewPasswordArgs {
    /// Whether an argument provides it.
    pub(crate) fn is_given(&self) -> bool {
        self.password.is_some() || self.password_file.is_some()
    }

    /// Whether it is read from standard input.
    pub(crate) fn reads_stdin(&self) -> bool {
        secret_source::is_stdin(self.password_file.as_deref())
    }

    pub(crate) fn read_or_prompt(&self, question: &str) -> Result<SecretString, CliError> {
        let given = secret_source::read_from_args(
            self.password.as_ref(),
            self.password_file.as_deref(),
            SECRET_NAME,
        )?;
        given_or_prompt(given, NEW_ENV_VAR, question, true)
    }
}

impl CurrentPasswordArgs {
    /// Whether it is read from standard input.
    pub(crate) fn reads_stdin(&self) -> bool {
        secret_source::is_stdin(self.current_password_file.as_deref())
    }

    pub(crate) fn read_or_prompt(&self, question: &str) -> Result<SecretString, CliError> {
        let given = secret_source::read_from_args(
            None,
            self.current_password_file.as_deref(),
            SECRET_NAME,
        )?;
        given_or_prompt(given, ENV_VAR, question, false)
    }
}

/// A password that arguments give, else that of an environment variable or of a prompt.
fn given_or_prompt(
    given: Option<SecretString>,
    variable: &str,
    question: &str,
    is_new: bool,
) -> Result<SecretString, CliError> {
    match given {
        Some(password) => Ok(password),
        None => secret_source::read_from_env(variable)?
            .map_or_else(|| prompt::password(question, is_new), Ok),
    }
}
