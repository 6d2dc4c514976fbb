//! `portcullis authenticator create`.

use crate::commands::entities;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::credential;
use crate::error::CliError;
use crate::password::NewPasswordArgs;
use crate::resolve;
use clap::{ArgGroup, Args};
use portcullis_api::authenticator::{AuthenticatorCreate, AuthenticatorDetail, NewCredential};
use portcullis_api::identity::IdentityDetail;
use std::path::PathBuf;

const EXAMPLES: &str = "\
An identity has at most one username, and one certificate that is added this way. To let the user
choose the password, or the device generate the key, use `portcullis enrollment create`.

Examples:
  portcullis authenticator create anna --username anna
  portcullis authenticator create anna --username anna --password-file password.txt
  portcullis authenticator create server --cert server.pem";

/// Create an authenticator with a username and password, or from an existing certificate
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
#[command(group = ArgGroup::new("credential").required(true))]
pub(crate) struct CreateArgs {
    /// Id or name of the identity
    #[arg(add = Values::one::<IdentityDetail>())]
    identity: String,

    /// Username to log in with, together with a password
    #[arg(
        long,
        value_name = "USERNAME",
        group = "credential",
        value_parser = crate::text::parse_non_blank
    )]
    username: Option<String>,

    /// PEM file with the certificate to log in with, issued by the network or a third-party CA
    #[arg(
        long,
        value_name = "FILE",
        group = "credential",
        conflicts_with_all = ["password", "password_file"]
    )]
    cert: Option<PathBuf>,

    #[command(flatten)]
    password: NewPasswordArgs,

    #[command(flatten)]
    tags: NewTagsArgs,
}

impl CreateArgs {
    fn credential(&self) -> Result<NewCredential, CliError> {
        if let Some(path) = &self.cert {
            let cert_pem = credential::read_certificates_pem(path)?;
            return Ok(NewCredential::Cert { cert_pem });
        }
        let username = self.username.clone().unwrap_or_default();
        let password = self
            .password
            .read_or_prompt(&format!("Password of {username}"))?;
        Ok(NewCredential::Updb { username, password })
    }
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let identity: IdentityDetail = resolve::by_id_or_name(client, &self.identity).await?;
        let body = AuthenticatorCreate {
            identity_id: identity.base.id,
            credential: self.credential()?,
            tags: self.tags.to_tags(),
        };
        entities::create::<AuthenticatorDetail>(context, session, &body).await
    }
}
