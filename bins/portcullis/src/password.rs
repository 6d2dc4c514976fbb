//! Where passwords come from.

use crate::error::CliError;
use crate::{prompt, source};
use clap::Args;
use secrecy::SecretString;
use std::path::{Path, PathBuf};

/// What a file is to hold, in messages.
const WHAT: &str = "password";

/// Holds one's own password when no argument says where it is.
const VARIABLE: &str = "PORTCULLIS_PASSWORD";

/// Holds a password that is to be set when no argument says where it is.
const NEW_VARIABLE: &str = "PORTCULLIS_NEW_PASSWORD";

/// Where a password comes from. Without any of these it is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct PasswordArgs {
    /// The password. Other users of this machine may see it; prefer a file, or the environment
    /// variable `PORTCULLIS_PASSWORD`
    #[arg(long, value_name = "PASSWORD", value_parser = source::secret)]
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
    #[arg(long, value_name = "PASSWORD", value_parser = source::secret)]
    password: Option<SecretString>,

    /// Read the new password from the first line of a file, or of the standard input for `-`; goes
    /// before `PORTCULLIS_NEW_PASSWORD`
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    password_file: Option<PathBuf>,
}

/// Where the password comes from that holds so far.
#[derive(Debug, Clone, Args)]
pub(crate) struct CurrentPasswordArgs {
    /// Read the current password from the first line of a file, or of the standard input for `-`;
    /// overrides `PORTCULLIS_PASSWORD`
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
        match source::given(self.password.as_ref(), self.password_file.as_deref(), WHAT)? {
            Some(password) => Ok(password),
            None => source::from_environment(VARIABLE)?
                .map_or_else(|| prompt::password(question, is_new), Ok),
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
        source::is_stdin(self.password_file.as_deref())
    }

    /// Obtains the password.
    pub(crate) fn obtain(&self, question: &str) -> Result<SecretString, CliError> {
        match source::given(self.password.as_ref(), self.password_file.as_deref(), WHAT)? {
            Some(password) => Ok(password),
            None => source::from_environment(NEW_VARIABLE)?
                .map_or_else(|| prompt::password(question, true), Ok),
        }
    }
}

impl CurrentPasswordArgs {
    /// Whether it stands on the standard input.
    pub(crate) fn is_on_stdin(&self) -> bool {
        source::is_stdin(self.current_password_file.as_deref())
    }

    /// Obtains the password.
    pub(crate) fn obtain(&self, question: &str) -> Result<SecretString, CliError> {
        match source::given(None, self.current_password_file.as_deref(), WHAT)? {
            Some(password) => Ok(password),
            None => source::from_environment(VARIABLE)?
                .map_or_else(|| prompt::password(question, false), Ok),
        }
    }
}
