//! `portcullis ext-jwt-signer create`.

use super::args::SignerArgs;
use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::{ArgGroup, Args};
use portcullis_api::external_jwt_signer::{
    ExternalJwtSignerCreate, ExternalJwtSignerDetail, ExternalJwtSignerOptions,
};

const EXAMPLES: &str = "\
The keys of the signer come from a certificate or from the URL of a key set (JWKS).

Examples:
  portcullis ext-jwt-signer create okta --issuer https://okta.test --audience portcullis \\
      --jwks-endpoint https://okta.test/keys --claims-property email --use-external-id true
  portcullis ext-jwt-signer create build --issuer build --audience portcullis --cert build.pem";

/// Fits the width of a terminal.
const USAGE: &str = "portcullis ext-jwt-signer create [OPTIONS] --issuer <ISSUER> \
    --audience <AUDIENCE>\n       <--cert <FILE>|--jwks-endpoint <URL>> <NAME>";

/// Create an external signer
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("keys").required(true))]
#[command(override_usage = USAGE)]
pub(crate) struct CreateArgs {
    /// Name of the signer; must be unique
    name: String,

    /// Exact issuer in its JWTs (`iss`)
    #[arg(long)]
    issuer: String,

    /// Audience that its JWTs must contain (`aud`)
    #[arg(long)]
    audience: String,

    /// Whether its JWTs are accepted (default: true)
    #[arg(long, value_name = "true|false")]
    enabled: Option<bool>,

    #[command(flatten)]
    members: SignerArgs,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let body = ExternalJwtSignerCreate {
            name: self.name,
            enabled: self.enabled.unwrap_or(true),
            issuer: self.issuer,
            audience: self.audience,
            members: ExternalJwtSignerOptions {
                tags: Some(self.tags.to_tags()),
                ..self.members.resolve(client).await?
            },
        };
        entities::create::<ExternalJwtSignerDetail>(context, session, &body).await
    }
}
