//! Routers in a catalog.

use super::Described;
use crate::access::{Selectable, Side};
use crate::bits::mark;
use crate::catalog::{Catalog, Columns};
use crate::held::Held;
use crate::postings::Postings;
use crate::slots::Slot;
use portcullis_domain::ids::{EntityId, RouterId};
use portcullis_domain::managed::Managed;
use portcullis_domain::router::{Router, RouterSpec};
use roaring::RoaringBitmap;

/// What routers are searched by besides name and times.
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
    /// Those to which clients connect.
    pub const fn edge(&self) -> &RoaringBitmap {
        &self.edge
    }

    /// Those that have enrolled.
    pub const fn verified(&self) -> &RoaringBitmap {
        &self.verified
    }

    /// Those that are shut out.
    pub const fn disabled(&self) -> &RoaringBitmap {
        &self.disabled
    }
}

impl Described for RouterSpec {
    type Columns<I: EntityId> = RouterColumns;

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }
}

impl Selectable for Router {
    type Id = RouterId;
    const SIDE: Side = Side::EdgeRouters;

    fn role_attributes(columns: &RouterColumns) -> &Postings {
        &columns.role_attributes
    }

    fn selectable(catalog: &Catalog<Self>) -> &RoaringBitmap {
        catalog.columns().edge()
    }
}

impl<I> Columns<Managed<I, RouterSpec>> for RouterColumns {
    fn set(&mut self, slot: Slot, router: &Managed<I, RouterSpec>) {
        let spec = &router.spec;
        let edge = spec.edge();
        let is_tunneler = edge.is_some_and(|edge| edge.is_tunneler_enabled);
        mark(&mut self.edge, slot, edge.is_some());
        mark(&mut self.tunnelers, slot, is_tunneler);
        mark(&mut self.verified, slot, spec.certificate.is_some());
        mark(&mut self.disabled, slot, spec.disabled);
        mark(&mut self.no_traversal, slot, spec.no_traversal);
        let attributes = edge.map(|edge| edge.role_attributes.iter());
        self.role_attributes
            .set_words(slot, attributes.into_iter().flatten());
        let configs = spec.configs.iter().map(EntityId::as_str);
        self.configs.set_words(slot, configs);
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        Some(match symbol {
            "isTunnelerEnabled" => Held::flag(&self.tunnelers),
            "isVerified" => Held::flag(&self.verified),
            "disabled" => Held::flag(&self.disabled),
            "noTraversal" => Held::flag(&self.no_traversal),
            "roleAttributes" => Held::set(&self.role_attributes),
            "configs" => Held::set(&self.configs),
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
        self.role_attributes.set_words(slot, std::iter::empty());
        self.configs.set_words(slot, std::iter::empty());
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
