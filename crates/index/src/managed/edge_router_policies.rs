//! Catalog columns of edge-router policies.

use super::CatalogSpec;
use crate::catalog::CatalogColumns;
use crate::column::ColumnRef;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use portcullis_domain::policies::EdgeRouterPolicySpec;
use roaring::RoaringBitmap;

/// Columns of edge-router policies. Their selectors are in the records and in
/// [`AccessIndex`](crate::AccessIndex).
#[derive(Debug, Default)]
pub struct EdgeRouterPolicyColumns {
    system: RoaringBitmap,
}

impl CatalogSpec for EdgeRouterPolicySpec {
    type Columns<I: EntityId> = EdgeRouterPolicyColumns;
}

impl<I> CatalogColumns<Managed<I, EdgeRouterPolicySpec>> for EdgeRouterPolicyColumns {
    fn set(&mut self, slot: Slot, policy: &Managed<I, EdgeRouterPolicySpec>) {
        set_flag(&mut self.system, slot, policy.spec.is_system);
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        (symbol == "isSystem").then(|| ColumnRef::flag(&self.system))
    }

    fn clear(&mut self, slot: Slot) {
        self.system.remove(slot.bit());
    }

    fn heap_bytes(&self) -> usize {
        self.system.serialized_size()
    }
}
