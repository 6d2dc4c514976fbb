//! Catalog columns of routers.

use super::CatalogSpec;
use crate::access::{PolicySide, Selectable};
use crate::catalog::{Catalog, CatalogColumns};
use crate::column::ColumnRef;
use crate::postings::Postings;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use portcullis_domain::ids::{EntityId, RouterId};
use portcullis_domain::managed::Managed;
use portcullis_domain::router::{Router, RouterSpec};
use roaring::RoaringBitmap;

/// Columns of routers.
#[derive(Debug, Default)]
pub struct RouterColumns {
    edge: RoaringBitmap,
    tunnelers: RoaringBitmap,
    verified: RoaringBitmap,
    disabled: RoaringBitmap,
    no_traversal: RoaringBitmap,
    role_attributes: Postings,
    configs: Postings,
}

impl RouterColumns {
    /// Edge routers.
    pub const fn edge(&self) -> &RoaringBitmap {
        &self.edge
    }

    /// Enrolled routers.
    pub const fn verified(&self) -> &RoaringBitmap {
        &self.verified
    }

    /// Disabled routers.
    pub const fn disabled(&self) -> &RoaringBitmap {
        &self.disabled
    }
}

impl CatalogSpec for RouterSpec {
    type Columns<I: EntityId> = RouterColumns;
}

impl Selectable for Router {
    type Id = RouterId;
    const SIDE: PolicySide = PolicySide::EdgeRouters;

    fn role_attributes(columns: &RouterColumns) -> &Postings {
        &columns.role_attributes
    }

    fn selectable(catalog: &Catalog<Self>) -> &RoaringBitmap {
        catalog.columns().edge()
    }
}

impl<I> CatalogColumns<Managed<I, RouterSpec>> for RouterColumns {
    fn set(&mut self, slot: Slot, router: &Managed<I, RouterSpec>) {
        let spec = &router.spec;
        let edge = spec.edge();
        let is_tunneler = edge.is_some_and(|edge| edge.is_tunneler_enabled);
        set_flag(&mut self.edge, slot, edge.is_some());
        set_flag(&mut self.tunnelers, slot, is_tunneler);
        set_flag(&mut self.verified, slot, spec.certificate.is_some());
        set_flag(&mut self.disabled, slot, spec.disabled);
        set_flag(&mut self.no_traversal, slot, spec.no_traversal);
        let attributes = edge.map(|edge| edge.role_attributes.iter());
        self.role_attributes
            .set_terms(slot, attributes.into_iter().flatten());
        let configs = spec.configs.iter().map(EntityId::as_str);
        self.configs.set_terms(slot, configs);
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        Some(match symbol {
            "isTunnelerEnabled" => ColumnRef::flag(&self.tunnelers),
            "isVerified" => ColumnRef::flag(&self.verified),
            "disabled" => ColumnRef::flag(&self.disabled),
            "noTraversal" => ColumnRef::flag(&self.no_traversal),
            "roleAttributes" => ColumnRef::set(&self.role_attributes),
            "configs" => ColumnRef::set(&self.configs),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        for flag in [
            &mut self.edge,
            &mut self.tunnelers,
            &mut self.verified,
            &mut self.disabled,
            &mut self.no_traversal,
        ] {
            flag.remove(slot.bit());
        }
        self.role_attributes.set_terms(slot, std::iter::empty());
        self.configs.set_terms(slot, std::iter::empty());
    }

    fn heap_bytes(&self) -> usize {
        let flags: usize = [
            &self.edge,
            &self.tunnelers,
            &self.verified,
            &self.disabled,
            &self.no_traversal,
        ]
        .map(RoaringBitmap::serialized_size)
        .iter()
        .sum();
        flags + self.role_attributes.heap_bytes() + self.configs.heap_bytes()
    }
}
