//! Man pages of all commands.

use crate::output;
use anyhow::{Context as _, bail};
use clap::{Args, Command, ValueHint};
use portcullis_command_line::man::{find_existing, pages};
use portcullis_files::PUBLIC_MODE;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Directory for the pages; created if it does not exist
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,

    /// Replace existing pages
    #[arg(long)]
    pub force: bool,
}

/// Writes the pages of a command line to a directory; `replace` allows to replace existing ones.
pub(crate) fn write(command: Command, dir: &Path, replace: bool) -> anyhow::Result<ExitCode> {
    let pages = pages(command)?;
    fs::create_dir_all(dir).with_context(|| format!("{} cannot be created", dir.display()))?;
    let existing = find_existing(&pages, dir).filter(|_| !replace);
    if let Some(path) = existing {
        bail!("{} exists; pass --force to replace it", path.display());
    }
    for page in &pages {
        portcullis_files::replace(&dir.join(&page.name), &page.text, PUBLIC_MODE)?;
    }
    output::print_message(format_args!(
        "{} pages written to {}",
        pages.len(),
        dir.display()
    ));
    Ok(ExitCode::SUCCESS)
}
