//! A column of texts in one arena.

mod arena;
mod search;
#[cfg(test)]
mod tests;

use crate::bits::mark;
use crate::slots::Slot;
use arena::Arena;
use roaring::RoaringBitmap;

/// Arenas with fewer dead bytes than this are left alone.
const COMPACT_FROM: usize = 4096;

/// Marks a slot without text.
const ABSENT: usize = usize::MAX;

/// One text, or none, for each slot.
///
/// The texts follow each other in one allocation. Replaced texts stay as dead bytes until they
/// are the larger half; then the arena is written anew, which spreads the work over that many
/// changes.
#[derive(Debug, Default)]
pub(crate) struct TextColumn {
    arena: Arena,
    /// Where the entry of each slot starts.
    starts: Vec<usize>,
    dead: usize,
    /// The slots whose text is not all ASCII.
    wide: RoaringBitmap,
}

impl TextColumn {
    pub(crate) fn get(&self, slot: Slot) -> Option<&str> {
        let start = self.starts.get(slot.index()).copied()?;
        self.arena.text(self.arena.entry(start)?)
    }

    /// The text, or the empty one in its place.
    pub(crate) fn text(&self, slot: Slot) -> &str {
        self.get(slot).unwrap_or_default()
    }

    /// Whether the slot has a text. Cheaper than getting it.
    pub(crate) fn has(&self, slot: Slot) -> bool {
        self.starts
            .get(slot.index())
            .is_some_and(|start| *start != ABSENT)
    }

    /// The slots whose text is not all ASCII.
    pub(crate) const fn wide(&self) -> &RoaringBitmap {
        &self.wide
    }

    /// Bytes to look through for a part of a text.
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
            self.dead += old.end - old.start;
        }
        *place = text.map_or(ABSENT, |text| self.arena.append(slot, text));
        mark(
            &mut self.wide,
            slot,
            text.is_some_and(|text| !text.is_ascii()),
        );
        if self.dead > COMPACT_FROM && self.dead > self.arena.len() / 2 {
            self.compact();
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.arena.heap_bytes()
            + self.starts.capacity() * size_of::<usize>()
            + self.wide.serialized_size()
    }

    /// Gives back what growth reserved.
    pub(crate) fn shrink(&mut self) {
        self.arena.shrink();
        self.starts.shrink_to_fit();
    }

    fn compact(&mut self) {
        let mut arena = Arena::with_capacity(self.arena.len() - self.dead);
        for start in &mut self.starts {
            let Some(entry) = self.arena.entry(*start) else {
                continue;
            };
            let text = self.arena.text(entry).unwrap_or_default();
            *start = arena.append(entry.slot, text);
        }
        self.arena = arena;
        self.dead = 0;
    }
}
