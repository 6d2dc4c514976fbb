//! `portcullis ca create`.

use super::claim::ClaimArgs;
use super::rules::RuleArgs;
use super::show;
use crate::context::{Context, Session};
use crate::credential;
use crate::error::CliError;
use clap::Args;
use portcullis_api::ca::{CaCreate, CaReplace};
use portcullis_domain::ids::CaId;
use portcullis_domain::tags::Tags;
use std::path::PathBuf;

const EXAMPLES: &str = "\
By default its certificates can be used to enroll with a token and to log in, but nobody becomes an
identity with a certificate alone. Verify it next: `portcullis ca verify`.

Examples:
  portcullis ca create corporate ca.pem
  portcullis ca create factory ca.pem --autoca true -a sensors --name-format 'sensor-[commonName]'
  portcullis ca create staff ca.pem --ottca false --external-id-from san-email";

/// Arguments of `ca create`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the authority; no other has it
    name: String,

    /// PEM file with its certificate; `-` for the standard input
    #[arg(value_name = "FILE")]
    certificate: PathBuf,

    #[command(flatten)]
    rules: RuleArgs,

    #[command(flatten)]
    claim: ClaimArgs,
}

impl CreateArgs {
    fn body(&self) -> Result<CaCreate, CliError> {
        let rules = &self.rules;
        Ok(CaCreate {
            replace: CaReplace {
                identity_roles: rules.identity_roles()?.unwrap_or_default(),
                is_auth_enabled: rules.auth.unwrap_or(true),
                is_auto_ca_enrollment_enabled: rules.autoca.unwrap_or(false),
                is_ott_ca_enrollment_enabled: rules.ottca.unwrap_or(true),
                name: self.name.clone(),
                identity_name_format: rules.name_format.clone().unwrap_or_default(),
                external_id_claim: self.claim.whole(),
                tags: Tags::default(),
            },
            cert_pem: credential::certificates_pem(&self.certificate)?,
        })
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: CreateArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let created = client.create_ca(&arguments.body()?).await?;
    let id = CaId::from_wire(created.id);
    let ca = client.ca(&id).await.map_err(|error| {
        CliError::from(error).hint(format!("the authority was created, with the id {id}"))
    })?;
    context.output.result(&ca, || show::table(&ca))
}
