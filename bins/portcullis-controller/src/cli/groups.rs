//! Groups of commands in the help.

use portcullis_command_line::CommandGroup;

/// All commands, in the order of the help.
pub(super) const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        heading: "Serving a network",
        commands: &["quickstart", "config", "init", "run"],
    },
    CommandGroup {
        heading: "Operations",
        commands: &["doctor", "fingerprint", "backup", "audit", "admin"],
    },
    CommandGroup {
        heading: "This program",
        commands: &["completion", "man", "version"],
    },
];
