//! `portcullis transit-router update`.

use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::router::{RouterArgs, RouterFlagUpdateArgs};
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::transit_router::TransitRouterDetail;

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis transit-router update t1 --cost 100
  portcullis transit-router update t1 --disabled true      # locked out for now";

/// Update a transit router
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    target: NamedArgs<TransitRouterDetail>,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    switches: RouterFlagUpdateArgs,

    #[command(flatten)]
    router: RouterArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.switches == RouterFlagUpdateArgs::default()
            && self.router == RouterArgs::default()
            && self.tags.is_empty();
        entities::require_changes::<TransitRouterDetail>(is_nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let name = self.name.new_name;
        let members = self.router;
        let change = members
            .to_patch(&session.client, name, self.switches)
            .await?;
        entities::update::<TransitRouterDetail>(context, session, &self.target, change, &self.tags)
            .await
    }
}
