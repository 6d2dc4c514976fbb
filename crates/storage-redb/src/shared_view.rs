//! A read view shared by all readers between two commits.

use super::database::Store;
use super::lock;
use super::reader::Reader;
use super::sync::Mutex;
use portcullis_storage::engine::StoreError;
use std::sync::Arc;

/// The current shared view, until the writer releases it.
///
/// Opening a view costs as much as reading several rows, and readers cache per view.
#[derive(Default)]
pub(crate) struct SharedView(Mutex<Option<Arc<Reader>>>);

impl SharedView {
    /// A view of everything committed so far.
    ///
    /// # Errors
    ///
    /// See [`Store::reader`]. Views of a stale database are not shared.
    pub(crate) fn get(&self, store: &Store) -> Result<Arc<Reader>, StoreError> {
        let mut current = lock(&self.0);
        if let Some(view) = current.as_ref().filter(|view| !view.is_stale()) {
            return Ok(Arc::clone(view));
        }
        let view = store.reader().map(Arc::new);
        *current = match &view {
            Ok(view) if !view.is_stale() => Some(Arc::clone(view)),
            Ok(_) | Err(_) => None,
        };
        view
    }

    /// Releases the view, so that later readers see the latest commit.
    pub(crate) fn release(&self) {
        let current = lock(&self.0).take();
        // Dropped outside the lock: this takes locks of the database.
        drop(current);
    }
}
