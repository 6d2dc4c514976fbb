//! `portcullis ca update`.

use super::claim::ClaimArgs;
use super::rules::RuleArgs;
use crate::commands::entities;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use portcullis_api::ca::{CaDetail, CaPatch, ExternalIdClaimPatch};

const EXAMPLES: &str = "\
Only the given options are changed. The certificate of a CA cannot be changed.

Examples:
  portcullis ca update corporate --auth false           # no logins with its certificates for now
  portcullis ca update factory -a sensors,hall-3 --name-format ''
  portcullis ca update staff --external-id-from common-name
  portcullis ca update staff --no-external-id";

/// Update a third-party CA
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id or name of the CA
    #[arg(add = Values::one::<CaDetail>())]
    ca: String,

    /// New name
    #[arg(long)]
    name: Option<String>,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    claim: ClaimArgs,

    /// Match identities by the certificate itself again
    #[arg(
        long,
        conflicts_with_all = ["place", "matched", "split", "index"]
    )]
    no_external_id: bool,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl UpdateArgs {
    /// Builds the patch for `ca`; `None` to validate the arguments alone.
    fn body(&self, ca: Option<&CaDetail>) -> Result<CaPatch, CliError> {
        let has_claim = ca.is_none_or(|ca| ca.external_id_claim.is_some());
        // Omitting the claim removes it.
        let claim = if has_claim {
            Some(self.claim.to_change())
        } else {
            Some(self.claim.to_full_claim().unwrap_or_default())
        };
        Ok(CaPatch {
            identity_roles: self.rules.identity_roles()?,
            is_auth_enabled: self.rules.auth,
            is_auto_ca_enrollment_enabled: self.rules.autoca,
            is_ott_ca_enrollment_enabled: self.rules.ottca,
            name: self.name.clone(),
            identity_name_format: self.rules.name_format.clone(),
            external_id_claim: claim.filter(|_| !self.no_external_id),
            tags: None,
        })
    }
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let nothing = CaPatch {
            external_id_claim: Some(ExternalIdClaimPatch::default()),
            ..CaPatch::default()
        };
        entities::require_changes::<CaDetail>(self.tags.is_empty() && self.body(None)? == nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let ca: CaDetail = resolve::by_id_or_name(client, &self.ca).await?;
        let body = self.body(Some(&ca))?;
        entities::patch(context, session, &ca, body, &self.tags).await
    }
}
