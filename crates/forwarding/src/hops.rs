//! What is forwarded between.

use std::collections::HashMap;
use std::sync::Arc;

/// A link, or an end of a circuit at this router, as a number.
///
/// The number of an address stays the same as long as anything is attached to it or a circuit names it.
/// So a link that is dialed again takes over its circuits, and nothing that held an old number ever
/// reaches the successor of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hop {
    slot: u32,
    generation: u32,
}

/// Addresses, and what they lead to.
#[derive(Debug)]
pub(crate) struct Hops<D> {
    by_address: HashMap<Arc<str>, Hop>,
    slots: Vec<Slot<D>>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct Slot<D> {
    generation: u32,
    address: Arc<str>,
    destination: Option<D>,
    /// How often circuits name it.
    uses: u32,
}

impl<D> Hops<D> {
    pub(crate) fn new() -> Self {
        Self {
            by_address: HashMap::new(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// The number of an address, which gets one if it has none.
    fn number(&mut self, address: &str) -> Hop {
        if let Some(hop) = self.by_address.get(address) {
            return *hop;
        }
        let address: Arc<str> = address.into();
        let hop = self.empty_slot(address.clone());
        self.by_address.insert(address, hop);
        hop
    }

    fn empty_slot(&mut self, address: Arc<str>) -> Hop {
        if let Some(number) = self.free.pop()
            && let Some(slot) = self.slots.get_mut(number as usize)
        {
            slot.address = address;
            let generation = slot.generation;
            return Hop {
                slot: number,
                generation,
            };
        }
        let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        let generation = 0;
        self.slots.push(Slot {
            generation,
            address,
            destination: None,
            uses: 0,
        });
        Hop { slot, generation }
    }

    pub(crate) fn attach(&mut self, address: &str, destination: D) -> (Hop, Option<D>) {
        let hop = self.number(address);
        let slot = self.slot_mut(hop);
        (
            hop,
            slot.and_then(|slot| slot.destination.replace(destination)),
        )
    }

    pub(crate) fn detach(&mut self, hop: Hop, is_meant: impl FnOnce(&D) -> bool) -> Option<D> {
        let slot = self.slot_mut(hop)?;
        let destination = slot
            .destination
            .take_if(|destination| is_meant(destination));
        self.free_unused(hop);
        destination
    }

    /// The number of an address that a circuit names from now on.
    pub(crate) fn name(&mut self, address: &str) -> Hop {
        let hop = self.number(address);
        if let Some(slot) = self.slot_mut(hop) {
            slot.uses = slot.uses.saturating_add(1);
        }
        hop
    }

    /// A circuit names it no more.
    pub(crate) fn forget(&mut self, hop: Hop) {
        if let Some(slot) = self.slot_mut(hop) {
            slot.uses = slot.uses.saturating_sub(1);
            self.free_unused(hop);
        }
    }

    pub(crate) fn find(&self, address: &str) -> Option<Hop> {
        self.by_address.get(address).copied()
    }

    pub(crate) fn destination(&self, hop: Hop) -> Option<&D> {
        self.slot(hop)?.destination.as_ref()
    }

    pub(crate) fn address(&self, hop: Hop) -> Option<&str> {
        Some(&self.slot(hop)?.address)
    }

    fn free_unused(&mut self, hop: Hop) {
        let Some(slot) = self.slot_mut(hop) else {
            return;
        };
        if slot.uses > 0 || slot.destination.is_some() {
            return;
        }
        slot.generation = slot.generation.wrapping_add(1);
        let address = std::mem::take(&mut slot.address);
        self.by_address.remove(&address);
        self.free.push(hop.slot);
    }

    fn slot(&self, hop: Hop) -> Option<&Slot<D>> {
        let slot = self.slots.get(hop.slot as usize)?;
        (slot.generation == hop.generation).then_some(slot)
    }

    fn slot_mut(&mut self, hop: Hop) -> Option<&mut Slot<D>> {
        let slot = self.slots.get_mut(hop.slot as usize)?;
        (slot.generation == hop.generation).then_some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_comes_back_has_its_number_if_a_circuit_names_it() {
        let mut hops = Hops::new();
        let (link, _) = hops.attach("link", 1);
        assert_eq!(hops.name("link"), link);
        assert_eq!(hops.detach(link, |_| true), Some(1));
        assert_eq!(hops.destination(link), None);
        assert_eq!(hops.attach("link", 2), (link, None));
        assert_eq!(hops.detach(link, |attached| *attached == 1), None);
        assert_eq!(hops.destination(link), Some(&2));
    }

    #[test]
    fn a_number_is_not_given_again() {
        let mut hops = Hops::new();
        let (first, _) = hops.attach("end", 1);
        hops.detach(first, |_| true);
        let (second, _) = hops.attach("other end", 2);
        assert_eq!(hops.slots.len(), 1, "its place is");
        assert_ne!(first, second);
        assert_eq!(hops.destination(first), None);
        assert_eq!(hops.detach(first, |_| true), None);
        assert_eq!(hops.address(second), Some("other end"));
        assert_eq!(hops.find("end"), None);
    }
}
