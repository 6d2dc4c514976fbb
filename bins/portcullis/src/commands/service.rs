//! `portcullis service`.

mod create;
mod members;
mod show;
mod update;

use crate::commands::by_role::RolePageArgs;
use crate::commands::entities::{self, NamedArgs};
use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::role_attributes::{self, RoleAttributesArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Subcommand;
use portcullis_api::service::ServiceDetail;

/// Shown below the help of `service`.
pub(crate) const EXAMPLES: &str = "\
A service is what identities connect to. Service policies say who may dial it and who may bind it,
that is offer it.

Examples:
  portcullis service create wiki --role-attributes intranet --configs wiki-host,wiki-intercept
  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'
  portcullis policy-advisor services wiki";

const LIST: &str = "\
Examples:
  portcullis service list --role intranet
  portcullis service list --filter 'terminatorStrategy = \"random\"' --sort name --all";

const SHOW: &str = "\
Examples:
  portcullis service show wiki
  portcullis service show wiki --output json | jq .configs";

const DELETE: &str = "\
Its terminators are deleted with it. Several services, and what a filter matches, are deleted only
after a question, or with --yes.

Examples:
  portcullis service delete wiki
  portcullis service delete --filter 'name contains \"test-\"' --dry-run";

const ROLE_ATTRIBUTES: &str = "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis service role-attributes
  portcullis service role-attributes --filter 'id contains \"sal\"'
  portcullis service role-attributes --filter 'true limit 20' --output json";

/// What to do with services.
#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Create a service
    Create(create::CreateArgs),
    /// List services
    #[command(visible_alias = "ls", after_long_help = LIST)]
    List(RolePageArgs),
    /// List the role attributes that services have
    #[command(after_long_help = ROLE_ATTRIBUTES)]
    RoleAttributes(RoleAttributesArgs),
    /// Show a service
    #[command(after_long_help = SHOW)]
    Show(NamedArgs),
    /// Change a service
    Update(update::UpdateArgs),
    /// Delete services with their terminators
    #[command(visible_alias = "rm", after_long_help = DELETE)]
    Delete(NamedDeletionArgs),
}

impl ServiceCommand {
    /// Refuses arguments that make no sense together.
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
