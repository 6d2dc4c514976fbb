//! The process gives up what it does not need.

use crate::support::quickstart;
use std::fs;

#[test]
fn privileges_cannot_be_gained() {
    let folder = tempfile::tempdir().unwrap();
    let serving = quickstart(&folder.path().join("home"));
    let threads = fs::read_dir(format!("/proc/{}/task", serving.id())).unwrap();
    for thread in threads {
        // Threads come and go.
        let Ok(status) = fs::read_to_string(thread.unwrap().path().join("status")) else {
            continue;
        };
        let line = status.lines().find(|line| line.starts_with("NoNewPrivs:"));
        assert!(line.is_some_and(|line| line.ends_with('1')), "{line:?}");
    }
}
