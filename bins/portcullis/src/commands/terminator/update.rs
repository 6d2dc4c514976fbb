//! `portcullis terminator update`.

use super::args::TerminatorArgs;
use crate::commands::entities;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::entity::Entity as _;
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use portcullis_api::terminator::{TerminatorDetail, TerminatorPatch};
use portcullis_api::transit_router::TransitRouterDetail;
use portcullis_client::Client;
use portcullis_domain::identity::Precedence;

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis terminator update 3Tn4aRb2kx --cost 100
  portcullis terminator update 3Tn4aRb2kx --router r2 --address tcp:localhost:8081";

/// Update a terminator
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id of the terminator, as shown by `list`
    #[arg(add = Values::one::<TerminatorDetail>())]
    id: String,

    /// Id or name of the router that connects to the service
    #[arg(long, value_name = "ROUTER", add = Values::one::<TransitRouterDetail>())]
    router: Option<String>,

    /// Address that the router connects to, such as `tcp:localhost:8080`
    #[arg(long, value_name = "ADDRESS", value_parser = crate::text::parse_non_blank)]
    address: Option<String>,

    #[command(flatten)]
    members: TerminatorArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl UpdateArgs {
    async fn change(&self, client: &Client) -> Result<TerminatorPatch, CliError> {
        let router = match &self.router {
            None => None,
            Some(text) => Some(
                resolve::by_id_or_name::<TransitRouterDetail>(client, text)
                    .await?
                    .base
                    .id,
            ),
        };
        Ok(TerminatorPatch {
            address: self.address.clone(),
            binding: self.members.binding.clone(),
            cost: self.members.cost,
            precedence: self.members.precedence.map(Precedence::from),
            router,
            service: None,
            tags: None,
        })
    }
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_empty = self.router.is_none()
            && self.address.is_none()
            && self.members == TerminatorArgs::default()
            && self.tags.is_empty();
        entities::require_changes::<TerminatorDetail>(is_empty)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let terminator = TerminatorDetail::find(client, &self.id).await?;
        let change = self.change(client).await?;
        entities::patch(context, session, &terminator, change, &self.tags).await
    }
}
