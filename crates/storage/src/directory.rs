//! Durable directory entries.

use std::fs::File;
use std::io;
use std::path::Path;

/// Syncs the directory of `path`, so that its entries survive a power loss.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(directory)?.sync_all()
}
