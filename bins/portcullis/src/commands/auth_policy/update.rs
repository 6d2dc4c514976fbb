//! `portcullis auth-policy update`.

use super::rules::RuleArgs;
use crate::commands::entities;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::auth_policy::{AuthPolicyDetail, AuthPolicyPatch};
use portcullis_domain::auth_policy::AuthPolicySpecPatch;

const EXAMPLES: &str = "\
Only the given options are changed. The new rules apply to open sessions at once.

Examples:
  portcullis auth-policy update staff --name employees
  portcullis auth-policy update default --max-attempts 5 --lockout-minutes 15
  portcullis auth-policy update sso --require-ext-jwt ''      # no second JWT";

/// Update an authentication policy
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id or name of the authentication policy
    #[arg(add = Values::one::<AuthPolicyDetail>())]
    policy: String,

    /// New name
    #[arg(long)]
    name: Option<String>,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl Verb for UpdateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let mut patch = self.rules.patch(client).await?;
        if self.name.is_some() {
            patch.name = self.name;
        }
        let is_empty = patch == AuthPolicySpecPatch::default() && self.tags.is_empty();
        entities::require_changes::<AuthPolicyDetail>(is_empty)?;
        let policy: AuthPolicyDetail = resolve::by_id_or_name(client, &self.policy).await?;
        patch.tags = self.tags.apply(&policy.base.tags).or(patch.tags);
        let body = AuthPolicyPatch::from(patch);
        entities::send_patch::<AuthPolicyDetail>(client, &policy.base.id, &body).await?;
        let policy = client
            .entity::<AuthPolicyDetail>(&policy.base.id)
            .await
            .map_err(|error| {
                CliError::from(error)
                    .hint("the policy was updated; it may now require more of your own session")
            })?;
        entities::show_entity(context, &session.client, &policy).await
    }
}
