//! Help for the commands that are about the program itself.

/// Name of the program.
pub(crate) const PROGRAM: &str = "portcullis-tunnel";

pub(super) const COMPLETION_EXAMPLES: &str = "\
The script asks this program for each completion. Commands, options and files
are completed.

Examples:
  source <(portcullis-tunnel completion bash)    # this shell only
  portcullis-tunnel completion bash \\
      > ~/.local/share/bash-completion/completions/portcullis-tunnel
  portcullis-tunnel completion zsh \\
      > ~/.zfunc/_portcullis-tunnel    # a directory in $fpath
  portcullis-tunnel completion fish \\
      > ~/.config/fish/completions/portcullis-tunnel.fish";

pub(super) const MAN_EXAMPLES: &str = "\
One page for each command: `man portcullis-tunnel-proxy`. Nothing is written
if there is a file of the same name already, unless --force is given.

Examples:
  portcullis-tunnel man --out ~/.local/share/man/man1
  portcullis-tunnel man --out man1 --force";

pub(super) const VERSION_EXAMPLES: &str = "\
Examples:
  portcullis-tunnel version";
