//! `portcullis edge-router`.

mod create;
mod re_enroll;
mod show;
mod update;

use crate::commands::named_deletion::{self, NamedDeletionArgs};
use crate::commands::role_attributes::{self, RoleAttributesArgs};
use crate::commands::role_filter::RoleListArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;
use portcullis_api::edge_router::EdgeRouterDetail;

/// Help footer of `edge-router`.
pub(crate) const EXAMPLES: &str = "\
Clients connect to edge routers. Edge-router policies define which identities may use them, and
service-edge-router policies for which services.

Examples:
  portcullis edge-router create r1 --role-attributes public --output-jwt r1.jwt
  portcullis edge-router list
  portcullis edge-router re-enroll r1 --output-jwt r1.jwt";

const LIST_EXAMPLES: &str = "\
Examples:
  portcullis edge-router list --role public
  portcullis edge-router list --filter 'isVerified = false' --sort name --all";

const DELETE_EXAMPLES: &str = "\
A deleted router is locked out at once, and its terminators are deleted too. Deleting several, or
with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis edge-router delete r1
  portcullis edge-router delete --filter 'name contains \"test-\"' --dry-run";

const ROLE_ATTRIBUTES_EXAMPLES: &str = "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis edge-router role-attributes
  portcullis edge-router role-attributes --filter 'id contains \"sal\"'
  portcullis edge-router role-attributes --filter 'true limit 20' --output json";

/// Subcommands for edge routers.
#[derive(Debug, Subcommand)]
pub(crate) enum EdgeRouterCommand {
    /// Create an edge router and its enrollment token
    Create(create::CreateArgs),
    /// List edge routers
    #[command(visible_alias = "ls", after_long_help = LIST_EXAMPLES)]
    List(RoleListArgs),
    /// List the role attributes of edge routers
    #[command(after_long_help = ROLE_ATTRIBUTES_EXAMPLES)]
    RoleAttributes(RoleAttributesArgs),
    /// Show an edge router
    Show(show::ShowArgs),
    /// Update an edge router
    Update(update::UpdateArgs),
    /// Invalidate the certificate of an edge router and issue a new enrollment token
    ReEnroll(re_enroll::ReEnrollArgs),
    /// Delete edge routers
    #[command(visible_alias = "rm", after_long_help = DELETE_EXAMPLES)]
    Delete(NamedDeletionArgs),
}

impl EdgeRouterCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Create(arguments) => arguments.check(output),
            Self::Show(arguments) => arguments.check(output),
            Self::ReEnroll(arguments) => arguments.check(output),
            Self::Update(arguments) => arguments.check(),
            Self::List(_) | Self::RoleAttributes(_) | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: EdgeRouterCommand,
) -> Result<(), CliError> {
    match command {
        EdgeRouterCommand::Create(arguments) => create::run(context, session, arguments).await,
        EdgeRouterCommand::List(page) => page.list::<EdgeRouterDetail>(context, session).await,
        EdgeRouterCommand::RoleAttributes(arguments) => {
            role_attributes::list::<EdgeRouterDetail>(context, session, arguments).await
        },
        EdgeRouterCommand::Show(arguments) => show::run(context, session, arguments).await,
        EdgeRouterCommand::Update(arguments) => update::run(context, session, arguments).await,
        EdgeRouterCommand::ReEnroll(arguments) => re_enroll::run(context, session, arguments).await,
        EdgeRouterCommand::Delete(arguments) => {
            named_deletion::run::<EdgeRouterDetail>(context, session, &arguments).await
        },
    }
}
