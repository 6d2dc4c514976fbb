//! Creating a policy.

use super::Policy;
use crate::commands::entities;
use crate::commands::semantic::Semantic;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;

/// Arguments of `create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs<P: Policy> {
    /// Name of the policy; no other of its kind has it
    pub(super) name: String,

    #[command(flatten)]
    pub(super) new: P::New,

    /// How many of the `#` attributes of a list are needed to be selected by it; what `@` names
    /// always is
    #[arg(
        long,
        value_name = "SEMANTIC",
        value_enum,
        ignore_case = true,
        default_value = "any-of"
    )]
    pub(super) semantic: Semantic,
}

pub(super) async fn run<P: Policy>(
    context: &Context,
    session: &Session,
    arguments: CreateArgs<P>,
) -> Result<(), CliError> {
    let semantic = arguments.semantic.into();
    let body = P::body(&session.client, arguments.name, semantic, &arguments.new).await?;
    entities::create::<P>(context, session, &body).await
}
