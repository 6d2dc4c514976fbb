//! `portcullis transit-router create`.

use crate::commands::router::{self, RouterArgs, RouterFlagArgs};
use crate::commands::tags::NewTagsArgs;
use crate::commands::token_output::TokenArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::router::TransitRouterCreate;
use portcullis_api::transit_router::TransitRouterDetail;

const EXAMPLES: &str = "\
Examples:
  portcullis transit-router create t1 --output-jwt t1.jwt
  portcullis transit-router create t2 --cost 100 --output-jwt t2.jwt";

/// Create a transit router and its enrollment token
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the transit router; must be unique
    name: String,

    #[command(flatten)]
    switches: RouterFlagArgs,

    #[command(flatten)]
    router: RouterArgs,

    #[command(flatten)]
    tags: NewTagsArgs,

    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for CreateArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let members = self.router;
        let body = TransitRouterCreate {
            tags: self.tags.to_tags(),
            ..members
                .to_create(&session.client, self.name, self.switches)
                .await?
        };
        router::create::<TransitRouterDetail>(context, session, &body, &self.token).await
    }
}
