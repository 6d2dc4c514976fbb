//! `init`: the first administrator.

use crate::cli::Init;
use crate::{config, login, output, prompt, serve, signals, system, usage};
use anyhow::{Context as _, bail};
use portcullis_app::{AppError, administrator};
use secrecy::SecretString;
use std::path::Path;
use zeroize::Zeroizing;

pub(super) async fn run(arguments: Init) -> anyhow::Result<()> {
    login::check_name(&arguments.username)?;
    // A signal while the store is written must not cut the program short.
    let wishes = signals::listen()?;
    let password = tokio::select! {
        password = password(&arguments) => password?,
        () = wishes.stop.cancelled() => bail!("ended before anything was done"),
    };
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

async fn password(arguments: &Init) -> anyhow::Result<SecretString> {
    match (&arguments.password_file, &arguments.password) {
        (Some(path), _) if path == Path::new("-") => prompt::secret("Password:").await,
        (Some(path), _) => from_file(path),
        (None, Some(given)) => {
            login::check_password(given)?;
            Ok(given.as_str().into())
        },
        (None, None) => Err(usage::error(
            "a password is needed: --password-file FILE, or --password-file - to be asked for it \
             (or the variable PORTCULLIS_PASSWORD, or -p PASSWORD, which other users of the machine \
             can see)",
        )),
    }
}

fn from_file(path: &Path) -> anyhow::Result<SecretString> {
    let text = std::fs::read_to_string(path)
        .map(Zeroizing::new)
        .with_context(|| format!("the password file {} cannot be read", path.display()))?;
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Ok(line.strip_suffix('\r').unwrap_or(line).into())
}
