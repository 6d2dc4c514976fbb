//! `portcullis posture-check`.

mod create;
mod domain;
mod mac;
mod mfa;
mod os;
mod process;
mod requirement;
mod show;
#[cfg(test)]
mod tests;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::pagination::PageArgs;
use crate::commands::role_attributes::{self, RoleAttributesArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use create::CreateCommand;
use portcullis_api::posture_check::PostureCheckDetail;
use update::UpdateCommand;

/// Help footer of `posture-check`.
pub(crate) const EXAMPLES: &str = "\
A posture check is a requirement on a device or its user. Service policies select checks: the access
that a policy grants is available while all of its checks pass. If several policies grant a service,
one of them is enough.

Examples:
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os macOS -a desktop
  portcullis posture-check create mfa recent-code --good-for 15m
  portcullis service-policy create staff dial --posture-check-roles '#desktop,@recent-code' \\
      --service-roles '#intranet' --identity-roles '#staff'";

const CREATE_EXAMPLES: &str = "\
Examples:
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os macOS,Linux
  portcullis posture-check create mfa recent-code --good-for 15m --after-waking true
  portcullis posture-check create process-multi guarded \\
      --process Linux:/usr/sbin/clamd --process 'Windows:C:\\Program Files\\guard.exe'";

const LIST_EXAMPLES: &str = "\
Examples:
  portcullis posture-check list --sort name --all
  portcullis posture-check list --filter 'typeId = \"MFA\"'
  portcullis posture-check list --filter 'anyOf(roleAttributes) = \"desktop\"'";

const ROLE_ATTRIBUTES_EXAMPLES: &str = "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis posture-check role-attributes
  portcullis posture-check role-attributes --filter 'id contains \"desk\"'";

const SHOW_EXAMPLES: &str = "\
Examples:
  portcullis posture-check show current
  portcullis posture-check show current --output json | jq .operatingSystems";

const UPDATE_EXAMPLES: &str = "\
Only the given options are changed; a list is replaced as a whole. The type cannot be changed.

Examples:
  portcullis posture-check update os current --os 'Windows:>=10.0.22000' --os macOS
  portcullis posture-check update mfa recent-code --good-for 1h
  portcullis posture-check update domain office --name berlin --role-attributes ''";

const DELETE_EXAMPLES: &str = "\
Policies stop requiring deleted checks: those without other checks then grant access to every
device. Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis posture-check delete current
  portcullis posture-check delete --filter 'name contains \"test-\"' --dry-run";

/// Subcommands for posture checks.
#[derive(Debug, Subcommand)]
pub(crate) enum PostureCheckCommand {
    /// Create a posture check
    #[command(subcommand, after_long_help = CREATE_EXAMPLES)]
    Create(CreateCommand),
    /// List posture checks
    #[command(visible_alias = "ls", after_long_help = LIST_EXAMPLES)]
    List(PageArgs),
    /// List the role attributes of posture checks
    #[command(after_long_help = ROLE_ATTRIBUTES_EXAMPLES)]
    RoleAttributes(RoleAttributesArgs),
    /// Show a posture check
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show(NamedArgs),
    /// Update a posture check
    #[command(subcommand, after_long_help = UPDATE_EXAMPLES)]
    Update(UpdateCommand),
    /// Delete posture checks
    #[command(visible_alias = "rm", after_long_help = DELETE_EXAMPLES)]
    Delete(NamedDeletionArgs),
}

impl PostureCheckCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self {
            Self::Create(command) => command.body().map(drop),
            Self::Update(command) => command.check(),
            Self::List(_) | Self::RoleAttributes(_) | Self::Show(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: PostureCheckCommand,
) -> Result<(), CliError> {
    match command {
        PostureCheckCommand::Create(command) => {
            entities::create::<PostureCheckDetail>(context, session, &command.body()?).await
        },
        PostureCheckCommand::List(page) => {
            entities::list::<PostureCheckDetail>(context, session, page).await
        },
        PostureCheckCommand::RoleAttributes(arguments) => {
            role_attributes::list::<PostureCheckDetail>(context, session, arguments).await
        },
        PostureCheckCommand::Show(arguments) => {
            entities::show::<PostureCheckDetail>(context, session, &arguments).await
        },
        PostureCheckCommand::Update(command) => update::run(context, session, &command).await,
        PostureCheckCommand::Delete(arguments) => {
            named_deletion::run::<PostureCheckDetail>(context, session, &arguments).await
        },
    }
}
