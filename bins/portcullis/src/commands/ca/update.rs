//! `portcullis ca update`.

use super::claim::ClaimArgs;
use super::rules::RuleArgs;
use super::show;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::ca::{CaDetail, CaMerge, ClaimChange};

const EXAMPLES: &str = "\
What is not given stays unchanged. The certificate of a CA cannot be changed.

Examples:
  portcullis ca update corporate --auth false           no logins with its certificates for now
  portcullis ca update factory -a sensors,hall-3 --name-format ''
  portcullis ca update staff --external-id-from common-name
  portcullis ca update staff --no-external-id";

/// Arguments of `ca update`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id or name of the authority
    ca: String,

    /// A new name
    #[arg(long)]
    name: Option<String>,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    claim: ClaimArgs,

    /// Know identities by the certificate itself again
    #[arg(
        long,
        conflicts_with_all = ["place", "matched", "split", "index"]
    )]
    no_external_id: bool,
}

impl UpdateArgs {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let nothing = CaMerge {
            external_id_claim: Some(ClaimChange::default()),
            ..CaMerge::default()
        };
        if self.body(None)? == nothing {
            return Err(CliError::usage("there is nothing to change")
                .hint("see `portcullis ca update --help`"));
        }
        Ok(())
    }

    /// The change of an authority, or of one of which nothing is known.
    fn body(&self, ca: Option<&CaDetail>) -> Result<CaMerge, CliError> {
        let has_claim = ca.is_none_or(|ca| ca.external_id_claim.is_some());
        // A claim that is left out is taken away.
        let kept = if has_claim {
            Some(self.claim.change())
        } else {
            Some(self.claim.whole().unwrap_or_default())
        };
        Ok(CaMerge {
            identity_roles: self.rules.identity_roles()?,
            is_auth_enabled: self.rules.auth,
            is_auto_ca_enrollment_enabled: self.rules.autoca,
            is_ott_ca_enrollment_enabled: self.rules.ottca,
            name: self.name.clone(),
            identity_name_format: self.rules.name_format.clone(),
            external_id_claim: kept.filter(|_| !self.no_external_id),
            tags: None,
        })
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let ca: CaDetail = resolve::one(client, &arguments.ca).await?;
    let body = arguments.body(Some(&ca))?;
    client.patch_ca(&ca.base.id, &body).await?;
    let ca = client.ca(&ca.base.id).await?;
    context.output.result(&ca, || show::table(&ca))
}
