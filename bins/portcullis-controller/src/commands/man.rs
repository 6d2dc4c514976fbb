//! `man`: man pages of all commands.

use crate::cli::{self, ManArgs};
use crate::files::{self, PUBLIC_MODE};
use crate::output;
use anyhow::{Context as _, bail};
use portcullis_command_line::man::{find_existing, pages};
use std::fs;
use std::process::ExitCode;

pub(super) fn run(arguments: &ManArgs) -> anyhow::Result<ExitCode> {
    let dir = &arguments.out;
    let pages = pages(cli::command())?;
    fs::create_dir_all(dir).with_context(|| format!("{} cannot be created", dir.display()))?;
    let existing = find_existing(&pages, dir).filter(|_| !arguments.force);
    if let Some(path) = existing {
        bail!("{} exists; pass --force to replace it", path.display());
    }
    for page in &pages {
        files::replace(&dir.join(&page.name), &page.text, PUBLIC_MODE)?;
    }
    output::print_message(format_args!(
        "{} pages written to {}",
        pages.len(),
        dir.display()
    ));
    Ok(ExitCode::SUCCESS)
}
