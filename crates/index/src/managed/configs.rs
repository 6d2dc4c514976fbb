//! Configurations in a catalog.

use super::Described;
use crate::catalog::Columns;
use crate::held::Held;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::config::ConfigSpec;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use std::iter::{empty, once};

/// What configurations are searched by besides names and times.
#[derive(Debug, Default)]
pub struct ConfigColumns {
    types: Postings,
}

impl ConfigColumns {
    /// The type of the configuration in a slot, by its id.
    pub fn config_type(&self, slot: Slot) -> Option<&str> {
        self.types.of(slot).next()
    }
}

impl Described for ConfigSpec {
    type Columns<I: EntityId> = ConfigColumns;

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }
}

impl<I> Columns<Managed<I, ConfigSpec>> for ConfigColumns {
    fn set(&mut self, slot: Slot, config: &Managed<I, ConfigSpec>) {
        let id = config.spec.config_type.as_str();
        self.types.set_words(slot, once(id));
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        (symbol == "type").then(|| Held::single(&self.types))
    }

    fn clear(&mut self, slot: Slot) {
        self.types.set_words(slot, empty());
    }

    fn heap_bytes(&self) -> usize {
        self.types.heap_bytes()
    }
}
