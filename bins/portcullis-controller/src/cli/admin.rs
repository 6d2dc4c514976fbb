//! Arguments of `admin`.

use super::NewPasswordArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "\
Works on the store, so the controller must be stopped. All sessions of the
identity are ended.

Examples:
  portcullis-controller admin reset-password controller.yml admin
  portcullis-controller admin remove-mfa controller.yml admin";

const RESET_PASSWORD_EXAMPLES: &str = "\
Sets the password, enables the identity, forgives its failed attempts and ends
its sessions. A TOTP enrollment is kept: `admin remove-mfa` removes it.

Examples:
  portcullis-controller admin reset-password controller.yml admin
  portcullis-controller admin reset-password controller.yml anna \\
      --password-file secret.txt";

const REMOVE_MFA_EXAMPLES: &str = "\
Removes an enrollment, started or verified, forgives failed codes and ends the
sessions of the identity. The next login asks for no code; if the policy of the
identity requires TOTP, it leads to another enrollment. A disabled identity
stays disabled: `admin reset-password` enables it.

Examples:
  portcullis-controller admin remove-mfa controller.yml admin";

/// Subcommands of `admin`.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Set the password of an identity
    ResetPassword(ResetPasswordArgs),
    /// Remove the TOTP enrollment of an identity
    RemoveMfa(RemoveMfaArgs),
}

/// Arguments of `admin reset-password`.
#[derive(Debug, Args)]
#[command(after_long_help = RESET_PASSWORD_EXAMPLES)]
pub(crate) struct ResetPasswordArgs {
    #[command(flatten)]
    pub(crate) account: AccountArgs,

    #[command(flatten)]
    pub(crate) password: NewPasswordArgs,
}

/// Arguments of `admin remove-mfa`.
#[derive(Debug, Args)]
#[command(after_long_help = REMOVE_MFA_EXAMPLES)]
pub(crate) struct RemoveMfaArgs {
    #[command(flatten)]
    pub(crate) account: AccountArgs,
}

/// An identity in a store.
#[derive(Debug, Args)]
pub(crate) struct AccountArgs {
    /// Configuration file
    pub(crate) config: PathBuf,

    /// Id or name of the identity
    pub(crate) identity: String,
}
