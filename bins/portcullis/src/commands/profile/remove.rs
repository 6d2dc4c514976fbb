//! `portcullis profile remove`.

use super::find;
use crate::completion::Values;
use crate::context::Context;
use crate::error::CliError;
use crate::output;
use crate::prompt;
use crate::table::Table;
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
The session is ended on the controller if it answers. On a terminal, this asks first.

Examples:
  portcullis profile remove staging
  portcullis profile remove staging --yes";

/// Log out and remove a profile
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RemoveArgs {
    /// Name of the profile
    #[arg(add = Values::Profiles)]
    name: String,

    /// Skip the confirmation prompt
    #[arg(short, long)]
    yes: bool,
}

pub(super) async fn run(context: &Context, arguments: &RemoveArgs) -> Result<(), CliError> {
    let name = &arguments.name;
    find(&context.store.read_all()?, name)?;
    if !arguments.yes && !prompt::confirm(&format!("Remove the profile `{name}`?"), "--yes")? {
        return Err(CliError::failed("nothing was removed"));
    }
    let session = context.with_profile(name).session_for_logout().ok();
    // Removed first, so that nobody is logged in here afterwards even if the request fails.
    context.store.update(|all| {
        all.profiles.remove(name);
        if all.current.as_ref() == Some(name) {
            all.current = None;
        }
    })?;
    if let Some(session) = session
        && session.end().await.is_err()
    {
        output::note("The session could not be ended on the controller; it will expire there.");
    }
    context.output.write_result(&json!({"removed": name}), || {
        Table::with_properties().footer(format!("Removed the profile `{name}`."))
    })
}
