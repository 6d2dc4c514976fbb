//! A column of texts in one arena.

use crate::slots::Slot;

/// Arenas with fewer dead bytes than this are left alone.
const COMPACT_FROM: usize = 4096;

/// Marks a slot without text.
const ABSENT: usize = usize::MAX;

/// Bits of a text's length in one character of the arena; the next one says that more follow.
const DIGIT_BITS: u32 = 6;
const DIGIT_MASK: usize = (1 << DIGIT_BITS) - 1;
const MORE: u8 = 1 << DIGIT_BITS;

/// One text, or none, for each slot.
///
/// The texts follow each other in one allocation, each behind its length in ASCII digits of base
/// 64, so that a slot costs one offset. Replaced texts stay as dead bytes until they are the
/// larger half; then the arena is written anew, which spreads the work over that many changes.
#[derive(Debug, Default)]
pub(crate) struct TextColumn {
    arena: String,
    starts: Vec<usize>,
    dead: usize,
}

impl TextColumn {
    pub(crate) fn get(&self, slot: Slot) -> Option<&str> {
        let start = self.starts.get(slot.index()).copied()?;
        let (from, length) = self.span(start)?;
        self.arena.get(from..from + length)
    }

    /// The text, or the empty one in its place.
    pub(crate) fn text(&self, slot: Slot) -> &str {
        self.get(slot).unwrap_or_default()
    }

    pub(crate) fn set(&mut self, slot: Slot, text: Option<&str>) {
        if self.get(slot) == text {
            return;
        }
        if self.starts.len() <= slot.index() {
            self.starts.resize(slot.index() + 1, ABSENT);
        }
        let Some(place) = self.starts.get(slot.index()).copied() else {
            return;
        };
        if let Some((from, length)) = self.span(place) {
            self.dead += from + length - place;
        }
        let start = text.map_or(ABSENT, |text| append(&mut self.arena, text));
        if let Some(place) = self.starts.get_mut(slot.index()) {
            *place = start;
        }
        if self.dead > COMPACT_FROM && self.dead > self.arena.len() / 2 {
            self.compact();
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.arena.capacity() + self.starts.capacity() * size_of::<usize>()
    }

    /// Gives back what growth reserved.
    pub(crate) fn shrink(&mut self) {
        self.arena.shrink_to_fit();
        self.starts.shrink_to_fit();
    }

    /// Where the text that begins at `start` lies: its first byte and its length.
    fn span(&self, start: usize) -> Option<(usize, usize)> {
        let mut length = 0;
        let mut shift = 0;
        for (index, byte) in self.arena.as_bytes().get(start..)?.iter().enumerate() {
            length |= (usize::from(*byte) & DIGIT_MASK) << shift;
            shift += DIGIT_BITS;
            if byte & MORE == 0 {
                return Some((start + index + 1, length));
            }
        }
        None
    }

    fn compact(&mut self) {
        let mut arena = String::with_capacity(self.arena.len() - self.dead);
        let mut starts = std::mem::take(&mut self.starts);
        for start in &mut starts {
            let Some((from, length)) = self.span(*start) else {
                continue;
            };
            let text = self.arena.get(from..from + length).unwrap_or_default();
            *start = append(&mut arena, text);
        }
        *self = Self {
            arena,
            starts,
            dead: 0,
        };
    }
}

/// Writes a text behind its length and returns where it begins.
fn append(arena: &mut String, text: &str) -> usize {
    let start = arena.len();
    let mut rest = text.len();
    loop {
        // Masked to seven bits, so every digit is ASCII and the arena stays UTF-8.
        let digit = u8::try_from(rest & DIGIT_MASK).unwrap_or_default();
        rest >>= DIGIT_BITS;
        if rest == 0 {
            arena.push(char::from(digit));
            break;
        }
        arena.push(char::from(digit | MORE));
    }
    arena.push_str(text);
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_come_back() {
        let mut column = TextColumn::default();
        let lengths = [0, 1, 63, 64, 65, 4095, 4096, 4097, 300_000];
        for (bit, length) in (0..).zip(lengths) {
            column.set(Slot::from_bit(bit), Some(&"ü".repeat(length)));
        }
        for (bit, length) in (0..).zip(lengths) {
            assert_eq!(column.text(Slot::from_bit(bit)), "ü".repeat(length));
        }
    }

    #[test]
    fn none_differs_from_empty() {
        let mut column = TextColumn::default();
        let slot = Slot::from_bit(3);
        assert_eq!(column.get(slot), None);
        column.set(slot, Some(""));
        assert_eq!(column.get(slot), Some(""));
        column.set(slot, None);
        assert_eq!(column.get(slot), None);
    }

    #[test]
    fn dead_bytes_never_outweigh_the_living_for_long() {
        let mut column = TextColumn::default();
        column.set(Slot::from_bit(7), Some("stays"));
        for round in 0..10_000 {
            column.set(Slot::from_bit(round % 5), Some(&format!("name-{round}")));
            let living = column.arena.len() - column.dead;
            assert!(
                column.dead <= COMPACT_FROM || column.dead <= living,
                "{} dead, {living} living",
                column.dead
            );
        }
        assert_eq!(column.text(Slot::from_bit(7)), "stays");
        assert_eq!(column.text(Slot::from_bit(4)), "name-9999");
    }
}
