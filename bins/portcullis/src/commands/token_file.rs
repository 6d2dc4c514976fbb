//! Handing out enrollment tokens.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use crate::output::{self, Output};
use clap::Args;
use portcullis_domain::ids::EnrollmentId;
use secrecy::{ExposeSecret as _, SecretString};
use std::path::{Path, PathBuf};

/// Where the token of an enrollment goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct TokenArgs {
    /// Write the enrollment token to a new file, or the standard output for `-`
    #[arg(long, value_name = "FILE")]
    output_jwt: Option<PathBuf>,

    /// Replace the token file if it exists; a symbolic link is followed, and a
    /// pipe or a device is written into
    #[arg(long, requires = "output_jwt")]
    force: bool,
}

/// Room for a token: those of controllers are a fraction of this.
const ROOM: usize = 8 * 1024;

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
                "the token and the result cannot both go to the standard output",
            )
            .hint("the result already contains the token: leave `--output-jwt` out"));
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
            Some(path) => {
                let mut file = PrivateFile::prepare(path, existing)?;
                file.reserve(ROOM)?;
                Ok(Destination::File(file, path.clone()))
            },
        }
    }
}

impl Destination {
    /// Puts the token of the enrollment `id` there. The answer is whether the standard output is
    /// still free.
    pub(crate) fn deliver(
        self,
        token: Option<&SecretString>,
        id: Option<&EnrollmentId>,
    ) -> Result<bool, CliError> {
        if matches!(self, Self::Nowhere) {
            return Ok(true);
        }
        let missing = || {
            CliError::failed("the controller does not show the token of the enrollment").hint(
                "you need the permission enrollment.create or enrollment.update (router.update for a \
                 router's), and rank over its owner",
            )
        };
        let token = token.ok_or_else(missing)?.expose_secret();
        self.write(token).map_err(|error| match id {
            Some(id) => error.hint(format!(
                "get it again with `portcullis enrollment show {id} --output-jwt FILE`"
            )),
            None => error,
        })
    }

    fn write(self, token: &str) -> Result<bool, CliError> {
        match self {
            Self::Nowhere => Ok(true),
            Self::Stdout => {
                output::write(&format!("{token}\n"))?;
                Ok(false)
            },
            Self::File(file, path) => {
                file.finish(token.as_bytes())?;
                output::note(&format!("The token is in {}.", path.display()));
                Ok(true)
            },
        }
    }
}
