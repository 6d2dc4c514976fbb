//! Text columns in one allocation.

mod arena;
mod search;
#[cfg(test)]
mod tests;

use crate::slot_bits::set_flag;
use crate::slots::Slot;
use arena::Arena;
use roaring::RoaringBitmap;

/// Arenas with fewer dead bytes are not compacted.
const COMPACT_THRESHOLD: usize = 4096;

/// Marks a slot without text.
const ABSENT: usize = usize::MAX;

/// An optional text per slot.
///
/// The texts are stored contiguously in one allocation. Replaced texts remain as dead bytes until
/// they are the larger half; then the arena is compacted, which amortizes the cost over as many
/// changes.
#[derive(Debug, Default)]
pub(crate) struct TextColumn {
    arena: Arena,
    /// Start of each slot's entry in the arena.
    starts: Vec<usize>,
    dead_bytes: usize,
    /// The slots whose text is not all ASCII.
    non_ascii: RoaringBitmap,
}

impl TextColumn {
    pub(crate) fn get(&self, slot: Slot) -> Option<&str> {
        let start = self.starts.get(slot.index()).copied()?;
        self.arena.text(self.arena.entry(start)?)
    }

    /// The text, or an empty one.
    pub(crate) fn text_or_empty(&self, slot: Slot) -> &str {
        self.get(slot).unwrap_or_default()
    }

    /// Whether the slot has a text. Cheaper than reading it.
    pub(crate) fn has(&self, slot: Slot) -> bool {
        self.starts
            .get(slot.index())
            .is_some_and(|start| *start != ABSENT)
    }

    /// The slots whose text is not all ASCII.
    pub(crate) const fn non_ascii(&self) -> &RoaringBitmap {
        &self.non_ascii
    }

    /// Number of bytes that a substring search scans.
    pub(crate) const fn arena_bytes(&self) -> usize {
        self.arena.len()
    }

    pub(crate) fn set(&mut self, slot: Slot, text: Option<&str>) {
        if self.get(slot) == text {
            return;
        }
        if self.starts.len() <= slot.index() {
            self.starts.resize(slot.index() + 1, ABSENT);
        }
        let Some(place) = self.starts.get_mut(slot.index()) else {
            return;
        };
        if let Some(old) = self.arena.entry(*place) {
            self.dead_bytes += old.end - old.start;
        }
        *place = text.map_or(ABSENT, |text| self.arena.append(slot, text));
        set_flag(
            &mut self.non_ascii,
            slot,
            text.is_some_and(|text| !text.is_ascii()),
        );
        if self.dead_bytes > COMPACT_THRESHOLD && self.dead_bytes > self.arena.len() / 2 {
            self.compact();
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.arena.heap_bytes()
            + self.starts.capacity() * size_of::<usize>()
            + self.non_ascii.serialized_size()
    }

    /// Frees unused capacity.
    pub(crate) fn shrink(&mut self) {
        self.arena.shrink();
        self.starts.shrink_to_fit();
    }

    fn compact(&mut self) {
        let mut arena = Arena::with_capacity(self.arena.len() - self.dead_bytes);
        for start in &mut self.starts {
            let Some(entry) = self.arena.entry(*start) else {
                continue;
            };
            let text = self.arena.text(entry).unwrap_or_default();
            *start = arena.append(entry.slot, text);
        }
        self.arena = arena;
        self.dead_bytes = 0;
    }
}
