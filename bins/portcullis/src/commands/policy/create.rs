//! `create` of policies.

use super::{Policy, PolicyBasics};
use crate::commands::entities;
use crate::commands::semantic::Semantic;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;

/// Create a policy
#[derive(Debug, Args)]
#[command(after_long_help = P::CREATE_EXAMPLES)]
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

    #[command(flatten)]
    pub(super) tags: NewTagsArgs,
}

impl<P: Policy> Verb for CreateArgs<P> {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let basics = PolicyBasics {
            name: self.name,
            semantic: self.semantic.into(),
            tags: self.tags.to_tags(),
        };
        let body = P::create_body(&session.client, basics, &self.new).await?;
        entities::create::<P>(context, session, &body).await
    }
}
