//! A store that is filled with the rows of another one.

use super::database::{Failure, Store};
use super::options::Options;
use crate::disk::Disk;
use crate::engine::StoreError;
use crate::overlay::Overlay;
use std::sync::Arc;

/// A new store without an engine: nobody reads it before it is whole.
pub(crate) struct CopyTarget(Store);

impl CopyTarget {
    /// Makes it on an empty disk.
    pub(crate) fn make(disk: Arc<dyn Disk>, place: &str) -> Result<Self, StoreError> {
        match Store::open(disk, place, &Options::default()) {
            Ok((store, _state)) => Ok(Self(store)),
            Err(error) => Err(StoreError::Unavailable(Arc::new(error))),
        }
    }

    /// Puts rows, those of the store itself among them, in the place of what it was made with.
    pub(crate) fn put(&self, rows: &Overlay) -> Result<(), StoreError> {
        self.0.commit(rows, &[]).map_err(|failure| match failure {
            Failure::Passing(error) => error,
            Failure::Fatal(fatal) => StoreError::Unavailable(Arc::new(fatal)),
        })
    }
}
