//! Catalog columns of terminators.

use super::CatalogSpec;
use crate::catalog::CatalogColumns;
use crate::column::ColumnRef;
use crate::postings::Postings;
use crate::slots::Slot;
use crate::text::TextColumn;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use portcullis_domain::terminator::TerminatorSpec;
use std::iter::once;

/// Columns of terminators. Addresses are only in the records.
#[derive(Debug, Default)]
pub struct TerminatorColumns {
    services: Postings,
    routers: Postings,
    bindings: Postings,
    hosts: Postings,
    /// Most instances have one terminator. Empty if the terminator names no instance.
    instances: TextColumn,
}

impl TerminatorColumns {
    /// Terminators by service id.
    pub const fn services(&self) -> &Postings {
        &self.services
    }

    /// Terminators by router id.
    pub const fn routers(&self) -> &Postings {
        &self.routers
    }

    /// Terminators by the id of the identity for which a router created them.
    pub const fn hosts(&self) -> &Postings {
        &self.hosts
    }

    /// The instance id of the terminator in a slot; empty if it names none.
    pub fn instance(&self, slot: Slot) -> Option<&str> {
        self.instances.get(slot)
    }
}

impl CatalogSpec for TerminatorSpec {
    type Columns<I: EntityId> = TerminatorColumns;
}

impl<I> CatalogColumns<Managed<I, TerminatorSpec>> for TerminatorColumns {
    fn set(&mut self, slot: Slot, terminator: &Managed<I, TerminatorSpec>) {
        let spec = &terminator.spec;
        self.services.set_terms(slot, once(spec.service.as_str()));
        self.routers.set_terms(slot, once(spec.router.as_str()));
        self.bindings.set_terms(slot, once(spec.binding.as_str()));
        let host = spec.host.iter().map(|host| host.identity.as_str());
        self.hosts.set_terms(slot, host);
        self.instances.set(slot, Some(&spec.instance_id));
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        Some(match symbol {
            "service" => ColumnRef::single(&self.services),
            "router" => ColumnRef::single(&self.routers),
            "binding" => ColumnRef::single(&self.bindings),
            "instanceId" => ColumnRef::text(&self.instances),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        for terms in [
            &mut self.services,
            &mut self.routers,
            &mut self.bindings,
            &mut self.hosts,
        ] {
            terms.set_terms(slot, std::iter::empty());
        }
        self.instances.set(slot, None);
    }

    fn heap_bytes(&self) -> usize {
        let terms: usize = [&self.services, &self.routers, &self.bindings, &self.hosts]
            .map(Postings::heap_bytes)
            .iter()
            .sum();
        terms + self.instances.heap_bytes()
    }
}
