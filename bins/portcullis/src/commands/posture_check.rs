//! `portcullis posture-check`.

mod create;
mod domain;
mod mac;
mod mfa;
mod os;
mod process;
mod question;
mod show;
#[cfg(test)]
mod tests;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::page::PageArgs;
use crate::commands::role_attributes::{self, RoleAttributesArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use create::CreateCommand;
use portcullis_api::posture_check::PostureCheckDetail;
use update::UpdateCommand;

/// Shown below the help of `posture-check`.
pub(crate) const EXAMPLES: &str = "\
A posture check requires something of a machine or its user. Service policies name checks:
what such a policy grants is available as long as all of its checks pass. A service that
several policies grant is available through any of them.

Examples:
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os macOS -a desktop
  portcullis posture-check create mfa recent-code --good-for 15m
  portcullis service-policy create staff dial --posture-check-roles '#desktop,@recent-code' \\
      --service-roles '#intranet' --identity-roles '#staff'";

const CREATE: &str = "\
Examples:
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os macOS,Linux
  portcullis posture-check create mfa recent-code --good-for 15m --after-waking true
  portcullis posture-check create process-multi guarded \\
      --process Linux:/usr/sbin/clamd --process 'Windows:C:\\Program Files\\guard.exe'";

const LIST: &str = "\
Examples:
  portcullis posture-check list --sort name --all
  portcullis posture-check list --filter 'typeId = \"MFA\"'
  portcullis posture-check list --filter 'anyOf(roleAttributes) = \"desktop\"'";

const ROLE_ATTRIBUTES: &str = "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis posture-check role-attributes
  portcullis posture-check role-attributes --filter 'id contains \"desk\"'";

const SHOW: &str = "\
Examples:
  portcullis posture-check show current
  portcullis posture-check show current --output json | jq .operatingSystems";

const UPDATE: &str = "\
What is not given stays unchanged; a list is replaced as a whole. The type cannot be changed.

Examples:
  portcullis posture-check update os current --os 'Windows:>=10.0.22000' --os macOS
  portcullis posture-check update mfa recent-code --good-for 1h
  portcullis posture-check update domain office --name berlin --role-attributes ''";

const DELETE: &str = "\
Policies no longer require it, and those that name no other check then grant access to every
machine. Several checks, and what a filter finds, are deleted only after a question, or with
--yes.

Examples:
  portcullis posture-check delete current
  portcullis posture-check delete --filter 'name contains \"test-\"' --dry-run";

/// What to do with posture checks.
#[derive(Debug, Subcommand)]
pub(crate) enum PostureCheckCommand {
    /// Create a posture check
    #[command(subcommand, after_long_help = CREATE)]
    Create(CreateCommand),
    /// List posture checks
    #[command(visible_alias = "ls", after_long_help = LIST)]
    List(PageArgs),
    /// List the role attributes that posture checks have
    #[command(after_long_help = ROLE_ATTRIBUTES)]
    RoleAttributes(RoleAttributesArgs),
    /// Show a posture check
    #[command(after_long_help = SHOW)]
    Show(NamedArgs),
    /// Change a posture check
    #[command(subcommand, after_long_help = UPDATE)]
    Update(UpdateCommand),
    /// Delete posture checks
    #[command(visible_alias = "rm", after_long_help = DELETE)]
    Delete(NamedDeletionArgs),
}

impl PostureCheckCommand {
    /// Refuses arguments that make no sense together.
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
