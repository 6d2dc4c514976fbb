//! Hashes of binaries.

use crate::posture_subject::Subject;
use rustix::fs::{Mode, OFlags};
use sha2::{Digest as _, Sha512};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;

const BUFFER_BYTES: usize = 64 * 1024;

/// SHA-512 of files, in hex, as long as the files stay the same.
#[derive(Debug, Default)]
pub(super) struct HashCache(BTreeMap<String, (FileState, String)>);

/// What changes when a file is written or replaced.
#[derive(Debug, PartialEq, Eq)]
struct FileState {
    device: u64,
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

impl HashCache {
    /// The hash of a file; `None` if it cannot be read, or is none.
    pub(super) fn of_file(&mut self, path: &str) -> Option<String> {
        let mut file = open(path).ok()?;
        let metadata = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let state = FileState {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        };
        if let Some((known, hash)) = self.0.get(path)
            && *known == state
        {
            return Some(hash.clone());
        }
        let hash = hash(&mut file).ok()?;
        self.0.insert(path.to_owned(), (state, hash.clone()));
        Some(hash)
    }

    /// Forgets the files that are not asked for any more.
    pub(super) fn retain(&mut self, subjects: &BTreeSet<Subject>) {
        self.0
            .retain(|path, _| subjects.contains(&Subject::Process(path.clone())));
    }
}

/// Opens a file. The path comes from the controller, and may lead to a pipe, for whose writer is not waited, or to a
/// terminal.
fn open(path: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

fn hash(file: &mut File) -> io::Result<String> {
    let (mut hasher, mut buffer) = (Sha512::new(), vec![0; BUFFER_BYTES]);
    loop {
        let count = file.read(&mut buffer)?;
        match buffer.get(..count) {
            Some(read) if !read.is_empty() => hasher.update(read),
            _ => break,
        }
    }
    let mut hex = String::new();
    for byte in hasher.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    Ok(hex)
}
