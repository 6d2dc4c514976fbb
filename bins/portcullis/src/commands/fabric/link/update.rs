//! `portcullis fabric link update`.

use crate::commands::entities;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::entity::Entity as _;
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::fabric::link::{LinkDetail, LinkPatch};

const EXAMPLES: &str = "\
Changes last until the link is closed. Circuits leave a link that is down where there is another
path, and new ones do not take it.

Examples:
  portcullis fabric link update 4nQd8wYk2LbX --cost 100
  portcullis fabric link update 4nQd8wYk2LbX --down
  portcullis fabric link update 4nQd8wYk2LbX --up";

/// Change the cost of a link, or take it out of use
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id of the link, as shown by `list`
    #[arg(add = Values::one::<LinkDetail>())]
    id: String,

    /// Static cost, which is added to the latencies
    #[arg(long)]
    cost: Option<u32>,

    /// Keep circuits off the link
    #[arg(long, conflicts_with = "up")]
    down: bool,

    /// Let circuits use the link again
    #[arg(long)]
    up: bool,
}

impl UpdateArgs {
    fn change(&self) -> LinkPatch {
        LinkPatch {
            down: (self.down || self.up).then_some(self.down),
            static_cost: self.cost,
        }
    }
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        entities::require_changes::<LinkDetail>(self.change() == LinkPatch::default())
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let link = LinkDetail::find(&session.client, &self.id).await?;
        entities::patch_and_show::<LinkDetail>(context, session, &link.id, &self.change()).await
    }
}
