//! Groups of commands in the help.

use portcullis_command_line::CommandGroup;

/// All commands that are not about the program itself, in the order of the help.
pub(super) const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        heading: "Serving a network",
        commands: &["quickstart", "config", "init", "run"],
    },
    CommandGroup {
        heading: "Operations",
        commands: &["doctor", "fingerprint", "backup", "audit", "admin"],
    },
];
