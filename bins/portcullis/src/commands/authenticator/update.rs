//! `portcullis authenticator update`.

use crate::commands::entities;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::password::NewPasswordArgs;
use clap::Args;
use portcullis_api::authenticator::{AuthenticatorDetail, AuthenticatorPatch};
use portcullis_domain::ids::AuthenticatorId;

const EXAMPLES: &str = "\
Without options, this prompts for a new password. To change your own password, use
`portcullis password change`.

Examples:
  portcullis authenticator update v1kz.YB3Rs
  portcullis authenticator update v1kz.YB3Rs --password-file password.txt
  portcullis authenticator update v1kz.YB3Rs --username anna.b      # keeps the password";

/// Update the password or username of an authenticator
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id of the authenticator, as shown by `authenticator list`
    id: String,

    #[command(flatten)]
    update: CredentialArgs,
}

/// Changes of a username and password.
#[derive(Debug, Clone, Args)]
pub(crate) struct CredentialArgs {
    /// New username; keeps the password unless one is given
    #[arg(long, value_name = "USERNAME", value_parser = crate::text::parse_non_blank)]
    username: Option<String>,

    #[command(flatten)]
    pub(crate) password: NewPasswordArgs,
}

impl CredentialArgs {
    /// Builds the patch, prompting for the password if necessary.
    pub(crate) fn into_patch(self) -> Result<AuthenticatorPatch, CliError> {
        let stays = self.username.is_some() && !self.password.is_given();
        let password = if stays {
            None
        } else {
            Some(self.password.read_or_prompt("New password")?)
        };
        Ok(AuthenticatorPatch {
            username: self.username,
            password,
            tags: None,
        })
    }
}

impl Verb for UpdateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let id = AuthenticatorId::from_wire(self.id);
        let body = self.update.into_patch()?;
        entities::patch::<AuthenticatorDetail>(context, session, &id, &body).await
    }
}
