//! `init`: the first administrator.

use super::password;
use super::summary_rows::command;
use crate::cli::InitArgs;
use crate::{admin_credentials, config, output, serve, signals};
use anyhow::{Context as _, bail};
use portcullis_app::administrator;
use std::path::Path;

pub(super) async fn run(arguments: InitArgs) -> anyhow::Result<()> {
    admin_credentials::validate_username(&arguments.username)?;
    // A signal while the store is written must not cut the program short.
    let stop = signals::listen_as_command()?;
    let config = config::load(&[&arguments.config])?;
    let password = password::read_given(&arguments.password, &stop).await?;
    // Whatever can refuse comes before a prompt.
    let core = serve::open(&config, false, &portcullis_system::env())?;
    if let Some(found) = core.administrator()? {
        bail!("{}", refusal(&arguments.config, found.identity_name()));
    }
    let password = password.or_prompt(&stop).await?;
    administrator::ensure_defaults(&core.app)
        .await
        .context("the store could not be prepared")?;
    administrator::initialize(&core.app, &arguments.username, password)
        .await
        .context("the administrator could not be created")?;
    output::print_message(format_args!("administrator {} created", arguments.username));
    let address = format!("https://{}", config.edge.api.address);
    output::print_line(next_commands(
        &arguments.config,
        &address,
        &arguments.username,
    ));
    Ok(())
}

fn refusal(config: &Path, administrator: &str) -> String {
    format!(
        "this network already has an administrator, {administrator}: to set its password, run \
         `portcullis-controller admin reset-password {} {}`",
        output::shell_quoted(&config.display().to_string()),
        output::shell_quoted(administrator),
    )
}

fn next_commands(config: &Path, address: &str, username: &str) -> String {
    let config = config.display().to_string();
    let run = command(&["portcullis-controller run", &output::shell_quoted(&config)]);
    let login = command(&[
        "portcullis login",
        &output::shell_quoted(address),
        &format!("--username {}", output::shell_quoted(username)),
    ]);
    format!("\nNext:\n\n{run}\n{login}")
}
