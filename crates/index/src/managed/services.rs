//! Services in a catalog.

use super::Described;
use crate::access::{Selectable, Side};
use crate::bits::mark;
use crate::catalog::{Catalog, Columns};
use crate::held::Held;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::ids::{EntityId, ServiceId};
use portcullis_domain::managed::Managed;
use portcullis_domain::service::{Service, ServiceSpec};
use roaring::RoaringBitmap;

/// What services are searched by besides name and times.
#[derive(Debug, Default)]
pub struct ServiceColumns {
    edge: RoaringBitmap,
    fabric_only: RoaringBitmap,
    role_attributes: Postings,
    configs: Postings,
    strategies: Postings,
}

impl ServiceColumns {
    /// Those that the edge APIs know.
    pub const fn edge(&self) -> &RoaringBitmap {
        &self.edge
    }

    /// Those that are the fabric's alone.
    pub const fn fabric_only(&self) -> &RoaringBitmap {
        &self.fabric_only
    }

    /// Which of them has which configuration, by the id of that.
    pub const fn configs(&self) -> &Postings {
        &self.configs
    }
}

impl Described for ServiceSpec {
    type Columns<I: EntityId> = ServiceColumns;

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }
}

impl Selectable for Service {
    type Id = ServiceId;
    const SIDE: Side = Side::Services;

    fn role_attributes(columns: &ServiceColumns) -> &Postings {
        &columns.role_attributes
    }

    fn selectable(catalog: &Catalog<Self>) -> &RoaringBitmap {
        catalog.columns().edge()
    }
}

impl<I> Columns<Managed<I, ServiceSpec>> for ServiceColumns {
    fn set(&mut self, slot: Slot, service: &Managed<I, ServiceSpec>) {
        let spec = &service.spec;
        mark(&mut self.edge, slot, !spec.is_fabric_only);
        mark(&mut self.fabric_only, slot, spec.is_fabric_only);
        let configs = spec.configs.iter().map(EntityId::as_str);
        let strategy = spec.terminator_strategy.name();
        self.role_attributes
            .set_words(slot, spec.role_attributes.iter());
        self.configs.set_words(slot, configs);
        self.strategies.set_words(slot, std::iter::once(strategy));
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        Some(match symbol {
            "isFabricOnly" => Held::flag(&self.fabric_only),
            "roleAttributes" => Held::set(&self.role_attributes),
            "configs" => Held::set(&self.configs),
            "terminatorStrategy" => Held::single(&self.strategies),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        for flag in [&mut self.edge, &mut self.fabric_only] {
            flag.remove(slot.bit());
        }
        for words in [
            &mut self.role_attributes,
            &mut self.configs,
            &mut self.strategies,
        ] {
            words.set_words(slot, std::iter::empty());
        }
    }

    fn heap_bytes(&self) -> usize {
        let flags: usize = [&self.edge, &self.fabric_only]
            .map(RoaringBitmap::serialized_size)
            .iter()
            .sum();
        let words: usize = [&self.role_attributes, &self.configs, &self.strategies]
            .map(Postings::heap_bytes)
            .iter()
            .sum();
        flags + words
    }
}
