//! `portcullis identity update`.

use super::kind::Kind;
use super::show;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use crate::words::between_commas;
use clap::Args;
use portcullis_api::auth_policy::AuthPolicyDetail;
use portcullis_api::identity::{IdentityDetail, IdentityPatch};
use portcullis_client::Client;

const EXAMPLES: &str = "\
What is not given stays unchanged.

Examples:
  portcullis identity update laptop --name laptop-2
  portcullis identity update laptop --role-attributes office,sales
  portcullis identity update laptop --role-attributes ''    no attributes
  portcullis identity update bob --external-id ''           no external id";

/// Arguments of `identity update`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id or name of the identity
    identity: String,

    /// A new name
    #[arg(long)]
    name: Option<String>,

    /// Make it an administrator, or no longer
    #[arg(long, value_name = "true|false")]
    admin: Option<bool>,

    /// Role attributes instead of those it has, separated by commas; empty for none
    #[arg(short = 'a', long, value_name = "WORDS")]
    role_attributes: Option<String>,

    /// Let it log in with JWTs of an external signer, which names it by this id; empty for none
    #[arg(long, value_name = "ID")]
    external_id: Option<String>,

    /// Authentication policy, by id or name; it says which logins are enough
    #[arg(short = 'P', long, value_name = "POLICY")]
    auth_policy: Option<String>,

    /// What the identity stands for; kept as the tag `type`
    #[arg(long = "type", value_name = "TYPE", value_enum)]
    kind: Option<Kind>,
}

impl UpdateArgs {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let is_empty = self.name.is_none()
            && self.admin.is_none()
            && self.role_attributes.is_none()
            && self.external_id.is_none()
            && self.auth_policy.is_none()
            && self.kind.is_none();
        if is_empty {
            return Err(CliError::usage("there is nothing to change")
                .hint("see `portcullis identity update --help`"));
        }
        Ok(())
    }

    /// Refuses what a controller would leave out without a word.
    fn check_admin(&self, identity: &IdentityDetail) -> Result<(), CliError> {
        if self.admin == Some(false) && identity.is_default_admin {
            let name = &identity.name;
            return Err(CliError::failed(format!(
                "`{name}` remains the default administrator; nothing was changed"
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
        patch.options.role_attributes = self.role_attributes.as_deref().map(between_commas);
        patch.options.external_id.clone_from(&self.external_id);
        // Tags are replaced as a whole.
        patch.options.tags = self.kind.map(|kind| kind.tag(&identity.base.tags));
        if let Some(policy) = &self.auth_policy {
            let policy: AuthPolicyDetail = resolve::one(client, policy).await?;
            patch.options.auth_policy_id = Some(policy.base.id.to_string());
        }
        Ok(patch)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let identity: IdentityDetail = resolve::one(client, &arguments.identity).await?;
    arguments.check_admin(&identity)?;
    let patch = arguments.body(client, &identity).await?;
    client.patch_identity(&identity.base.id, &patch).await?;
    let identity = client.identity(&identity.base.id).await?;
    let now = context.now();
    context
        .output
        .result(&identity, || show::table(&identity, now))
}
