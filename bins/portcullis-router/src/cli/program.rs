//! Help for the commands that are about the program itself.

/// Name of the program.
pub(crate) const PROGRAM: &str = "portcullis-router";

pub(super) const COMPLETION_EXAMPLES: &str = "\
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

pub(super) const MAN_EXAMPLES: &str = "\
One page for each command: `man portcullis-router-run`. Nothing is written
if there is a file of the same name already, unless --force is given.

Examples:
  portcullis-router man --out ~/.local/share/man/man1
  portcullis-router man --out man1 --force";

pub(super) const VERSION_EXAMPLES: &str = "\
Examples:
  portcullis-router version";
