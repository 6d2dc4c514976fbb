//! Running processes.

use std::collections::BTreeSet;
use std::fs;

/// Where Linux shows processes.
const PROCESSES: &str = "/proc";

/// What Linux appends to the paths of binaries that were replaced while they run.
const REPLACED: &str = " (deleted)";

/// The paths of the binaries of all processes that this user may look at.
pub(super) fn executables() -> BTreeSet<String> {
    let entries = fs::read_dir(PROCESSES).into_iter().flatten().flatten();
    let processes = entries.filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes().iter().all(u8::is_ascii_digit)
    });
    let paths = processes.filter_map(|process| fs::read_link(process.path().join("exe")).ok());
    let paths = paths.filter_map(|path| path.into_os_string().into_string().ok());
    paths
        .map(|path| match path.strip_suffix(REPLACED) {
            Some(path) => path.to_owned(),
            None => path,
        })
        .collect()
}
