//! `portcullis edge-router re-enroll`.

use crate::commands::entities::NamedArgs;
use crate::commands::router::{self, RouterChange};
use crate::commands::token_output::TokenArgs;
use crate::commands::verb::Verb;
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

/// Invalidate the certificate of an edge router and issue a new enrollment token
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ReEnrollArgs {
    #[command(flatten)]
    target: NamedArgs<EdgeRouterDetail>,

    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for ReEnrollArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let found: EdgeRouterDetail = resolve::by_id_or_name(client, &self.target.text).await?;
        let destination = self.token.prepare()?;
        client.re_enroll_edge_router(&found.base.id).await?;
        let router = client.entity::<EdgeRouterDetail>(&found.base.id).await;
        let router = router.map_err(|error| {
            let name = &found.common.name;
            CliError::from(error).hint(format!("`{name}` must re-enroll"))
        })?;
        let client = &session.client;
        router::deliver(context, client, destination, &router, RouterChange::Reset).await
    }
}
