//! One view for all who read between two commits.

use super::database::Store;
use super::reader::Reader;
use crate::engine::StoreError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The view that is handed out until something is committed.
///
/// Opening one costs as much as reading several rows, and what was made of its rows is then there
/// for everybody.
#[derive(Default)]
pub(super) struct SharedView(Mutex<Option<Arc<Reader>>>);

impl SharedView {
    /// A view of everything committed so far.
    ///
    /// # Errors
    ///
    /// As [`Store::reader`]. A view of a database that has to be opened anew is not handed out.
    pub(super) fn of(&self, store: &Store) -> Result<Arc<Reader>, StoreError> {
        let mut held = self.lock();
        if let Some(view) = held.as_ref().filter(|view| !view.is_stale()) {
            return Ok(Arc::clone(view));
        }
        // Not even for the time of an error: it keeps pages from being used again.
        *held = None;
        let view = Arc::new(store.reader()?);
        *held = Some(Arc::clone(&view));
        Ok(view)
    }

    /// Lets the view go, since something is committed: whoever asks from now on sees that.
    pub(super) fn let_go(&self) {
        let held = self.lock().take();
        // Its end takes the locks of the database, which nobody should wait for here.
        drop(held);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Reader>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
