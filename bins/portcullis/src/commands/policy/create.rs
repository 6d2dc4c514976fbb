//! `create` of policies.

use super::Policy;
use crate::commands::entities;
use crate::commands::semantic::Semantic;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;

/// Arguments of `create`.
#[derive(Debug, Args)]
pub(crate) struct CreateArgs<P: Policy> {
    /// Name of the policy; must be unique among policies of its kind
    pub(super) name: String,

    #[command(flatten)]
    pub(super) new: P::CreateOptions,

    /// Whether an entity needs all or any of the `#` attributes of a list to be selected by it;
    /// entities given by `@` are always selected
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
    let body = P::create_body(&session.client, arguments.name, semantic, &arguments.new).await?;
    entities::create::<P>(context, session, &body).await
}
