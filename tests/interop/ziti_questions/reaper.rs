//! The end of what all tests of a process share, and so none of them drops.

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Kills programs and removes their folder as soon as this process is no more, however it ends: its end of a pipe
/// is closed then.
pub(super) struct Reaper {
    _waiting: Child,
}

impl Reaper {
    pub(super) fn start(folder: &Path, processes: &[u32]) -> Self {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg("trap '' HUP INT TERM; cat > /dev/null; kill -9 \"$@\"; rm -rf -- \"$0\"")
            .arg(folder)
            .args(processes.iter().map(u32::to_string))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        Self {
            _waiting: command.spawn().unwrap(),
        }
    }
}
