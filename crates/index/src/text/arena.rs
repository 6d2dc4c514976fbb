//! Texts in one allocation, each behind its slot and its length.

use crate::slots::Slot;

/// Bits of a text's length in one character of the arena; the next one says that more follow.
const LENGTH_BITS: u32 = 6;
const LENGTH_MASK: usize = (1 << LENGTH_BITS) - 1;
const MORE: u8 = 1 << LENGTH_BITS;

/// Bits of a slot in one character of the arena.
const SLOT_BITS: u32 = 7;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;
/// Characters of a slot.
const SLOT_DIGITS: usize = 5;

/// Bytes between two places whose entry is known.
const BLOCK: usize = 1024;

/// Entries one behind the other: a slot, the length of a text, the text.
///
/// Slots and lengths are written in digits that are ASCII, so that the whole is one string and
/// a text is borrowed without looking at its bytes.
#[derive(Debug, Default)]
pub(super) struct Arena {
    content: String,
    /// Where the entry begins in which each block does.
    marks: Vec<usize>,
}

/// Where an entry lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) slot: Slot,
    /// Its first byte.
    pub(super) start: usize,
    /// The first byte of the text.
    pub(super) from: usize,
    /// The byte after the text, where the next entry starts.
    pub(super) end: usize,
}

impl Arena {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            content: String::with_capacity(bytes),
            marks: Vec::with_capacity(bytes / BLOCK + 1),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.content.len()
    }

    pub(super) const fn bytes(&self) -> &[u8] {
        self.content.as_bytes()
    }

    /// Writes a text at the end and returns where its entry starts.
    pub(super) fn append(&mut self, slot: Slot, text: &str) -> usize {
        let start = self.content.len();
        for digit in 0..SLOT_DIGITS {
            let shift = SLOT_BITS * u32::try_from(digit).unwrap_or_default();
            let bits = (slot.bit() >> shift) & SLOT_MASK;
            self.push_digit(u8::try_from(bits).unwrap_or_default());
        }
        self.push_length(text.len());
        self.content.push_str(text);
        while self.marks.len() * BLOCK < self.content.len() {
            self.marks.push(start);
        }
        start
    }

    /// The entry that starts at a byte; `None` behind the last one.
    #[inline]
    pub(super) fn entry(&self, start: usize) -> Option<Entry> {
        let (slot, rest) = self
            .bytes()
            .get(start..)?
            .split_first_chunk::<SLOT_DIGITS>()?;
        let slot = slot
            .iter()
            .rev()
            .fold(0, |bits, digit| (bits << SLOT_BITS) | u32::from(*digit));
        let mut length = 0;
        for (index, byte) in rest.iter().enumerate() {
            let shift = LENGTH_BITS * u32::try_from(index).unwrap_or_default();
            length |= (usize::from(*byte) & LENGTH_MASK) << shift;
            if byte & MORE == 0 {
                let from = start + SLOT_DIGITS + index + 1;
                return Some(Entry {
                    slot: Slot::from_bit(slot),
                    start,
                    from,
                    end: from + length,
                });
            }
        }
        None
    }

    /// The entry in which a byte lies, given the start of one that is not behind it. Costs a walk
    /// over what lies between, or over a block.
    #[inline]
    pub(super) fn entry_around(&self, at: usize, before: usize) -> Option<Entry> {
        let mark = self.marks.get(at / BLOCK).copied().unwrap_or_default();
        let mut start = mark.max(before);
        loop {
            let entry = self.entry(start)?;
            if at < entry.end {
                return Some(entry);
            }
            start = entry.end;
        }
    }

    /// The first start of an entry at least about `bytes` after the one that starts at `start`.
    pub(super) fn start_after(&self, start: usize, bytes: usize) -> usize {
        let Some(mark) = self.marks.get((start + bytes) / BLOCK).copied() else {
            return self.len();
        };
        if mark > start {
            return mark;
        }
        self.entry(start).map_or(self.len(), |entry| entry.end)
    }

    pub(super) fn text(&self, entry: Entry) -> Option<&str> {
        self.content.get(entry.from..entry.end)
    }

    pub(super) fn shrink(&mut self) {
        self.content.shrink_to_fit();
        self.marks.shrink_to_fit();
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.content.capacity() + self.marks.capacity() * size_of::<usize>()
    }

    fn push_length(&mut self, length: usize) {
        let mut rest = length;
        loop {
            let digit = u8::try_from(rest & LENGTH_MASK).unwrap_or_default();
            rest >>= LENGTH_BITS;
            if rest == 0 {
                return self.push_digit(digit);
            }
            self.push_digit(digit | MORE);
        }
    }

    /// Digits have at most seven bits, which keeps the arena UTF-8.
    fn push_digit(&mut self, digit: u8) {
        self.content.push(char::from(digit & 0x7f));
    }
}
