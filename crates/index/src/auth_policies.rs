//! Authentication policies in a catalog.

use crate::bits::mark;
use crate::catalog::{Catalogued, Columns};
use crate::held::Held;
use crate::slots::Slot;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::clock::Timestamp;
use roaring::RoaringBitmap;

/// What authentication policies are searched by besides name and times. Everything else is read from
/// the records: there are few.
#[derive(Debug, Default)]
pub struct AuthPolicyColumns {
    system: RoaringBitmap,
}

impl Catalogued for AuthPolicy {
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

impl Columns<AuthPolicy> for AuthPolicyColumns {
    fn set(&mut self, slot: Slot, policy: &AuthPolicy) {
        mark(&mut self.system, slot, policy.is_default());
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        (symbol == "isSystem").then(|| Held::flag(&self.system))
    }

    fn clear(&mut self, slot: Slot) {
        self.system.remove(slot.bit());
    }

    fn heap_bytes(&self) -> usize {
        self.system.serialized_size()
    }
}
