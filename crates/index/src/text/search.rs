//! Substring search over all texts of a column at once.
//!
//! The arena is searched as a whole, at memory speed, and each match is mapped to its entry.
//! Matches that cross the end of an entry, lie in its head, or belong to a replaced text are
//! discarded.

use super::TextColumn;
use super::arena::Entry;
use crate::slots::Slot;
use memchr::memmem::Finder;

/// Number of bytes that are converted to upper case at a time: few enough for the L1 cache.
const FOLD_CHUNK_BYTES: usize = 16 * 1024;

impl TextColumn {
    /// Visits every slot whose text contains `needle`. Takes one pass over the arena.
    pub(crate) fn for_each_containing(&self, needle: &str, mut visit: impl FnMut(Slot)) {
        self.search(needle, &mut |entry| visit(entry.slot));
    }

    /// Visits every slot whose text equals `text`. Takes one pass over the arena.
    pub(crate) fn for_each_equal(&self, text: &str, mut visit: impl FnMut(Slot)) {
        self.search(text, &mut |entry| {
            if entry.end - entry.text_start == text.len() {
                visit(entry.slot);
            }
        });
    }

    /// Visits every slot whose text contains `needle`, which is in upper case, with the ASCII
    /// letters of the text converted to upper case. Texts that are not all ASCII
    /// ([`TextColumn::non_ascii`]) are left out. Takes one copying pass over the arena.
    pub(crate) fn for_each_containing_folded(&self, needle: &str, mut visit: impl FnMut(Slot)) {
        let mut visit = |entry: Entry| {
            if !self.non_ascii.contains(entry.slot.bit()) {
                visit(entry.slot);
            }
        };
        if needle.is_empty() {
            return self.for_each(&mut visit);
        }
        let finder = Finder::new(needle);
        let mut folded = Vec::with_capacity(FOLD_CHUNK_BYTES * 2);
        let mut start = 0;
        while start < self.arena.len() {
            let end = self.arena.next_start(start, FOLD_CHUNK_BYTES);
            folded.clear();
            folded.extend_from_slice(self.arena.bytes().get(start..end).unwrap_or_default());
            folded.make_ascii_uppercase();
            self.scan(&folded, start, &finder, &mut visit);
            start = end;
        }
    }

    /// Visits every live entry whose text contains `needle`, once.
    fn search(&self, needle: &str, visit: &mut impl FnMut(Entry)) {
        if needle.is_empty() {
            self.for_each(visit);
        } else {
            self.scan(self.arena.bytes(), 0, &Finder::new(needle), visit);
        }
    }

    /// Visits every live entry.
    fn for_each(&self, visit: &mut impl FnMut(Entry)) {
        let starts = self.starts.iter();
        starts
            .filter_map(|start| self.arena.entry(*start))
            .for_each(visit);
    }

    /// Visits every live entry whose text contains the needle, once. The needle is not empty, so
    /// that a match has a byte in its entry. `bytes` are whole entries, the first of which starts
    /// at `base`.
    fn scan(&self, bytes: &[u8], base: usize, finder: &Finder<'_>, visit: &mut impl FnMut(Entry)) {
        let needle = finder.needle();
        let mut from = 0;
        let mut next = base;
        let mut place = 0;
        loop {
            let has_needle = |entry: &Entry| {
                let at = entry.text_start + place;
                let end = at + needle.len();
                end <= entry.end && bytes.get(at - base..end - base) == Some(needle)
            };
            // Many texts are similar and have the needle at the same offset as the last one.
            let entry = if let Some(entry) = self.arena.entry(next).filter(has_needle) {
                entry
            } else {
                let Some(found) = bytes.get(from..).and_then(|rest| finder.find(rest)) else {
                    return;
                };
                let at = base + from + found;
                let Some(entry) = self.arena.entry_containing(at, next) else {
                    return;
                };
                if at < entry.text_start || entry.end < at + needle.len() {
                    from += found + 1;
                    next = entry.start;
                    continue;
                }
                place = at - entry.text_start;
                entry
            };
            if self.starts.get(entry.slot.index()) == Some(&entry.start) {
                visit(entry);
            }
            next = entry.end;
            from = next - base;
        }
    }
}
