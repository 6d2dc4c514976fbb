//! The columns of kinds with few entities: none but the common ones; everything else is read from
//! the records.

use crate::catalog::CatalogColumns;
use crate::column::ColumnRef;
use crate::slots::Slot;

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
