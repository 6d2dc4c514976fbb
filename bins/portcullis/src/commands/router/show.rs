//! `show` of routers.

use super::token::EnrollableRouter;
use crate::commands::entity_command::Noun;
use crate::commands::token_output::{TokenArgs, deliver_and_show};
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use std::marker::PhantomData;

/// Arguments of `show`.
#[derive(Debug, Args)]
#[command(about = R::SHOW.about, after_long_help = R::SHOW.examples)]
pub(crate) struct ShowArgs<R: EnrollableRouter + Noun> {
    #[arg(id = R::REFERENCE.id, value_name = R::REFERENCE.value_name, help = R::REFERENCE.help, add = Values::one::<R>())]
    reference: String,

    #[command(flatten)]
    token: TokenArgs,

    #[arg(skip)]
    kind: PhantomData<fn() -> R>,
}

impl<R: EnrollableRouter + Noun> Verb for ShowArgs<R> {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    /// Shows the router, and writes its token if requested.
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let router: R = resolve::by_id_or_name(&session.client, &self.reference).await?;
        if self.token.is_wanted() && router.enrollment().enrollment_expires_at.is_none() {
            let name = router.name();
            return Err(
                CliError::failed(format!("`{name}` has no pending enrollment"))
                    .hint(R::NEW_TOKEN_HINT),
            );
        }
        let destination = self.token.prepare()?;
        deliver_and_show(context, &session.client, destination, &router, None).await
    }
}
