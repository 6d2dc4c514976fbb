//! Catalog columns of services.

use super::CatalogSpec;
use crate::access::{PolicySide, Selectable};
use crate::catalog::{Catalog, CatalogColumns};
use crate::column::ColumnRef;
use crate::postings::Postings;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::ids::{EntityId, ServiceId};
use portcullis_domain::managed::Managed;
use portcullis_domain::service::{Service, ServiceSpec};
use roaring::RoaringBitmap;

/// Columns of services.
#[derive(Debug, Default)]
pub struct ServiceColumns {
    edge: RoaringBitmap,
    fabric_only: RoaringBitmap,
    role_attributes: Postings,
    configs: Postings,
    strategies: Postings,
}

impl ServiceColumns {
    /// Services visible on the edge APIs.
    pub const fn edge(&self) -> &RoaringBitmap {
        &self.edge
    }

    /// Services visible on the fabric API only.
    pub const fn fabric_only(&self) -> &RoaringBitmap {
        &self.fabric_only
    }

    /// Services by configuration id.
    pub const fn configs(&self) -> &Postings {
        &self.configs
    }
}

impl CatalogSpec for ServiceSpec {
    type Columns<I: EntityId> = ServiceColumns;
}

impl Selectable for Service {
    type Id = ServiceId;
    const SIDE: PolicySide = PolicySide::Services;

    fn role_attributes(columns: &ServiceColumns) -> &Postings {
        &columns.role_attributes
    }

    fn selectable(catalog: &Catalog<Self>) -> &RoaringBitmap {
        catalog.columns().edge()
    }
}

impl<I> CatalogColumns<Managed<I, ServiceSpec>> for ServiceColumns {
    fn set(&mut self, slot: Slot, service: &Managed<I, ServiceSpec>) {
        let spec = &service.spec;
        set_flag(&mut self.edge, slot, !spec.is_fabric_only);
        set_flag(&mut self.fabric_only, slot, spec.is_fabric_only);
        let configs = spec.configs.iter().map(EntityId::as_str);
        let strategy = spec.terminator_strategy.name();
        self.role_attributes
            .set_terms(slot, spec.role_attributes.iter());
        self.configs.set_terms(slot, configs);
        self.strategies.set_terms(slot, std::iter::once(strategy));
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        Some(match symbol {
            "isFabricOnly" => ColumnRef::flag(&self.fabric_only),
            "roleAttributes" => ColumnRef::set(&self.role_attributes),
            "configs" => ColumnRef::set(&self.configs),
            "terminatorStrategy" => ColumnRef::single(&self.strategies),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        for flag in [&mut self.edge, &mut self.fabric_only] {
            flag.remove(slot.bit());
        }
        for terms in [
            &mut self.role_attributes,
            &mut self.configs,
            &mut self.strategies,
        ] {
            terms.set_terms(slot, std::iter::empty());
        }
    }

    fn heap_bytes(&self) -> usize {
        let flags: usize = [&self.edge, &self.fabric_only]
            .map(RoaringBitmap::serialized_size)
            .iter()
            .sum();
        let terms: usize = [&self.role_attributes, &self.configs, &self.strategies]
            .map(Postings::heap_bytes)
            .iter()
            .sum();
        flags + terms
    }
}
