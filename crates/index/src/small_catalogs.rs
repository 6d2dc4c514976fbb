//! Catalogs of kinds with few entities: they have the common columns and orders only; everything
//! else is read from the records.

use crate::catalog::{CatalogColumns, CatalogEntry};
use crate::column::ColumnRef;
use crate::slots::Slot;
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;

/// No columns.
#[derive(Debug, Default)]
pub struct NoColumns;

impl<E> CatalogColumns<E> for NoColumns {
    fn set(&mut self, _slot: Slot, _entity: &E) {}

    fn column(&self, _symbol: &str) -> Option<ColumnRef<'_>> {
        None
    }

    fn clear(&mut self, _slot: Slot) {}

    fn heap_bytes(&self) -> usize {
        0
    }
}

impl CatalogEntry for Ca {
    type Columns = NoColumns;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        Some(&self.spec.name)
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}
