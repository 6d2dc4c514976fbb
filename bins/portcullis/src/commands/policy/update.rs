//! `update` of policies.

use super::Policy;
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::semantic::Semantic;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_domain::roles;

/// Arguments of `update`.
#[derive(Debug, Args)]
pub(crate) struct UpdateArgs<P: Policy> {
    #[command(flatten)]
    policy: NamedArgs,

    #[command(flatten)]
    pub(super) name: NewNameArgs,

    #[command(flatten)]
    pub(super) changes: P::UpdateOptions,

    /// Whether an entity needs all or any of the `#` attributes of a list to be selected by it;
    /// entities given by `@` are always selected
    #[arg(long, value_name = "SEMANTIC", value_enum, ignore_case = true)]
    pub(super) semantic: Option<Semantic>,
}

impl<P: Policy> UpdateArgs<P> {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.changes == P::UpdateOptions::default()
            && self.semantic.is_none();
        entities::require_changes::<P>(is_nothing)
    }
}

pub(super) async fn run<P: Policy>(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs<P>,
) -> Result<(), CliError> {
    let name = arguments.name.new_name;
    let semantic = arguments.semantic.map(roles::Semantic::from);
    let change = P::patch_body(&session.client, name, semantic, &arguments.changes).await?;
    entities::update::<P>(context, session, &arguments.policy, &change).await
}
