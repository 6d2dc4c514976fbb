//! Catalog columns of authentication policies.

use crate::catalog::CatalogColumns;
use crate::column::ColumnRef;
use crate::managed::CatalogSpec;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::auth_policy::AuthPolicySpec;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use roaring::RoaringBitmap;

/// Columns of authentication policies. There are few, so everything else is read from the records.
#[derive(Debug, Default)]
pub struct AuthPolicyColumns {
    system: RoaringBitmap,
}

impl CatalogSpec for AuthPolicySpec {
    type Columns<I: EntityId> = AuthPolicyColumns;
}

impl<I: EntityId> CatalogColumns<Managed<I, AuthPolicySpec>> for AuthPolicyColumns {
    fn set(&mut self, slot: Slot, policy: &Managed<I, AuthPolicySpec>) {
        set_flag(&mut self.system, slot, policy.is_default());
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
