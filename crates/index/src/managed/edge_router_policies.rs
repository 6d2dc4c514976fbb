//! Edge-router policies in a catalog.

use super::Described;
use crate::bits::mark;
use crate::catalog::Columns;
use crate::held::Held;
use crate::slots::Slot;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use portcullis_domain::policies::EdgeRouterPolicySpec;
use roaring::RoaringBitmap;

/// What edge-router policies are searched by besides name and times. What they select stays in the
/// records, and in [`Access`](crate::Access).
#[derive(Debug, Default)]
pub struct EdgeRouterPolicyColumns {
    system: RoaringBitmap,
}

impl Described for EdgeRouterPolicySpec {
    type Columns<I: EntityId> = EdgeRouterPolicyColumns;

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }
}

impl<I> Columns<Managed<I, EdgeRouterPolicySpec>> for EdgeRouterPolicyColumns {
    fn set(&mut self, slot: Slot, policy: &Managed<I, EdgeRouterPolicySpec>) {
        mark(&mut self.system, slot, policy.spec.is_system);
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
