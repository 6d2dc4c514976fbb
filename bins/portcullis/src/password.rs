//! Password sources.

use crate::error::CliError;
use crate::{prompt, secret_source};
use clap::Args;
use secrecy::SecretString;
use std::path::{Path, PathBuf};

/// Noun for the secret in error messages.
const SECRET_NAME: &str = "password";

/// Where a password comes from unless it is asked for.
#[derive(Debug, Clone, Copy)]
struct Sources {
    option: &'static str,
    variable: &'static str,
}

/// Sources of the user's own password.
const OWN: Sources = Sources {
    option: "--password-file",
    variable: "PORTCULLIS_PASSWORD",
};

/// Sources of the user's own password, beside a new one.
const CURRENT: Sources = Sources {
    option: "--current-password-file",
    ..OWN
};

/// Sources of a new password.
const NEW: Sources = Sources {
    variable: "PORTCULLIS_NEW_PASSWORD",
    ..OWN
};

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

    /// Whether it comes from a prompt.
    pub(crate) fn is_asked_for(&self) -> bool {
        !self.is_given() && !secret_source::is_env_set(OWN.variable)
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
        given_or_prompt(given, OWN, question, is_new)
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
        given_or_prompt(given, NEW, question, true)
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
        given_or_prompt(given, CURRENT, question, false)
    }
}

/// A password that arguments give, else that of the environment variable or of a prompt.
fn given_or_prompt(
    given: Option<SecretString>,
    sources: Sources,
    question: &str,
    is_new: bool,
) -> Result<SecretString, CliError> {
    let Sources { option, variable } = sources;
    let known = match given {
        Some(password) => Some(password),
        None => secret_source::read_from_env(variable)?,
    };
    known.map_or_else(
        || {
            let hint =
                format!("pass `{option} FILE` (`-` for standard input), or set `{variable}`");
            prompt::password(question, is_new, &hint)
        },
        Ok,
    )
}
