//! `portcullis ca create`.

use super::claim::ClaimArgs;
use super::rules::RuleArgs;
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::credential;
use crate::error::CliError;
use clap::Args;
use portcullis_api::ca::{CaCreate, CaDetail, CaUpdate};
use std::path::PathBuf;

const EXAMPLES: &str = "\
By default, certificates of the CA can be used to log in and to enroll with a token, but do not
create identities automatically. The next step is `portcullis ca verify`.

Examples:
  portcullis ca create corporate ca.pem
  portcullis ca create factory ca.pem --autoca true -a sensors --name-format 'sensor-[commonName]'
  portcullis ca create staff ca.pem --ottca false --external-id-from san-email";

/// For those who have no CA yet.
const NEW_CA: &str = "ask whoever runs the CA for it; for a trial, make one with `openssl req -x509 -newkey \
    rsa:3072 -nodes -subj /CN=trial -keyout ca.key -out ca.pem`";

/// Add a third-party CA
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the CA; must be unique
    name: String,

    /// PEM file with the certificate of the CA; `-` for standard input
    #[arg(value_name = "FILE")]
    certificate: PathBuf,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    claim: ClaimArgs,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl CreateArgs {
    fn body(&self) -> Result<CaCreate, CliError> {
        let rules = &self.rules;
        Ok(CaCreate {
            replace: CaUpdate {
                identity_roles: rules.identity_roles()?.unwrap_or_default(),
                is_auth_enabled: rules.auth.unwrap_or(true),
                is_auto_ca_enrollment_enabled: rules.autoca.unwrap_or(false),
                is_ott_ca_enrollment_enabled: rules.ottca.unwrap_or(true),
                name: self.name.clone(),
                identity_name_format: rules.name_format.clone().unwrap_or_default(),
                external_id_claim: self.claim.to_full_claim(),
                tags: self.tags.to_tags(),
            },
            cert_pem: credential::read_certificates_pem(&self.certificate).map_err(|error| {
                error
                    .hint("the second argument is the PEM file with the certificate of the CA")
                    .hint(NEW_CA)
            })?,
        })
    }
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        entities::create::<CaDetail>(context, session, &self.body()?).await
    }
}
