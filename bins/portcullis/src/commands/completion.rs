//! `portcullis completion`.

use crate::error::CliError;
use crate::output;
use clap::{Args, Command};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  source <(portcullis completion bash)    # this shell only
  portcullis completion bash > ~/.local/share/bash-completion/completions/portcullis
  portcullis completion zsh > ~/.zfunc/_portcullis    # a directory in $fpath
  portcullis completion fish > ~/.config/fish/completions/portcullis.fish";

/// Arguments of `completion`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CompletionArgs {
    /// Shell to generate the script for
    shell: Shell,
}

/// Writes the script that completes `command`.
pub(crate) fn run(arguments: &CompletionArgs, command: Command) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut in_help_order(command),
        "portcullis",
        &mut script,
    );
    output::write(&String::from_utf8_lossy(&script))
}

/// Bash offers subcommands in the order of the script.
fn in_help_order(command: Command) -> Command {
    let subcommands = command.get_subcommands().cloned();
    let mut sorted: Vec<_> = subcommands.map(in_help_order).collect();
    sorted.sort_by_key(Command::get_display_order);
    let mut sorted = sorted.into_iter();
    command.mut_subcommands(|other| sorted.next().unwrap_or(other))
}
