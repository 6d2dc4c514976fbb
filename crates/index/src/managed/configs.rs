//! Catalog columns of configurations.

use super::CatalogSpec;
use crate::catalog::CatalogColumns;
use crate::column::ColumnRef;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::config::ConfigSpec;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use std::iter::{empty, once};

/// Columns of configurations.
#[derive(Debug, Default)]
pub struct ConfigColumns {
    types: Postings,
}

impl ConfigColumns {
    /// The id of the type of the configuration in a slot.
    pub fn config_type(&self, slot: Slot) -> Option<&str> {
        self.types.terms_of(slot).next()
    }
}

impl CatalogSpec for ConfigSpec {
    type Columns<I: EntityId> = ConfigColumns;
}

impl<I> CatalogColumns<Managed<I, ConfigSpec>> for ConfigColumns {
    fn set(&mut self, slot: Slot, config: &Managed<I, ConfigSpec>) {
        let id = config.spec.config_type.as_str();
        self.types.set_terms(slot, once(id));
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        (symbol == "type").then(|| ColumnRef::single(&self.types))
    }

    fn clear(&mut self, slot: Slot) {
        self.types.set_terms(slot, empty());
    }

    fn heap_bytes(&self) -> usize {
        self.types.heap_bytes()
    }
}
