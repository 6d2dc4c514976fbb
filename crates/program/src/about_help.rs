//! Help of the commands that are about the program itself.

use clap::Command;
use portcullis_command_line::CommandGroup;

/// Their group in the help of the program.
pub(crate) const GROUP: CommandGroup = CommandGroup {
    heading: "This program",
    commands: &["completion", "man", "version"],
};

/// Adds examples to these commands, which name the program.
pub(crate) fn with_examples(command: Command, program: &str) -> Command {
    command.mut_subcommands(|command| match command.get_name() {
        "completion" => command.after_long_help(completion_examples(program)),
        "man" => command.after_long_help(man_examples(program)),
        "version" => command.after_long_help(format!("Examples:\n  {program} version")),
        _ => command,
    })
}

fn completion_examples(program: &str) -> String {
    format!(
        "\
The script asks this program for each completion: of commands, options, their
values and files.

Examples:
  source <({program} completion bash)    # this shell only
  {program} completion bash \\
      > ~/.local/share/bash-completion/completions/{program}
  {program} completion zsh \\
      > ~/.zfunc/_{program}    # a directory in $fpath
  {program} completion fish \\
      > ~/.config/fish/completions/{program}.fish"
    )
}

fn man_examples(program: &str) -> String {
    format!(
        "\
One page for each command: `man {program}-run`. Nothing is written if there is a
file of the same name already, unless --force is given.

Examples:
  {program} man --out ~/.local/share/man/man1
  {program} man --out man1 --force"
    )
}
