//! `portcullis transit-router update`.

use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::router::{RouterArgs, RouterFlagUpdateArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::transit_router::TransitRouterDetail;

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis transit-router update t1 --cost 100
  portcullis transit-router update t1 --disabled true      # locked out for now";

/// Arguments of `transit-router update`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    target: NamedArgs,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    switches: RouterFlagUpdateArgs,

    #[command(flatten)]
    router: RouterArgs,
}

impl UpdateArgs {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.switches == RouterFlagUpdateArgs::default()
            && self.router == RouterArgs::default();
        entities::require_changes::<TransitRouterDetail>(is_nothing)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs,
) -> Result<(), CliError> {
    let name = arguments.name.new_name;
    let members = arguments.router;
    let change = members
        .to_patch(&session.client, name, arguments.switches)
        .await?;
    entities::update::<TransitRouterDetail>(context, session, &arguments.target, &change).await
}
