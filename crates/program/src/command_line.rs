//! What the command lines of controller, router and tunneler have in common.

use crate::process_args::ProcessArgs;
use crate::{about_help, build, process_args};
use clap::{Command, CommandFactory, FromArgMatches};
use portcullis_command_line::{CommandGroup, arrange};

/// A parsed command line.
pub trait CommandLine: CommandFactory + FromArgMatches {
    /// Name of the program, as it is called.
    const NAME: &'static str;

    /// Groups of commands in the order of the help, without that of [`AboutCommand`](crate::AboutCommand).
    const GROUPS: &'static [CommandGroup];

    /// Help of `--log`, which names components of the program.
    const LOG_HELP: &'static str;

    /// What the help says below the options.
    const EXAMPLES: &'static str;

    /// What only the long help says, below the examples: exit codes and variables.
    const DETAILS: &'static str;

    /// Commands and arguments, before what all programs share is added to their help.
    fn declaration() -> Command {
        Self::command()
    }

    /// The options about the process.
    fn process(&self) -> &ProcessArgs;

    /// Whether the command is one that serves until it is ended.
    fn is_service(&self) -> bool;

    /// What `version` shows.
    fn version() -> String {
        format!("{} {} ({})", Self::NAME, build::VERSION, build::REVISION)
    }
}

/// The whole command line, with its help in groups.
pub fn command<C: CommandLine>() -> Command {
    let groups = [C::GROUPS, &[about_help::GROUP]].concat();
    let command = about_help::with_examples(C::declaration(), C::NAME)
        .mut_args(|arg| {
            if arg.get_id() == process_args::LOG {
                arg.help(C::LOG_HELP)
            } else {
                arg
            }
        })
        .after_help(C::EXAMPLES)
        .max_term_width(100);
    arrange(command, &groups).after_long_help(format!("{}\n\n{}", C::EXAMPLES, C::DETAILS))
}
