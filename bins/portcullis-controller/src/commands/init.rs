//! `init`: the first administrator.

use crate::cli::Init;
use crate::{config, output, serve, signals, system};
use anyhow::{Context as _, bail};
use portcullis_app::{AppError, administrator};
use secrecy::SecretString;

pub(super) async fn run(arguments: Init) -> anyhow::Result<()> {
    // A signal while the store is written must not cut the program short.
    let _wishes = signals::listen()?;
    let password = password(&arguments)?;
    let config = config::load(&[&arguments.config])?;
    let core = serve::open(&config, false, &system::env())?;
    administrator::prepare(&core.app)
        .await
        .context("the store cannot be prepared")?;
    match administrator::initialise(&core.app, &arguments.username, password).await {
        Ok(_id) => {},
        Err(AppError::AlreadyInitialised) => bail!("this network has an administrator already"),
        Err(error) => return Err(error).context("the administrator cannot be made"),
    }
    output::say(format_args!(
        "administrator {} made",
        output::one_line(&arguments.username)
    ));
    Ok(())
}

fn password(arguments: &Init) -> anyhow::Result<SecretString> {
    if let Some(path) = &arguments.password_file {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("the password file {} cannot be read", path.display()))?;
        let line = text.strip_suffix('\n').unwrap_or(&text);
        return Ok(line.strip_suffix('\r').unwrap_or(line).into());
    }
    let given = arguments
        .password
        .as_deref()
        .context("a password is needed")?;
    Ok(given.into())
}
