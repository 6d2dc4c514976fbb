//! Terminators in a catalog.

use super::Described;
use crate::catalog::Columns;
use crate::held::Held;
use crate::postings::Postings;
use crate::slots::Slot;
use crate::text::TextColumn;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use portcullis_domain::terminator::TerminatorSpec;
use std::iter::once;

/// What terminators are searched by besides times. Their addresses stay in the records.
#[derive(Debug, Default)]
pub struct TerminatorColumns {
    services: Postings,
    routers: Postings,
    bindings: Postings,
    /// Most instances have one terminator. Where none is named, the text is empty.
    instances: TextColumn,
}

impl TerminatorColumns {
    /// Those of which service, by the id of that.
    pub const fn services(&self) -> &Postings {
        &self.services
    }

    /// Those at which router, by the id of that.
    pub const fn routers(&self) -> &Postings {
        &self.routers
    }

    /// The instance that the terminator in a slot is; empty where none is named.
    pub fn instance(&self, slot: Slot) -> Option<&str> {
        self.instances.get(slot)
    }
}

impl Described for TerminatorSpec {
    type Columns<I: EntityId> = TerminatorColumns;

    fn name(&self) -> Option<&str> {
        None
    }
}

impl<I> Columns<Managed<I, TerminatorSpec>> for TerminatorColumns {
    fn set(&mut self, slot: Slot, terminator: &Managed<I, TerminatorSpec>) {
        let spec = &terminator.spec;
        self.services.set_words(slot, once(spec.service.as_str()));
        self.routers.set_words(slot, once(spec.router.as_str()));
        self.bindings.set_words(slot, once(spec.binding.as_str()));
        self.instances.set(slot, Some(&spec.instance_id));
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        Some(match symbol {
            "service" => Held::single(&self.services),
            "router" => Held::single(&self.routers),
            "binding" => Held::single(&self.bindings),
            "instanceId" => Held::text(&self.instances),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        for words in [&mut self.services, &mut self.routers, &mut self.bindings] {
            words.set_words(slot, std::iter::empty());
        }
        self.instances.set(slot, None);
    }

    fn heap_bytes(&self) -> usize {
        let words: usize = [&self.services, &self.routers, &self.bindings]
            .map(Postings::heap_bytes)
            .iter()
            .sum();
        words + self.instances.heap_bytes()
    }
}
