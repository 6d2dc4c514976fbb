//! `update` of policies.

use super::Policy;
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::semantic::Semantic;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_domain::roles;

/// Update a policy
#[derive(Debug, Args)]
#[command(after_long_help = P::UPDATE_EXAMPLES)]
pub(crate) struct UpdateArgs<P: Policy> {
    #[command(flatten)]
    policy: NamedArgs<P>,

    #[command(flatten)]
    pub(super) name: NewNameArgs,

    #[command(flatten)]
    pub(super) changes: P::UpdateOptions,

    /// Whether an entity needs all or any of the `#` attributes of a list to be selected by it;
    /// entities given by `@` are always selected
    #[arg(long, value_name = "SEMANTIC", value_enum, ignore_case = true)]
    pub(super) semantic: Option<Semantic>,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl<P: Policy> Verb for UpdateArgs<P> {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.changes == P::UpdateOptions::default()
            && self.semantic.is_none()
            && self.tags.is_empty();
        entities::require_changes::<P>(is_nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let name = self.name.new_name;
        let semantic = self.semantic.map(roles::Semantic::from);
        let change = P::patch_body(&session.client, name, semantic, &self.changes).await?;
        entities::update::<P>(context, session, &self.policy, change, &self.tags).await
    }
}
