//! Copies of a store: what a snapshot holds, in a file that opens as a store.

use crate::disk::FileDisk;
use crate::engine::{KeyRange, Snapshot, StoreError};
use crate::overlay::Overlay;
use crate::redb_engine::{CopyTarget, sync_directory_of};
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Bytes of rows that are written at once.
const CHUNK: usize = 4 * 1024 * 1024;

/// A store was not copied. There is no copy, not even a part of one.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CopyError {
    /// There is something at the place of the copy, which stays as it is.
    #[error("there is something of this name already")]
    Exists,
    /// The operating system refused.
    #[error("the snapshot could not be written: {0}")]
    Io(#[source] Arc<io::Error>),
    /// The store cannot be read, or the copy cannot be written for want of room.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::Store(StoreError::Full)
            },
            _ => Self::Io(Arc::new(error)),
        }
    }
}

/// Writes what `snapshot` holds to a new file at `place`, for its owner's eyes only.
///
/// The copy is made at `draft`, in the same folder, and gets its name once it is whole and on the
/// disk. A draft that an earlier copy left behind is removed, so nobody else may use that name.
///
/// Takes as long as it takes to read and write everything; bodies are committed meanwhile.
///
/// # Errors
///
/// [`CopyError::Exists`] when there is something at `place`, which is never written over.
pub fn write(snapshot: &dyn Snapshot, draft: &Path, place: &Path) -> Result<(), CopyError> {
    remove(draft)?;
    let written = fill(snapshot, draft).and_then(|()| name(draft, place));
    // The copy has a name of its own by now, or there is none.
    let removed = remove(draft);
    written?;
    removed?;
    Ok(sync_directory_of(place)?)
}

fn fill(snapshot: &dyn Snapshot, draft: &Path) -> Result<(), CopyError> {
    let disk = FileDisk::create(draft)?;
    let target = CopyTarget::make(Arc::new(disk), &draft.display().to_string())?;
    let mut chunk = Overlay::default();
    snapshot.scan(&KeyRange::all(), &mut |key, value| {
        chunk.set(key, Some(value));
        if chunk.bytes() >= CHUNK {
            target.put(&std::mem::take(&mut chunk))?;
        }
        Ok(ControlFlow::Continue(()))
    })?;
    target.put(&chunk)?;
    drop(target);
    Ok(File::open(draft)?.sync_all()?)
}

/// Gives the draft its name, unless something has it: a link takes nobody's place.
fn name(draft: &Path, place: &Path) -> Result<(), CopyError> {
    Ok(fs::hard_link(draft, place)?)
}

fn remove(draft: &Path) -> Result<(), CopyError> {
    match fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
