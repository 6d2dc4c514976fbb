//! `portcullis auth-policy create`.

use super::rules::RuleArgs;
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::auth_policy::{AuthPolicyCreate, AuthPolicyDetail};
use portcullis_domain::auth_policy::{AuthPolicy, AuthPolicySpecPatch};

const EXAMPLES: &str = "\
Defaults are those of the policy `Default` in a new network: all kinds of login are allowed,
passwords have at least 5 characters, and there is no lockout and no second factor.

Examples:
  portcullis auth-policy create staff --updb deny --expired-certs deny
  portcullis auth-policy create people --min-password-length 12 --max-attempts 5 --lockout-minutes 5
  portcullis auth-policy create sso --cert deny --updb deny --signers okta --require-totp true
  portcullis auth-policy show staff --output json | portcullis auth-policy create staff-2 --from -";

/// Create an authentication policy
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the authentication policy; must be unique
    name: String,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let patch = AuthPolicySpecPatch {
            name: Some(self.name.clone()),
            tags: Some(self.tags.to_tags()),
            ..self.rules.patch(client).await?
        };
        let now = context.now();
        let mut policy = AuthPolicy::default_policy(now);
        policy
            .patch(patch, now)
            .map_err(|error| CliError::usage("these settings conflict").with_source(error))?;
        let body = AuthPolicyCreate::from(policy);
        entities::create::<AuthPolicyDetail>(context, session, &body).await
    }
}
