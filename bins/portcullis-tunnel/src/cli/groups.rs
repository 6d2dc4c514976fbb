//! Groups of commands in the help.

use portcullis_command_line::CommandGroup;

/// All commands that are not about the program itself, in the order of the help.
pub(super) const GROUPS: &[CommandGroup] = &[CommandGroup {
    heading: "Joining a network",
    commands: &["enroll", "run", "proxy", "host"],
}];
