//! `admin`: what is done beside a store for whom nobody else can help.

use super::password;
use crate::cli::{Admin, RemoveMfa, ResetPassword, Whose};
use crate::{config, output, serve, signals, system};
use anyhow::{Context as _, bail};
use portcullis_app::{App, AppError, rescue};
use portcullis_domain::ids::IdentityId;
use std::sync::Arc;

pub(super) async fn run(command: Admin) -> anyhow::Result<()> {
    match command {
        Admin::ResetPassword(arguments) => reset_password(arguments).await,
        Admin::RemoveMfa(arguments) => remove_mfa(arguments).await,
    }
}

async fn reset_password(arguments: ResetPassword) -> anyhow::Result<()> {
    let ResetPassword { whose, password } = arguments;
    // A signal while the store is written must not cut the program short.
    let wishes = signals::listen()?;
    let password = tokio::select! {
        password = password::read(&password) => password?,
        () = wishes.stop.cancelled() => bail!("stopped before anything was done"),
    };
    let app = open(&whose)?;
    let outcome = rescue::reset_password(&app, &whose.identity, password).await;
    let id = done(outcome, &whose, "the password could not be set")?;
    output::say(format_args!(
        "password of {id} set; it is enabled, and its sessions were ended"
    ));
    Ok(())
}

async fn remove_mfa(arguments: RemoveMfa) -> anyhow::Result<()> {
    let RemoveMfa { whose } = arguments;
    let _wishes = signals::listen()?;
    let app = open(&whose)?;
    let outcome = rescue::remove_mfa(&app, &whose.identity).await;
    let id = done(outcome, &whose, "the TOTP enrollment could not be removed")?;
    output::say(format_args!(
        "{id} is not enrolled in TOTP; its sessions were ended"
    ));
    Ok(())
}

fn open(whose: &Whose) -> anyhow::Result<Arc<App>> {
    let config = config::load(&[&whose.config])?;
    // A store that is missing is not to be made: there is nobody in it.
    Ok(serve::open(&config, true, &system::env())?.app)
}

fn done(
    outcome: Result<IdentityId, AppError>,
    whose: &Whose,
    failed: &'static str,
) -> anyhow::Result<IdentityId> {
    match outcome {
        Err(AppError::NotFound {
            kind: "identity", ..
        }) => {
            bail!(
                "no identity has the id or name {}",
                output::one_line(&whose.identity)
            )
        },
        Err(AppError::NotFound { .. }) => {
            bail!("{} has no password", output::one_line(&whose.identity))
        },
        outcome => outcome.context(failed),
    }
}
