//! Output of enrollment tokens.

use crate::commands::entities;
use crate::context::Context;
use crate::entity::Entity;
use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use crate::output::{self, Output};
use clap::Args;
use portcullis_client::Client;
use portcullis_domain::ids::EnrollmentId;
use secrecy::{ExposeSecret as _, SecretString};
use std::path::{Path, PathBuf};

/// Output of the enrollment token.
#[derive(Debug, Clone, Args)]
pub(crate) struct TokenArgs {
    /// Write the enrollment token to a new file, or standard output for `-`
    #[arg(long, value_name = "FILE")]
    output_jwt: Option<PathBuf>,

    /// Overwrite the token file if it exists; follows symbolic links, and writes to pipes and
    /// devices
    #[arg(long, requires = "output_jwt")]
    force: bool,
}

/// An entity that comes with an enrollment token.
pub(crate) trait Enrolling: Entity {
    /// The token, if the controller returned it.
    fn token(&self) -> Option<&SecretString>;

    /// The enrollment by which the token can be had again.
    fn enrollment_id(&self) -> Option<&EnrollmentId> {
        None
    }
}

/// Disk space to reserve, far more than a token needs.
const RESERVED_BYTES: usize = 8 * 1024;

/// A prepared destination of a token.
pub(crate) enum TokenDestination {
    /// Discards the token.
    Discard,
    /// Standard output, for the token alone.
    Stdout,
    File(PrivateFile, PathBuf),
}

impl TokenArgs {
    /// Whether to write the token.
    pub(crate) fn is_wanted(&self) -> bool {
        self.output_jwt.is_some()
    }

    /// Rejects writing both token and result to standard output.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        if output.is_machine_readable() && self.goes_to_stdout() {
            return Err(CliError::usage(
                "the token and the result cannot both go to standard output",
            )
            .hint("the result already contains the token: remove `--output-jwt`"));
        }
        Ok(())
    }

    fn goes_to_stdout(&self) -> bool {
        self.output_jwt.as_deref() == Some(Path::new("-"))
    }

    /// Prepares the destination, so that an unwritable file is noticed before any request.
    pub(crate) fn prepare(&self) -> Result<TokenDestination, CliError> {
        let existing = Existing::with_force(self.force);
        match &self.output_jwt {
            None => Ok(TokenDestination::Discard),
            Some(_) if self.goes_to_stdout() => Ok(TokenDestination::Stdout),
            Some(path) => {
                let mut file = PrivateFile::prepare(path, existing)?;
                file.reserve(RESERVED_BYTES)?;
                Ok(TokenDestination::File(file, path.clone()))
            },
        }
    }
}

impl TokenDestination {
    /// Whether the token is not asked for, so that it has to be fetched later.
    pub(crate) fn is_discarded(&self) -> bool {
        matches!(self, Self::Discard)
    }

    /// Writes the token of the enrollment `id`. Returns whether standard output may still be used.
    pub(crate) fn deliver(
        self,
        token: Option<&SecretString>,
        id: Option<&EnrollmentId>,
    ) -> Result<bool, CliError> {
        if self.is_discarded() {
            return Ok(true);
        }
        let missing = || {
            CliError::failed("the controller did not return the enrollment token").hint(
                "you need the permission enrollment.create or enrollment.update (router.update for \
                 routers), and rank over its owner",
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
            Self::Discard => Ok(true),
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

/// Writes the token of an entity, if requested, and shows the entity with the command that probably
/// follows.
pub(crate) async fn deliver_and_show<E: Enrolling>(
    context: &Context,
    client: &Client,
    destination: TokenDestination,
    found: &E,
    next: Option<String>,
) -> Result<(), CliError> {
    if destination.deliver(found.token(), found.enrollment_id())? {
        entities::show_entity_and_next(context, client, found, next).await?;
    }
    Ok(())
}
