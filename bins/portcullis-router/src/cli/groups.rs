//! Groups of commands in the help.

use portcullis_command_line::CommandGroup;

/// All commands that are not about the program itself, in the order of the help.
pub(super) const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        heading: "Running a router",
        commands: &["config", "enroll", "run"],
    },
    CommandGroup {
        heading: "Looking after a router that runs",
        commands: &["quiesce", "dequiesce", "renew", "decommission"],
    },
];
