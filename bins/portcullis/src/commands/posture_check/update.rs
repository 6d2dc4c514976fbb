//! `portcullis posture-check update`.

use super::domain::DomainArgs;
use super::mac::MacArgs;
use super::mfa::MfaArgs;
use super::os::OsArgs;
use super::process::{ProcessArgs, ProcessMultiArgs};
use super::requirement::{Requirement, type_name};
use crate::commands::attributes::{AttributesArgs, completed_from};
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::{Args, Subcommand};
use portcullis_api::posture_check::{PostureCheckDetail, PostureCheckPatch};

const EXAMPLES: &str = "\
Only the given options are changed; a list is replaced as a whole. The type cannot be changed.

Examples:
  portcullis posture-check update os current --os 'Windows:>=10.0.22000' --os macOS
  portcullis posture-check update mfa recent-code --good-for 1h
  portcullis posture-check update domain office --name berlin --role-attributes ''";

/// Update a posture check
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TypedUpdateArgs {
    #[command(subcommand)]
    pub(super) command: UpdateCommand,
}

/// Subcommands for the types of posture checks.
#[derive(Debug, Subcommand)]
pub(crate) enum UpdateCommand {
    /// Update a check of the operating system
    #[command(after_long_help = OsArgs::UPDATE_EXAMPLES)]
    Os(UpdateArgs<OsArgs>),
    /// Update a check of network cards
    #[command(after_long_help = MacArgs::UPDATE_EXAMPLES)]
    Mac(UpdateArgs<MacArgs>),
    /// Update a check of the Windows domain
    #[command(after_long_help = DomainArgs::UPDATE_EXAMPLES)]
    Domain(UpdateArgs<DomainArgs>),
    /// Update a check of a process
    #[command(after_long_help = ProcessArgs::UPDATE_EXAMPLES)]
    Process(UpdateArgs<ProcessArgs>),
    /// Update a check of several processes
    #[command(after_long_help = ProcessMultiArgs::UPDATE_EXAMPLES)]
    ProcessMulti(UpdateArgs<ProcessMultiArgs>),
    /// Update a check of TOTP codes
    #[command(after_long_help = MfaArgs::UPDATE_EXAMPLES)]
    Mfa(UpdateArgs<MfaArgs>),
}

/// Arguments of `posture-check update` for a type.
#[derive(Debug, Args)]
#[command(mut_arg("role_attributes", completed_from::<PostureCheckDetail>))]
pub(crate) struct UpdateArgs<Q: Requirement> {
    #[command(flatten)]
    target: NamedArgs<PostureCheckDetail>,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    attributes: AttributesArgs,

    #[command(flatten)]
    requirement: Q,

    #[command(flatten)]
    tags: TagChangesArgs,
}

/// What is changed of which check.
pub(super) struct Change<'a> {
    target: &'a NamedArgs<PostureCheckDetail>,
    tags: &'a TagChangesArgs,
    pub(super) patch: PostureCheckPatch,
}

impl UpdateCommand {
    pub(super) fn change(&self) -> Result<Change<'_>, CliError> {
        match self {
            Self::Os(arguments) => arguments.change(),
            Self::Mac(arguments) => arguments.change(),
            Self::Domain(arguments) => arguments.change(),
            Self::Process(arguments) => arguments.change(),
            Self::ProcessMulti(arguments) => arguments.change(),
            Self::Mfa(arguments) => arguments.change(),
        }
    }
}

impl<Q: Requirement> UpdateArgs<Q> {
    fn change(&self) -> Result<Change<'_>, CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.attributes == AttributesArgs::default()
            && self.requirement == Q::default()
            && self.tags.is_empty();
        entities::require_changes::<PostureCheckDetail>(is_nothing)?;
        let patch = PostureCheckPatch {
            name: self.name.new_name.clone(),
            role_attributes: self.attributes.parse()?,
            tags: None,
            check: self.requirement.to_patch()?,
        };
        Ok(Change {
            target: &self.target,
            tags: &self.tags,
            patch,
        })
    }
}

impl Verb for TypedUpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        self.command.change().map(drop)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let Change {
            target,
            tags,
            patch,
        } = self.command.change()?;
        let client = &session.client;
        let found: PostureCheckDetail = resolve::by_id_or_name(client, &target.text).await?;
        let kind = type_name(found.check.kind());
        if found.check.kind() != patch.check.check_type() {
            let name = &found.name;
            let requested = type_name(patch.check.check_type());
            return Err(CliError::failed(format!(
                "`{name}` is a check of type {kind}, not {requested}"
            ))
            .hint(format!(
                "run `portcullis posture-check update {kind} {name}`"
            )));
        }
        entities::patch(context, session, &found, patch, tags).await
    }
}
