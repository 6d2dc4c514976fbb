//! Groups of commands in the help.

use portcullis_command_line::CommandGroup;

/// All commands, in the order of the help.
pub(super) const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        heading: "Joining a network",
        commands: &["enroll", "run", "proxy", "host"],
    },
    CommandGroup {
        heading: "This program",
        commands: &["completion", "man", "version"],
    },
];
