//! `init`: the first administrator.

use super::password;
use crate::cli::InitArgs;
use crate::{admin_credentials, config, output, serve, signals};
use anyhow::{Context as _, bail};
use portcullis_app::{AppError, administrator};

pub(super) async fn run(arguments: InitArgs) -> anyhow::Result<()> {
    admin_credentials::validate_username(&arguments.username)?;
    // A signal while the store is written must not cut the program short.
    let shutdown = signals::listen()?;
    let password = password::read_until_stopped(&arguments.password, &shutdown.stop).await?;
    let config = config::load(&[&arguments.config])?;
    let core = serve::open(&config, false, &portcullis_system::env())?;
    administrator::ensure_defaults(&core.app)
        .await
        .context("the store could not be prepared")?;
    match administrator::initialize(&core.app, &arguments.username, password).await {
        Ok(_id) => {},
        Err(AppError::AlreadyInitialized) => bail!("this network already has an administrator"),
        Err(error) => return Err(error).context("the administrator could not be created"),
    }
    output::print_message(format_args!("administrator {} created", arguments.username));
    Ok(())
}
