//! The process that holds the lock of a store.

use rustix::fs::{major, minor};
use std::fs;
use std::num::NonZero;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The process that has the store at `path` open, by the locks that Linux lists. `None` if no process of
/// this machine holds it, or if it cannot be told, as on other systems and on some file systems.
pub(crate) fn lock_holder(path: &Path) -> Option<NonZero<u32>> {
    let found = fs::metadata(path).ok()?;
    let (device, inode) = (found.dev(), found.ino());
    let file = format!("{:02x}:{:02x}:{inode}", major(device), minor(device));
    holder(&fs::read_to_string("/proc/locks").ok()?, &file)
}

/// Who has the file at `path` locked, as in `it is in use by process 123`.
pub(crate) fn describe_lock_holder(path: &Path) -> String {
    match lock_holder(path) {
        Some(process) => format!("process {process}"),
        None => "another process".to_owned(),
    }
}

/// The holder of the lock on a file by the text of `/proc/locks`, which has a line such as
/// `1: FLOCK  ADVISORY  WRITE 1234 08:01:131 0 EOF` for each lock, and `->` in those that wait.
fn holder(locks: &str, file: &str) -> Option<NonZero<u32>> {
    locks.lines().find_map(|line| {
        let fields: Vec<_> = line.split_whitespace().collect();
        match fields.as_slice() {
            [_, "FLOCK", _, "WRITE", process, locked, ..] if *locked == file => {
                // Processes of other containers have no number here.
                process.parse().ok()
            },
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holder_is_told_from_others() {
        let locks = "1: POSIX  ADVISORY  WRITE 11 08:01:131 0 EOF\n\
                     2: FLOCK  ADVISORY  READ 12 08:01:131 0 EOF\n\
                     3: FLOCK  ADVISORY  WRITE 13 08:01:1312 0 EOF\n\
                     4: FLOCK  ADVISORY  WRITE 14 08:01:131 0 EOF\n\
                     4: -> FLOCK  ADVISORY  WRITE 15 08:01:131 0 EOF\n\
                     5: FLOCK  ADVISORY  WRITE 0 08:01:7 0 EOF\n";
        assert_eq!(holder(locks, "08:01:131"), NonZero::new(14));
        assert_eq!(holder(locks, "08:01:7"), None);
        assert_eq!(holder("", "08:01:131"), None);
    }
}
