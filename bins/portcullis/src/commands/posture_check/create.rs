//! `portcullis posture-check create`.

use super::domain::DomainArgs;
use super::mac::MacArgs;
use super::mfa::MfaArgs;
use super::os::OsArgs;
use super::process::{ProcessArgs, ProcessMultiArgs};
use super::question::Question;
use crate::commands::attributes::AttributesArgs;
use crate::error::CliError;
use clap::{Args, Subcommand};
use portcullis_api::posture_check::PostureCheckBody;
use portcullis_domain::tags::Tags;

/// Which type of posture checks to create.
#[derive(Debug, Subcommand)]
pub(crate) enum CreateCommand {
    /// Require an operating system
    #[command(after_long_help = OsArgs::CREATE)]
    Os(CreateArgs<OsArgs>),
    /// Require a network card, by its MAC address
    #[command(after_long_help = MacArgs::CREATE)]
    Mac(CreateArgs<MacArgs>),
    /// Require that the machine belongs to a Windows domain
    #[command(after_long_help = DomainArgs::CREATE)]
    Domain(CreateArgs<DomainArgs>),
    /// Require that a process runs
    #[command(after_long_help = ProcessArgs::CREATE)]
    Process(CreateArgs<ProcessArgs>),
    /// Require that several processes run, or one of them
    #[command(after_long_help = ProcessMultiArgs::CREATE)]
    ProcessMulti(CreateArgs<ProcessMultiArgs>),
    /// Require a code of an authenticator app (TOTP)
    #[command(after_long_help = MfaArgs::CREATE)]
    Mfa(CreateArgs<MfaArgs>),
}

/// Arguments of `posture-check create` for a type.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs<Q: Question> {
    /// Name of the posture check; no other has it
    name: String,

    #[command(flatten)]
    attributes: AttributesArgs,

    #[command(flatten)]
    question: Q,
}

impl CreateCommand {
    /// The new check.
    pub(super) fn body(&self) -> Result<PostureCheckBody, CliError> {
        match self {
            Self::Os(arguments) => arguments.body(),
            Self::Mac(arguments) => arguments.body(),
            Self::Domain(arguments) => arguments.body(),
            Self::Process(arguments) => arguments.body(),
            Self::ProcessMulti(arguments) => arguments.body(),
            Self::Mfa(arguments) => arguments.body(),
        }
    }
}

impl<Q: Question> CreateArgs<Q> {
    fn body(&self) -> Result<PostureCheckBody, CliError> {
        let check = self.question.check()?.ok_or_else(|| {
            CliError::usage("the requirement of the posture check is missing")
                .hint(format!("give it with `{}`", Q::HOW))
        })?;
        Ok(PostureCheckBody {
            name: self.name.clone(),
            role_attributes: self.attributes.read()?.unwrap_or_default(),
            tags: Tags::default(),
            check,
        })
    }
}
