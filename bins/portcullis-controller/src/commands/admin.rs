//! `admin`: recovery of access directly in the store.

use super::password;
use crate::cli::{AccountArgs, AdminCommand, RemoveMfaArgs, ResetPasswordArgs};
use crate::{config, output, serve, signals};
use anyhow::{Context as _, bail};
use portcullis_app::{App, AppError, account_recovery};
use portcullis_domain::ids::IdentityId;
use std::sync::Arc;

pub(super) async fn run(command: AdminCommand) -> anyhow::Result<()> {
    match command {
        AdminCommand::ResetPassword(arguments) => reset_password(arguments).await,
        AdminCommand::RemoveMfa(arguments) => remove_mfa(arguments).await,
    }
}

async fn reset_password(arguments: ResetPasswordArgs) -> anyhow::Result<()> {
    let ResetPasswordArgs {
        account: whose,
        password,
    } = arguments;
    // A signal while the store is written must not cut the program short.
    let shutdown = signals::listen()?;
    let password = tokio::select! {
        password = password::read(&password) => password?,
        () = shutdown.stop.cancelled() => bail!("stopped before anything was changed"),
    };
    let app = open_store(&whose)?;
    let outcome = account_recovery::reset_password(&app, &whose.identity, password).await;
    let id = require_identity(outcome, &whose, "the password could not be set")?;
    output::print_line(format_args!(
        "password of {id} set; it is enabled, and its sessions were ended"
    ));
    Ok(())
}

async fn remove_mfa(arguments: RemoveMfaArgs) -> anyhow::Result<()> {
    let RemoveMfaArgs { account: whose } = arguments;
    let _shutdown = signals::listen()?;
    let app = open_store(&whose)?;
    let outcome = account_recovery::remove_mfa(&app, &whose.identity).await;
    let id = require_identity(outcome, &whose, "the TOTP enrollment could not be removed")?;
    output::print_line(format_args!(
        "{id} is not enrolled in TOTP; its sessions were ended"
    ));
    Ok(())
}

fn open_store(account: &AccountArgs) -> anyhow::Result<Arc<App>> {
    let config = config::load(&[&account.config])?;
    // A missing store must not be created: it would have no identities.
    Ok(serve::open(&config, true, &portcullis_system::env())?.app)
}

fn require_identity(
    outcome: Result<IdentityId, AppError>,
    account: &AccountArgs,
    failed: &'static str,
) -> anyhow::Result<IdentityId> {
    match outcome {
        Err(AppError::NotFound {
            kind: "identity", ..
        }) => {
            bail!(
                "no identity has the id or name {}",
                output::one_line(&account.identity)
            )
        },
        Err(AppError::NotFound { .. }) => {
            bail!("{} has no password", output::one_line(&account.identity))
        },
        outcome => outcome.context(failed),
    }
}
