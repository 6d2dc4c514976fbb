//! `portcullis password`.

use crate::commands::authenticator::update::CredentialArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::password::CurrentPasswordArgs;
use crate::table::Table;
use clap::{Args, Subcommand};
use portcullis_api::authenticator::{AuthenticatorDetail, ByOwner};
use portcullis_client::{Client, ListQuery};
use serde_json::json;

/// Shown below the help of `password`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  portcullis password change";

const CHANGE_EXAMPLES: &str = "\
The current password comes from --current-password-file or PORTCULLIS_PASSWORD, the new one from
--password-file or PORTCULLIS_NEW_PASSWORD; you are asked for what is missing. A new password ends
your other sessions that the old one opened; this one stays.

Examples:
  portcullis password change
  portcullis password change --current-password-file old.txt --password-file new.txt
  portcullis password change --username anna.b      another username; the password stays";

/// What to do with one's own password.
#[derive(Debug, Subcommand)]
pub(crate) enum PasswordCommand {
    /// Change the password or the username with which you log in
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

impl PasswordCommand {
    /// Refuses arguments that make no sense together.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        let Self::Change(arguments) = self;
        if arguments.current.is_on_stdin() && arguments.update.password.is_on_stdin() {
            return Err(CliError::usage(
                "only one of the current and the new password can be read from the standard input",
            ));
        }
        Ok(())
    }
}

pub(crate) async fn run(
    context: &Context,
    session: &Session,
    command: PasswordCommand,
) -> Result<(), CliError> {
    let PasswordCommand::Change(arguments) = command;
    let authenticator = own(&session.client).await?;
    let body = ByOwner {
        current_password: arguments.current.obtain("Present password")?,
        change: arguments.update.obtain()?,
    };
    let id = &authenticator.base.id;
    session.client.patch_own_authenticator(id, &body).await?;
    // As the controller has it, which is the judge of what a username is.
    let changed = own(&session.client).await;
    let username = changed
        .map_err(|error| error.hint("the change itself succeeded"))?
        .username;
    if let Some(username) = &username {
        context.remember_username(username)?;
    }
    let result = json!({
        "username": username,
        "passwordChanged": body.change.password.is_some(),
    });
    context.output.result(&result, || {
        Table::of_properties()
            .property("username", username.unwrap_or_default())
            .footer("Changed.")
    })
}

/// The username with its password by which the caller logs in.
async fn own(client: &Client) -> Result<AuthenticatorDetail, CliError> {
    let query = ListQuery::equal("method", "updb");
    let found = client.own_authenticators(&query).await?;
    found.data.into_iter().next().ok_or_else(|| {
        CliError::failed("you have no password")
            .hint("an administrator can set one with `portcullis authenticator create`")
    })
}
