//! `portcullis authenticator update`.

use super::show;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::password::NewPasswordArgs;
use clap::Args;
use portcullis_api::authenticator::AuthenticatorPatch;
use portcullis_domain::ids::AuthenticatorId;

const EXAMPLES: &str = "\
Changes the password or username of an identity; you are asked for what is not given. Your own
password is changed with `portcullis password change`.

Examples:
  portcullis authenticator update v1kz.YB3Rs
  portcullis authenticator update v1kz.YB3Rs --password-file password.txt
  portcullis authenticator update v1kz.YB3Rs --username anna.b      the password stays";

/// Arguments of `authenticator update`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id of the authenticator, as `authenticator list` shows it
    id: String,

    #[command(flatten)]
    update: CredentialArgs,
}

/// What is to change about a username with its password.
#[derive(Debug, Clone, Args)]
pub(crate) struct CredentialArgs {
    /// A new username; the password stays unless one is given
    #[arg(long, value_name = "USERNAME", value_parser = crate::words::not_blank)]
    username: Option<String>,

    #[command(flatten)]
    pub(crate) password: NewPasswordArgs,
}

impl CredentialArgs {
    /// Obtains what is to change.
    pub(crate) fn obtain(self) -> Result<AuthenticatorPatch, CliError> {
        let stays = self.username.is_some() && !self.password.is_given();
        let password = if stays {
            None
        } else {
            Some(self.password.obtain("New password")?)
        };
        Ok(AuthenticatorPatch {
            username: self.username,
            password,
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
    let id = AuthenticatorId::from_wire(arguments.id);
    let body = arguments.update.obtain()?;
    client.patch_authenticator(&id, &body).await?;
    let authenticator = client.authenticator(&id).await?;
    context
        .output
        .result(&authenticator, || show::table(&authenticator))
}
