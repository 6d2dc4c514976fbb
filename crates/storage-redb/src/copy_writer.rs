//! Writer for copies of a store.

use crate::database::{Store, StoreFailure};
use crate::disk::Disk;
use crate::options::Options;
use crate::overlay::Overlay;
use portcullis_storage::engine::StoreError;
use std::sync::Arc;

/// A new store without an engine, to be filled with rows.
pub(crate) struct CopyWriter(Store);

impl CopyWriter {
    /// Creates it on an empty disk.
    pub(crate) fn create(disk: Arc<dyn Disk>, place: &str) -> Result<Self, StoreError> {
        match Store::open(disk, place, &Options::default()) {
            Ok((store, _state)) => Ok(Self(store)),
            Err(error) => Err(StoreError::Unavailable(Arc::new(error))),
        }
    }

    /// Writes rows, including the store's own.
    pub(crate) fn put(&self, rows: &Overlay) -> Result<(), StoreError> {
        self.0.commit(rows, &[]).map_err(|failure| match failure {
            StoreFailure::Transient(error) => error,
            StoreFailure::Fatal(fatal) => StoreError::Unavailable(Arc::new(fatal)),
        })
    }
}
