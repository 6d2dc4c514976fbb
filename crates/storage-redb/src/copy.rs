//! Copies of a store, made from a snapshot.

use crate::copy_writer::CopyWriter;
use crate::disk::FileDisk;
use crate::overlay::Overlay;
use portcullis_storage::directory::sync_directory_of;
use portcullis_storage::engine::{CopyError, KeyRange, Snapshot};
use portcullis_storage::key::MODEL_POSITION_KEY;
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Bytes of rows per write.
const CHUNK: usize = 4 * 1024 * 1024;

/// See [`Snapshot::write_copy`].
pub(crate) fn write(snapshot: &dyn Snapshot, draft: &Path, path: &Path) -> Result<(), CopyError> {
    remove(draft)?;
    let written = write_rows(snapshot, draft).and_then(|()| publish(draft, path));
    // The draft is no longer needed, whether the copy succeeded or not.
    let removed = remove(draft);
    written?;
    removed?;
    Ok(sync_directory_of(path)?)
}

fn write_rows(snapshot: &dyn Snapshot, draft: &Path) -> Result<(), CopyError> {
    let disk = FileDisk::create(draft)?;
    let target = CopyWriter::create(Arc::new(disk), &draft.display().to_string())?;
    let mut chunk = Overlay::default();
    snapshot.scan(&KeyRange::all(), &mut |key, value| {
        if key == MODEL_POSITION_KEY {
            return Ok(ControlFlow::Continue(()));
        }
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

/// Links the draft to its final name; a link, unlike a rename, never replaces a file.
fn publish(draft: &Path, path: &Path) -> Result<(), CopyError> {
    Ok(fs::hard_link(draft, path)?)
}

fn remove(draft: &Path) -> Result<(), CopyError> {
    match fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
