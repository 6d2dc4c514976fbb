//! `portcullis man`.

use crate::context::Context;
use crate::error::CliError;
use crate::files::{self, Existing};
use crate::table::{Table, pluralize};
use clap::{Args, Command};
use portcullis_command_line::man::{find_existing, pages};
use serde_json::json;
use std::fs;
use std::path::PathBuf;

const EXAMPLES: &str = "\
One page for each command: `man portcullis-identity-create`. Nothing is written if there is a file
of the same name already, unless --force is given.

Examples:
  portcullis man --out ~/.local/share/man/man1
  portcullis man --out man1 --force";

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Directory for the pages; created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Replace existing pages
    #[arg(long)]
    force: bool,
}

/// Writes the pages of `command` and of all commands below.
pub(crate) fn run(
    context: &Context,
    arguments: &ManArgs,
    command: Command,
) -> Result<(), CliError> {
    let dir = &arguments.out;
    let pages = pages(command)?;
    fs::create_dir_all(dir).map_err(|error| {
        CliError::failed(format!("{} cannot be created", dir.display())).with_source(error)
    })?;
    let existing = Existing::with_force(arguments.force);
    if existing == Existing::Keep
        && let Some(path) = find_existing(&pages, dir)
    {
        return Err(CliError::failed(format!("{} exists", path.display()))
            .hint("pass `--force` to replace it"));
    }
    for page in &pages {
        files::write_readable(&dir.join(&page.name), existing, &page.text)?;
    }
    let count = pages.len();
    let document = json!({"directory": dir, "pages": count});
    context.output.write_result(&document, || {
        let pages = pluralize(count, "page", "pages");
        Table::with_properties().footer(format!("{pages} written to {}", dir.display()))
    })
}
