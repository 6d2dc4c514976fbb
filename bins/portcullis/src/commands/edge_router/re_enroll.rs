//! `portcullis edge-router re-enroll`.

use crate::commands::entities::NamedArgs;
use crate::commands::router::{self, RouterChange};
use crate::commands::token_output::TokenArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use portcullis_api::edge_router::EdgeRouterDetail;

const EXAMPLES: &str = "\
The current certificate of the router becomes invalid: the router is locked out until it enrolls
with the new token. Policies and terminators stay.

Examples:
  portcullis edge-router re-enroll r1 --output-jwt r1.jwt";

/// Arguments of `edge-router re-enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ReEnrollArgs {
    #[command(flatten)]
    target: NamedArgs,

    #[command(flatten)]
    token: TokenArgs,
}

impl ReEnrollArgs {
    pub(super) fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ReEnrollArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let found: EdgeRouterDetail = resolve::by_id_or_name(client, &arguments.target.text).await?;
    let destination = arguments.token.prepare()?;
    client.re_enroll_edge_router(&found.base.id).await?;
    let router = client.entity::<EdgeRouterDetail>(&found.base.id).await;
    let router = router.map_err(|error| {
        let name = &found.common.name;
        CliError::from(error).hint(format!("`{name}` must re-enroll"))
    })?;
    router::deliver(context, destination, &router, RouterChange::Reset)
}
