//! Catalog columns of authentication policies.

use crate::catalog::{CatalogColumns, CatalogEntry};
use crate::column::ColumnRef;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::Timestamp;
use roaring::RoaringBitmap;

/// Columns of authentication policies. There are few, so everything else is read from the records.
#[derive(Debug, Default)]
pub struct AuthPolicyColumns {
    system: RoaringBitmap,
}

impl CatalogEntry for AuthPolicy {
    type Columns = AuthPolicyColumns;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

impl CatalogColumns<AuthPolicy> for AuthPolicyColumns {
    fn set(&mut self, slot: Slot, policy: &AuthPolicy) {
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
