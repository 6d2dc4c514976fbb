//! `portcullis service`.

mod args;
mod create;
mod show;
mod update;

use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::role_attributes::{self, RoleAttributesArgs};
use crate::commands::role_filter::RoleListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use portcullis_api::service::ServiceDetail;

/// Help footer of `service`.
pub(crate) const EXAMPLES: &str = "\
Identities connect to services. Service policies define which identities may dial a service (connect
to it) and which may bind it (host it).

Examples:
  portcullis service create wiki --role-attributes intranet --configs wiki-host,wiki-intercept
  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'
  portcullis policy-advisor services wiki";

const LIST_EXAMPLES: &str = "\
Examples:
  portcullis service list --role intranet
  portcullis service list --filter 'terminatorStrategy = \"random\"' --sort name --all";

const SHOW_EXAMPLES: &str = "\
Examples:
  portcullis service show wiki
  portcullis service show wiki --output json | jq .configs";

const DELETE_EXAMPLES: &str = "\
The terminators of a service are deleted too. Deleting several, or with --filter, asks for
confirmation unless --yes is given.

Examples:
  portcullis service delete wiki
  portcullis service delete --filter 'name contains \"test-\"' --dry-run";

const ROLE_ATTRIBUTES_EXAMPLES: &str = "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis service role-attributes
  portcullis service role-attributes --filter 'id contains \"sal\"'
  portcullis service role-attributes --filter 'true limit 20' --output json";

/// Subcommands for services.
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Create a service
    Create(create::CreateArgs),
    /// List services
    #[command(visible_alias = "ls", after_long_help = LIST_EXAMPLES)]
    List(RoleListArgs),
    /// List the role attributes of services
    #[command(after_long_help = ROLE_ATTRIBUTES_EXAMPLES)]
    RoleAttributes(RoleAttributesArgs),
    /// Show a service
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show(NamedArgs),
    /// Update a service
    Update(update::UpdateArgs),
    /// Delete services and their terminators
    #[command(visible_alias = "rm", after_long_help = DELETE_EXAMPLES)]
    Delete(NamedDeletionArgs),
}

impl ServiceCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        match self {
            Self::Update(arguments) => arguments.check(),
            Self::Create(_)
            | Self::List(_)
            | Self::RoleAttributes(_)
            | Self::Show(_)
            | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: ServiceCommand,
) -> Result<(), CliError> {
    match command {
        ServiceCommand::Create(arguments) => create::run(context, session, arguments).await,
        ServiceCommand::List(page) => page.list::<ServiceDetail>(context, session).await,
        ServiceCommand::RoleAttributes(arguments) => {
            role_attributes::list::<ServiceDetail>(context, session, arguments).await
        },
        ServiceCommand::Show(arguments) => {
            entities::show::<ServiceDetail>(context, session, &arguments).await
        },
        ServiceCommand::Update(arguments) => update::run(context, session, arguments).await,
        ServiceCommand::Delete(arguments) => {
            named_deletion::run::<ServiceDetail>(context, session, &arguments).await
        },
    }
}
