//! The end of what all tests of a process share, and so none of them drops.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Kills programs and removes their folder as soon as this process is no more, however it ends, or has dropped this: its
/// end of a pipe is closed then. Through it come the programs, so that none is missed when others do not start.
pub(super) struct Reaper {
    waiting: Child,
}

impl Reaper {
    pub(super) fn start(folder: &Path) -> Self {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(concat!(
                "trap '' HUP INT TERM; ",
                r#"while read -r process; do set -- "$@" "$process"; done; "#,
                r#"kill -9 "$@"; rm -rf -- "$0""#
            ))
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self {
            waiting: command.spawn().unwrap(),
        }
    }

    /// Takes on a program.
    pub(super) fn add(&self, process: u32) {
        let mut pipe = self.waiting.stdin.as_ref().unwrap();
        writeln!(pipe, "{process}").unwrap();
    }
}
