//! Records that are read when something asks for them.

use super::listable::Listable;
use super::record_location::RecordLocation;
use portcullis_domain::ids::RecordNumber;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows};
use std::cell::OnceCell;

/// A record of a list, read at most once.
pub(crate) struct LazyRecord<'r, E> {
    rows: Rows<'r>,
    location: RecordLocation,
    found: OnceCell<Option<Found<E>>>,
}

impl<'r, E: Listable> LazyRecord<'r, E> {
    pub(super) const fn new(rows: Rows<'r>, location: RecordLocation) -> Self {
        Self {
            rows,
            location,
            found: OnceCell::new(),
        }
    }

    /// A record that was read already.
    pub(super) fn from_found(rows: Rows<'r>, found: Found<E>) -> Self {
        Self {
            rows,
            location: RecordLocation::from_found(&found),
            found: OnceCell::from(Some(found)),
        }
    }

    /// The view that it is read from.
    pub(crate) const fn rows(&self) -> Rows<'r> {
        self.rows
    }

    pub(crate) fn number(&self) -> RecordNumber {
        self.location.number()
    }

    pub(super) const fn location(&self) -> RecordLocation {
        self.location
    }

    /// Reads the record; `None` if it was deleted in the meantime.
    pub(crate) fn read(&self) -> Result<Option<&Found<E>>, StoreError> {
        if let Some(found) = self.found.get() {
            return Ok(found.as_ref());
        }
        let key = self.location.key::<E>();
        let entity = self.rows.get(&key)?;
        let found = entity.map(|entity| Found { key, entity });
        Ok(self.found.get_or_init(|| found).as_ref())
    }
}
