//! `portcullis identity`.

mod create;
mod delete;
mod disable;
mod identity_type;
mod list;
mod mfa_remove;
mod show;
mod state;
mod trace;
mod update;

use crate::commands::role_attributes::{self, RoleAttributesArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Subcommand;
use portcullis_api::identity::IdentityDetail;

/// Help footer of `identity`.
pub(crate) const EXAMPLES: &str = "\
Identities are given by name or id. If a text is both the name of one identity and the id of
another, write `id:TEXT` or `name:TEXT`.

Examples:
  portcullis identity create laptop --type device --output-jwt laptop.jwt
  portcullis identity list --filter 'name contains \"lap\"'
  portcullis identity show laptop";

const ROLE_ATTRIBUTES_EXAMPLES: &str = "\
In the filter, `id` is the attribute. Sorting and paging are possible there only.

Examples:
  portcullis identity role-attributes
  portcullis identity role-attributes --filter 'id contains \"sal\"'
  portcullis identity role-attributes --filter 'true limit 20' --output json";

/// Subcommands for identities.
#[derive(Debug, Subcommand)]
pub(crate) enum IdentityCommand {
    /// Create an identity
    Create(create::CreateArgs),
    /// List identities
    #[command(visible_alias = "ls")]
    List(list::ListArgs),
    /// List the role attributes of identities
    #[command(after_long_help = ROLE_ATTRIBUTES_EXAMPLES)]
    RoleAttributes(RoleAttributesArgs),
    /// Show an identity
    Show(show::ShowArgs),
    /// Update an identity
    Update(update::UpdateArgs),
    /// Disable an identity, for a limited time or until it is enabled
    Disable(disable::DisableArgs),
    /// Enable an identity
    Enable(disable::EnableArgs),
    /// Trace the traffic of an identity on the routers
    Trace(trace::TraceArgs),
    /// Remove the TOTP enrollments of identities that can no longer log in
    MfaRemove(mfa_remove::MfaRemoveArgs),
    /// Delete identities and everything that belongs to them
    #[command(visible_alias = "rm")]
    Delete(delete::DeleteArgs),
}

impl IdentityCommand {
    /// Rejects contradictory arguments.
    pub(crate) fn check(&self, output: Output) -> Result<(), CliError> {
        match self {
            Self::Create(arguments) => arguments.check(output),
            Self::Update(arguments) => arguments.check(),
            Self::List(_)
            | Self::RoleAttributes(_)
            | Self::Show(_)
            | Self::Disable(_)
            | Self::Enable(_)
            | Self::Trace(_)
            | Self::MfaRemove(_)
            | Self::Delete(_) => Ok(()),
        }
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: IdentityCommand,
) -> Result<(), CliError> {
    match command {
        IdentityCommand::Create(arguments) => create::run(context, session, arguments).await,
        IdentityCommand::List(arguments) => list::run(context, session, arguments).await,
        IdentityCommand::RoleAttributes(arguments) => {
            role_attributes::list::<IdentityDetail>(context, session, arguments).await
        },
        IdentityCommand::Show(arguments) => show::run(context, session, arguments).await,
        IdentityCommand::Update(arguments) => update::run(context, session, arguments).await,
        IdentityCommand::Disable(arguments) => disable::disable(context, session, arguments).await,
        IdentityCommand::Enable(arguments) => disable::enable(context, session, arguments).await,
        IdentityCommand::Trace(arguments) => trace::run(context, session, arguments).await,
        IdentityCommand::MfaRemove(arguments) => mfa_remove::run(context, session, arguments).await,
        IdentityCommand::Delete(arguments) => delete::run(context, session, arguments).await,
    }
}
