//! One view for all who read between two commits.

use super::database::Store;
use super::lock;
use super::reader::Reader;
use super::sync::Mutex;
use crate::engine::StoreError;
use std::sync::Arc;

/// The view that is handed out until the writer lets it go.
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
    /// As [`Store::reader`]. A view of a database that has to be opened anew is not shared.
    pub(super) fn of(&self, store: &Store) -> Result<Arc<Reader>, StoreError> {
        let mut held = lock(&self.0);
        if let Some(view) = held.as_ref().filter(|view| !view.is_stale()) {
            return Ok(Arc::clone(view));
        }
        let view = store.reader().map(Arc::new);
        *held = match &view {
            Ok(view) if !view.is_stale() => Some(Arc::clone(view)),
            Ok(_) | Err(_) => None,
        };
        view
    }

    /// Lets the view go: whoever asks from now on sees what is committed by now.
    pub(super) fn let_go(&self) {
        let held = lock(&self.0).take();
        // Its end takes the locks of the database, which nobody should wait for here.
        drop(held);
    }
}
