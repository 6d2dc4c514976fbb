//! `portcullis password`.

use crate::commands::authenticator::update::CredentialArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::password::CurrentPasswordArgs;
use crate::table::Table;
use clap::{Args, Subcommand};
use portcullis_api::authenticator::{AuthenticatorDetail, WithCurrentPassword};
use portcullis_client::{Client, ListQuery};
use serde_json::json;

/// Help footer of `password`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  portcullis password change";

const CHANGE_EXAMPLES: &str = "\
The current password is read from --current-password-file or PORTCULLIS_PASSWORD, the new one from
--password-file or PORTCULLIS_NEW_PASSWORD; you are prompted for what is missing. Changing the
password ends your other sessions that the old one opened.

Examples:
  portcullis password change
  portcullis password change --current-password-file old.txt --password-file new.txt
  portcullis password change --username anna.b      # changes only the username";

/// Subcommands for one's own password.
#[derive(Debug, Subcommand)]
pub(crate) enum PasswordCommand {
    /// Change your own password or username
    Change(ChangeArgs),
}

/// Arguments of `password change`.
#[derive(Debug, Args)]
#[command(after_long_help = CHANGE_EXAMPLES)]
pub(crate) struct ChangeArgs {
    #[command(flatten)]
    current: CurrentPasswordArgs,

    #[command(flatten)]
    update: CredentialArgs,
}

impl Verb for PasswordCommand {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let Self::Change(arguments) = self;
        if arguments.current.reads_stdin() && arguments.update.password.reads_stdin() {
            return Err(CliError::usage(
                "only one of the current and the new password can be read from standard input",
            ));
        }
        Ok(())
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let Self::Change(arguments) = self;
        let authenticator = own_password_authenticator(&session.client).await?;
        let body = WithCurrentPassword {
            current_password: arguments.current.read_or_prompt("Current password")?,
            change: arguments.update.into_patch(false)?,
        };
        let id = &authenticator.base.id;
        session.client.patch_own_authenticator(id, &body).await?;
        // Read back, since the controller may normalize the username.
        let changed = own_password_authenticator(&session.client).await;
        let username = changed
            .map_err(|error| error.hint("the change itself was successful"))?
            .username;
        if let Some(username) = &username {
            context.save_username(username)?;
        }
        let result = json!({
            "username": username,
            "passwordChanged": body.change.password.is_some(),
        });
        context.output.write_result(&result, || {
            Table::with_properties()
                .property("username", username.unwrap_or_default())
                .footer("Changed.")
        })
    }
}

/// The password authenticator of the logged-in identity.
async fn own_password_authenticator(client: &Client) -> Result<AuthenticatorDetail, CliError> {
    let query = ListQuery::equals("method", "updb");
    let found = client.own_authenticators(&query).await?;
    found.data.into_iter().next().ok_or_else(|| {
        CliError::failed("you have no password")
            .hint("an administrator can set one with `portcullis authenticator create`")
    })
}
