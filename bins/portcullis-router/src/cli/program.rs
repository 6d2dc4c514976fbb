//! Arguments of `completion` and `man`, which are about the program itself.

use clap::{Args, ValueHint};
use portcullis_command_line::completion::Shell;
use std::path::PathBuf;

/// Name of the program.
pub(crate) const PROGRAM: &str = "portcullis-router";

const COMPLETION_EXAMPLES: &str = "\
The script asks this program for each completion. Commands, options, files and
the keys of `config explain` are completed.

Examples:
  source <(portcullis-router completion bash)    # this shell only
  portcullis-router completion bash \\
      > ~/.local/share/bash-completion/completions/portcullis-router
  portcullis-router completion zsh \\
      > ~/.zfunc/_portcullis-router    # a directory in $fpath
  portcullis-router completion fish \\
      > ~/.config/fish/completions/portcullis-router.fish";

const MAN_EXAMPLES: &str = "\
One page for each command: `man portcullis-router-run`. Nothing is written
if there is a file of the same name already, unless --force is given.

Examples:
  portcullis-router man --out ~/.local/share/man/man1
  portcullis-router man --out man1 --force";

pub(super) const VERSION_EXAMPLES: &str = "\
Examples:
  portcullis-router version";

/// Arguments of `completion`.
#[derive(Debug, Args)]
#[command(after_long_help = COMPLETION_EXAMPLES)]
pub(crate) struct CompletionArgs {
    /// Shell to generate the script for
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_long_help = MAN_EXAMPLES)]
pub(crate) struct ManArgs {
    /// Directory for the pages; created if it does not exist
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,

    /// Replace existing pages
    #[arg(long)]
    pub(crate) force: bool,
}
