//! Catalog columns of posture checks.

use super::CatalogSpec;
use crate::access::{PolicySide, Selectable};
use crate::catalog::CatalogColumns;
use crate::column::ColumnRef;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::ids::{EntityId, PostureCheckId};
use portcullis_domain::managed::Managed;
use portcullis_domain::posture_check::{PostureCheck, PostureCheckSpec};

/// Columns of posture checks. Prompt settings are only in the records.
#[derive(Debug, Default)]
pub struct PostureCheckColumns {
    types: Postings,
    role_attributes: Postings,
}

impl CatalogSpec for PostureCheckSpec {
    type Columns<I: EntityId> = PostureCheckColumns;
}

impl Selectable for PostureCheck {
    type Id = PostureCheckId;
    const SIDE: PolicySide = PolicySide::PostureChecks;

    fn role_attributes(columns: &PostureCheckColumns) -> &Postings {
        &columns.role_attributes
    }
}

impl<I> CatalogColumns<Managed<I, PostureCheckSpec>> for PostureCheckColumns {
    fn set(&mut self, slot: Slot, check: &Managed<I, PostureCheckSpec>) {
        let spec = &check.spec;
        self.types
            .set_terms(slot, std::iter::once(spec.check.check_type().name()));
        self.role_attributes
            .set_terms(slot, spec.role_attributes.iter());
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        Some(match symbol {
            "typeId" => ColumnRef::single(&self.types),
            "roleAttributes" => ColumnRef::set(&self.role_attributes),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        self.types.set_terms(slot, std::iter::empty());
        self.role_attributes.set_terms(slot, std::iter::empty());
    }

    fn heap_bytes(&self) -> usize {
        self.types.heap_bytes() + self.role_attributes.heap_bytes()
    }
}
