//! Help for the commands that are about the program itself.

/// Name of the program.
pub(crate) const PROGRAM: &str = "portcullis-controller";

pub(super) const COMPLETION_EXAMPLES: &str = "\
The script asks this program for each completion. Commands, options, files and
the keys of `config explain` are completed.

Examples:
  source <(portcullis-controller completion bash)    # this shell only
  portcullis-controller completion bash \\
      > ~/.local/share/bash-completion/completions/portcullis-controller
  portcullis-controller completion zsh \\
      > ~/.zfunc/_portcullis-controller    # a directory in $fpath
  portcullis-controller completion fish \\
      > ~/.config/fish/completions/portcullis-controller.fish";

pub(super) const MAN_EXAMPLES: &str = "\
One page for each command: `man portcullis-controller-run`. Nothing is written
if there is a file of the same name already, unless --force is given.

Examples:
  portcullis-controller man --out ~/.local/share/man/man1
  portcullis-controller man --out man1 --force";

pub(super) const VERSION_EXAMPLES: &str = "\
Examples:
  portcullis-controller version";
