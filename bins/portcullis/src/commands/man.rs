//! `portcullis man`.

use crate::context::Context;
use crate::error::CliError;
use crate::files::{self, Existing};
use crate::table::{Table, pluralize};
use clap::{Args, Command};
use clap_mangen::Man;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

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

/// A page and the name of its file.
struct Page {
    name: String,
    text: Vec<u8>,
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
    let existing = if arguments.force {
        Existing::Replace
    } else {
        refuse_existing(dir, &pages)?;
        Existing::Keep
    };
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

fn pages(command: Command) -> Result<Vec<Page>, CliError> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        let below = command.get_subcommands();
        commands.extend(below.filter(|command| !command.is_hide_set()).cloned());
        let man = Man::new(command);
        let mut text = Vec::new();
        man.render(&mut text)?;
        pages.push(Page {
            name: man.get_filename(),
            text,
        });
    }
    Ok(pages)
}

fn refuse_existing(dir: &Path, pages: &[Page]) -> Result<(), CliError> {
    let mut paths = pages.iter().map(|page| dir.join(&page.name));
    match paths.find(|path| path.symlink_metadata().is_ok()) {
        None => Ok(()),
        Some(path) => Err(CliError::failed(format!("{} exists", path.display()))
            .hint("pass `--force` to replace it")),
    }
}
