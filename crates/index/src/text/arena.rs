//! Texts in one allocation, each preceded by its slot and length.

use crate::slots::Slot;

/// Bits of a length per digit; the next bit says that more digits follow.
const LENGTH_BITS: u32 = 6;
const LENGTH_MASK: usize = (1 << LENGTH_BITS) - 1;
const CONTINUES: u8 = 1 << LENGTH_BITS;

/// Bits of a slot per digit.
const SLOT_BITS: u32 = 7;
const SLOT_MASK: u32 = (1 << SLOT_BITS) - 1;
/// Number of digits of a slot.
const SLOT_DIGITS: usize = 5;

/// Block size: the entry at the start of each block is indexed.
const BLOCK_BYTES: usize = 1024;

/// Contiguous entries of slot, text length and text.
///
/// Slots and lengths are encoded as ASCII digits, so that the whole arena is one `String` and a
/// text is borrowed without validation.
#[derive(Debug, Default)]
pub(super) struct Arena {
    content: String,
    /// Start of the entry that contains the first byte of each block.
    block_starts: Vec<usize>,
}

/// Position of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) slot: Slot,
    /// First byte of the entry.
    pub(super) start: usize,
    /// First byte of the text.
    pub(super) text_start: usize,
    /// Byte after the text, where the next entry starts.
    pub(super) end: usize,
}

impl Arena {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self {
            content: String::with_capacity(bytes),
            block_starts: Vec::with_capacity(bytes / BLOCK_BYTES + 1),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.content.len()
    }

    pub(super) const fn bytes(&self) -> &[u8] {
        self.content.as_bytes()
    }

    /// Appends a text and returns the start of its entry.
    pub(super) fn append(&mut self, slot: Slot, text: &str) -> usize {
        let start = self.content.len();
        for digit in 0..SLOT_DIGITS {
            let shift = SLOT_BITS * u32::try_from(digit).unwrap_or_default();
            let bits = (slot.bit() >> shift) & SLOT_MASK;
            self.push_digit(u8::try_from(bits).unwrap_or_default());
        }
        self.push_length(text.len());
        self.content.push_str(text);
        while self.block_starts.len() * BLOCK_BYTES < self.content.len() {
            self.block_starts.push(start);
        }
        start
    }

    /// The entry that starts at a byte; `None` after the last one.
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
            if byte & CONTINUES == 0 {
                let from = start + SLOT_DIGITS + index + 1;
                return Some(Entry {
                    slot: Slot::from_bit(slot),
                    start,
                    text_start: from,
                    end: from + length,
                });
            }
        }
        None
    }

    /// The entry that contains byte `at`, given the start of an entry that is not after it. Walks
    /// the entries in between, or those of one block.
    #[inline]
    pub(super) fn entry_containing(&self, at: usize, before: usize) -> Option<Entry> {
        let mark = self
            .block_starts
            .get(at / BLOCK_BYTES)
            .copied()
            .unwrap_or_default();
        let mut start = mark.max(before);
        loop {
            let entry = self.entry(start)?;
            if at < entry.end {
                return Some(entry);
            }
            start = entry.end;
        }
    }

    /// Start of an entry about `bytes` or more after the one at `start`.
    pub(super) fn next_start(&self, start: usize, bytes: usize) -> usize {
        let Some(mark) = self
            .block_starts
            .get((start + bytes) / BLOCK_BYTES)
            .copied()
        else {
            return self.len();
        };
        if mark > start {
            return mark;
        }
        self.entry(start).map_or(self.len(), |entry| entry.end)
    }

    pub(super) fn text(&self, entry: Entry) -> Option<&str> {
        self.content.get(entry.text_start..entry.end)
    }

    pub(super) fn shrink(&mut self) {
        self.content.shrink_to_fit();
        self.block_starts.shrink_to_fit();
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.content.capacity() + self.block_starts.capacity() * size_of::<usize>()
    }

    fn push_length(&mut self, length: usize) {
        let mut rest = length;
        loop {
            let digit = u8::try_from(rest & LENGTH_MASK).unwrap_or_default();
            rest >>= LENGTH_BITS;
            if rest == 0 {
                return self.push_digit(digit);
            }
            self.push_digit(digit | CONTINUES);
        }
    }

    /// Digits have at most seven bits, so the arena stays UTF-8.
    fn push_digit(&mut self, digit: u8) {
        self.content.push(char::from(digit & 0x7f));
    }
}
