//! `admin`: recovery of access directly in the store.

use super::password;
use crate::cli::{AccountArgs, AdminCommand, RemoveMfaArgs, ResetPasswordArgs};
use crate::{config, output, serve, signals};
use anyhow::{Context as _, bail};
use portcullis_app::account_recovery::{self, RecoveredIdentity};
use portcullis_app::{App, AppError};
use portcullis_controller_config::ControllerConfig;
use portcullis_yaml::nearest;
use std::sync::Arc;

pub(super) async fn run(command: AdminCommand) -> anyhow::Result<()> {
    match command {
        AdminCommand::ResetPassword(arguments) => reset_password(arguments).await,
        AdminCommand::RemoveMfa(arguments) => remove_mfa(arguments).await,
    }
}

async fn reset_password(arguments: ResetPasswordArgs) -> anyhow::Result<()> {
    let ResetPasswordArgs { account, password } = arguments;
    // A signal while the store is written must not cut the program short.
    let stop = signals::listen_as_command()?;
    let config = config::load(&[&account.config])?;
    let password = password::read_given(&password, &stop).await?;
    // Whatever can refuse comes before a prompt.
    let app = open_store(&config)?;
    let failed = "the password could not be set";
    let found = account_recovery::require_password(&app, &account.identity);
    require_identity(found, &app, &account, failed)?;
    let password = password.or_prompt(&stop).await?;
    let outcome = account_recovery::reset_password(&app, &account.identity, password).await;
    let found = require_identity(outcome, &app, &account, failed)?;
    output::print_message(format_args!(
        "password of {} set; it is enabled, and its sessions were ended",
        named(&found)
    ));
    Ok(())
}

async fn remove_mfa(arguments: RemoveMfaArgs) -> anyhow::Result<()> {
    let RemoveMfaArgs { account } = arguments;
    let _stop = signals::listen_as_command()?;
    let app = open_store(&config::load(&[&account.config])?)?;
    let outcome = account_recovery::remove_mfa(&app, &account.identity).await;
    if let Err(AppError::NotFound {
        kind: "MFA enrollment",
        ..
    }) = outcome
    {
        output::print_message(format_args!(
            "{} is not enrolled in TOTP: there was nothing to remove, and nothing was changed",
            account.identity
        ));
        return Ok(());
    }
    let found = require_identity(
        outcome,
        &app,
        &account,
        "the TOTP enrollment could not be removed",
    )?;
    output::print_message(format_args!(
        "TOTP enrollment of {} removed; its sessions were ended",
        named(&found)
    ));
    Ok(())
}

/// Name and id of an identity.
fn named(found: &RecoveredIdentity) -> String {
    format!("{} ({})", found.name, found.id)
}

fn open_store(config: &ControllerConfig) -> anyhow::Result<Arc<App>> {
    // A missing store must not be created: it would have no identities.
    Ok(serve::open(config, true, &portcullis_system::env())?.app)
}

fn require_identity<T>(
    outcome: Result<T, AppError>,
    app: &App,
    account: &AccountArgs,
    failed: &'static str,
) -> anyhow::Result<T> {
    match outcome {
        Err(AppError::NotFound {
            kind: "identity", ..
        }) => {
            let names = account_recovery::identity_names(app).unwrap_or_default();
            let similar = nearest(&account.identity, names.iter().map(String::as_str));
            bail!(
                "no identity has the id or name {}{}",
                output::one_line(&account.identity),
                similar.map_or_else(String::new, |name| format!("; did you mean {name}?"))
            )
        },
        Err(AppError::NotFound { .. }) => {
            let shown = output::one_line(&account.identity);
            let quoted = output::shell_quoted(&account.identity);
            bail!(
                "{shown} has no password to reset: start the controller, and let an administrator run \
                 `portcullis authenticator create {quoted} --username NAME`, or `portcullis enrollment \
                 create {quoted}` for a new certificate"
            )
        },
        outcome => outcome.context(failed),
    }
}
