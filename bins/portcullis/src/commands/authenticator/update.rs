//! `portcullis authenticator update`.

use crate::commands::entities;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::entity::Entity as _;
use crate::error::CliError;
use crate::password::NewPasswordArgs;
use clap::Args;
use portcullis_api::authenticator::{AuthenticatorDetail, AuthenticatorPatch};

const EXAMPLES: &str = "\
Without options, this prompts for a new password. To change your own password, use
`portcullis password change`.

Examples:
  portcullis authenticator update v1kz.YB3Rs
  portcullis authenticator update v1kz.YB3Rs --password-file password.txt
  portcullis authenticator update v1kz.YB3Rs --username anna.b      # keeps the password
  portcullis authenticator update v1kz.YB3Rs --tag issued-by=desk   # keeps both";

/// Update the password, username or tags of an authenticator
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id of the authenticator, as shown by `authenticator list`
    #[arg(add = Values::one::<AuthenticatorDetail>())]
    id: String,

    #[command(flatten)]
    update: CredentialArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
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
    /// Builds the patch, prompting for the password unless there is anything else to change.
    pub(crate) fn into_patch(
        self,
        has_other_changes: bool,
    ) -> Result<AuthenticatorPatch, CliError> {
        let stays = (self.username.is_some() || has_other_changes) && !self.password.is_given();
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
        let authenticator = AuthenticatorDetail::find(&session.client, &self.id).await?;
        let change = self.update.into_patch(!self.tags.is_empty())?;
        entities::patch(context, session, &authenticator, change, &self.tags).await
    }
}
