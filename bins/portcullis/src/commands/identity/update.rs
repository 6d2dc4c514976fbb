//! `portcullis identity update`.

use super::identity_type::IdentityType;
use crate::commands::entities;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use crate::text::split_commas;
use clap::Args;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::identity::{IdentityDetail, IdentityPatch};
use portcullis_client::{Client, RoleAttributeKind};

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis identity update laptop --name laptop-2
  portcullis identity update laptop --role-attributes office,sales
  portcullis identity update laptop --role-attributes ''    # no attributes
  portcullis identity update laptop --tag site=berlin --clear-tag floor    # keeps other tags
  portcullis identity update bob --external-id ''           # no external id";

/// Update an identity
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id or name of the identity
    #[arg(add = Values::one::<IdentityDetail>())]
    identity: String,

    /// New name
    #[arg(long)]
    name: Option<String>,

    /// Whether it is an administrator
    #[arg(long, value_name = "true|false")]
    admin: Option<bool>,

    /// Comma-separated role attributes that replace the current ones; empty for none
    #[arg(short = 'a', long, value_name = "WORDS", add = Values::Attributes(RoleAttributeKind::Identity))]
    role_attributes: Option<String>,

    /// External id of the identity, for logins with JWTs of an external signer; empty for none
    #[arg(long, value_name = "ID")]
    external_id: Option<String>,

    /// Id or name of the authentication policy
    #[arg(short = 'P', long, value_name = "POLICY", add = Values::one::<AuthPolicyDetail>())]
    auth_policy: Option<String>,

    /// Type of the identity, stored as the tag `type`
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<IdentityType>,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl UpdateArgs {
    /// Rejects a change that controllers silently ignore.
    fn check_admin(&self, identity: &IdentityDetail) -> Result<(), CliError> {
        if self.admin == Some(false) && identity.is_default_admin {
            let name = &identity.name;
            return Err(CliError::failed(format!(
                "`{name}` is the default administrator and cannot be demoted; nothing was changed"
            )));
        }
        Ok(())
    }

    async fn body(
        &self,
        client: &Client,
        identity: &IdentityDetail,
    ) -> Result<IdentityPatch, CliError> {
        let mut patch = IdentityPatch {
            name: self.name.clone(),
            is_admin: self.admin,
            ..IdentityPatch::default()
        };
        patch.options.role_attributes = self.role_attributes.as_deref().map(split_commas);
        patch.options.external_id.clone_from(&self.external_id);
        let typed = self.kind.map(|kind| kind.with_tag(&identity.base.tags));
        let changed = self
            .tags
            .apply(typed.as_ref().unwrap_or(&identity.base.tags));
        patch.options.tags = changed.or(typed);
        if let Some(policy) = &self.auth_policy {
            let policy: AuthPolicyDetail = resolve::by_id_or_name(client, policy).await?;
            patch.options.auth_policy_id = Some(policy.base.id.to_string());
        }
        Ok(patch)
    }
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_empty = self.name.is_none()
            && self.admin.is_none()
            && self.role_attributes.is_none()
            && self.external_id.is_none()
            && self.auth_policy.is_none()
            && self.kind.is_none()
            && self.tags.is_empty();
        entities::require_changes::<IdentityDetail>(is_empty)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let identity: IdentityDetail = resolve::by_id_or_name(client, &self.identity).await?;
        self.check_admin(&identity)?;
        let patch = self.body(client, &identity).await?;
        let id = &identity.base.id;
        entities::send_patch::<IdentityDetail>(client, id, &patch).await?;
        entities::fetch_and_show::<IdentityDetail>(context, session, id).await
    }
}
