//! Handing out enrollment tokens.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use crate::output::{self, Output};
use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use std::path::{Path, PathBuf};

/// Where the token of an enrollment goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct TokenArgs {
    /// Write the token for `portcullis enroll` to a new file, or the standard output for `-`
    #[arg(long, value_name = "FILE")]
    output_jwt: Option<PathBuf>,

    /// Replace the file of the token if it is there already
    #[arg(long, requires = "output_jwt")]
    force: bool,
}

/// A place for a token, prepared.
pub(crate) enum Destination {
    /// The token is not wanted.
    Nowhere,
    /// The standard output, which then holds nothing else.
    Stdout,
    /// A file.
    File(PrivateFile, PathBuf),
}

impl TokenArgs {
    /// Whether the token is wanted.
    pub(crate) fn is_wanted(&self) -> bool {
        self.output_jwt.is_some()
    }

    /// Refuses what would put two things on the standard output.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        if output.is_for_programs() && self.goes_to_stdout() {
            return Err(CliError::usage(
                "the standard output takes the token or a document, not both",
            )
            .hint("the document holds the token already: leave `--output-jwt` out"));
        }
        Ok(())
    }

    fn goes_to_stdout(&self) -> bool {
        self.output_jwt.as_deref() == Some(Path::new("-"))
    }

    /// Prepares the place, so that a file that cannot be written is noticed before anything is done.
    pub(crate) fn prepare(&self) -> Result<Destination, CliError> {
        let existing = if self.force {
            Existing::Replace
        } else {
            Existing::Keep
        };
        match &self.output_jwt {
            None => Ok(Destination::Nowhere),
            Some(_) if self.goes_to_stdout() => Ok(Destination::Stdout),
            Some(path) => Ok(Destination::File(
                PrivateFile::prepare(path, existing)?,
                path.clone(),
            )),
        }
    }
}

impl Destination {
    /// Puts the token there. The answer is whether the standard output is still free.
    pub(crate) fn deliver(self, token: Option<&SecretString>) -> Result<bool, CliError> {
        let missing = || CliError::failed("the controller gave no token for the enrollment");
        match self {
            Self::Nowhere => Ok(true),
            Self::Stdout => {
                let token = token.ok_or_else(missing)?.expose_secret();
                output::write(&format!("{token}\n"))?;
                Ok(false)
            },
            Self::File(file, path) => {
                file.finish(token.ok_or_else(missing)?.expose_secret().as_bytes())?;
                output::note(&format!("The token is in {}.", path.display()));
                Ok(true)
            },
        }
    }
}
