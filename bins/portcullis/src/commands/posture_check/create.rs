//! `portcullis posture-check create`.

use super::domain::DomainArgs;
use super::mac::MacArgs;
use super::mfa::MfaArgs;
use super::os::OsArgs;
use super::process::{ProcessArgs, ProcessMultiArgs};
use super::requirement::Requirement;
use crate::commands::attributes::{AttributesArgs, completed_from};
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};
use portcullis_api::posture_check::{PostureCheckCreate, PostureCheckDetail};

const EXAMPLES: &str = "\
Examples:
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os macOS,Linux
  portcullis posture-check create mfa recent-code --good-for 15m --after-waking true
  portcullis posture-check create process-multi guarded \\
      --process Linux:/usr/sbin/clamd --process 'Windows:C:\\Program Files\\guard.exe'";

/// Create a posture check
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TypedCreateArgs {
    #[command(subcommand)]
    pub(super) command: CreateCommand,
}

impl Verb for TypedCreateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        self.command.body().map(drop)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        entities::create::<PostureCheckDetail>(context, session, &self.command.body()?).await
    }
}

/// Subcommands for the types of posture checks.
#[derive(Debug, Subcommand)]
pub(crate) enum CreateCommand {
    /// Require an operating system
    #[command(after_long_help = OsArgs::CREATE_EXAMPLES)]
    Os(CreateArgs<OsArgs>),
    /// Require a network card, identified by its MAC address
    #[command(after_long_help = MacArgs::CREATE_EXAMPLES)]
    Mac(CreateArgs<MacArgs>),
    /// Require membership in a Windows domain
    #[command(after_long_help = DomainArgs::CREATE_EXAMPLES)]
    Domain(CreateArgs<DomainArgs>),
    /// Require a running process
    #[command(after_long_help = ProcessArgs::CREATE_EXAMPLES)]
    Process(CreateArgs<ProcessArgs>),
    /// Require all or any of several running processes
    #[command(after_long_help = ProcessMultiArgs::CREATE_EXAMPLES)]
    ProcessMulti(CreateArgs<ProcessMultiArgs>),
    /// Require a TOTP code from an authenticator app
    #[command(after_long_help = MfaArgs::CREATE_EXAMPLES)]
    Mfa(CreateArgs<MfaArgs>),
}

/// Arguments of `posture-check create` for a type.
#[derive(Debug, Args)]
#[command(mut_arg("role_attributes", completed_from::<PostureCheckDetail>))]
pub(crate) struct CreateArgs<Q: Requirement> {
    /// Name of the posture check; must be unique
    name: String,

    #[command(flatten)]
    attributes: AttributesArgs,

    #[command(flatten)]
    requirement: Q,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl CreateCommand {
    /// Builds the request.
    pub(super) fn body(&self) -> Result<PostureCheckCreate, CliError> {
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

impl<Q: Requirement> CreateArgs<Q> {
    fn body(&self) -> Result<PostureCheckCreate, CliError> {
        let check = self.requirement.to_check()?.ok_or_else(|| {
            CliError::usage("the requirement of the posture check is missing")
                .hint(format!("pass it with `{}`", Q::USAGE_HINT))
        })?;
        Ok(PostureCheckCreate {
            name: self.name.clone(),
            role_attributes: self.attributes.parse()?.unwrap_or_default(),
            tags: self.tags.to_tags(),
            check,
        })
    }
}
