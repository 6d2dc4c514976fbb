//! `portcullis completion`.

use crate::completion::PROGRAM;
use crate::error::CliError;
use crate::output;
use clap::Args;
use portcullis_command_line::completion::{Shell, script};

const EXAMPLES: &str = "\
The script asks this program for each completion, and the program asks the controller for names,
with the session of the profile. Without a session, or if the controller does not answer within two
seconds, there are no names.

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
    #[arg(value_enum)]
    shell: Shell,
}

/// Writes the script.
pub(crate) fn run(arguments: &CompletionArgs) -> Result<(), CliError> {
    let script = script(PROGRAM, arguments.shell)?;
    output::write(&String::from_utf8_lossy(&script))
}
