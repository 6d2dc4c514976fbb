//! Looking for a part of a text through all texts at once.
//!
//! The arena is searched as a whole, at the speed of memory; a place where the part was found is
//! led back to its entry. What reaches over the border of an entry, lies in its head, or belongs
//! to a text that was replaced is no find.

use super::TextColumn;
use super::arena::Entry;
use crate::slots::Slot;
use memchr::memmem::Finder;

/// Bytes that are brought into upper case at a time: few enough to stay in the nearest cache.
const FOLDED_AT_A_TIME: usize = 16 * 1024;

impl TextColumn {
    /// Shows every slot whose text has `needle` as a part. Costs a pass over the arena.
    pub(crate) fn each_containing(&self, needle: &str, mut visit: impl FnMut(Slot)) {
        self.search(needle, &mut |entry| visit(entry.slot));
    }

    /// Shows every slot whose text is `text`. Costs a pass over the arena.
    pub(crate) fn each_equal(&self, text: &str, mut visit: impl FnMut(Slot)) {
        self.search(text, &mut |entry| {
            if entry.end - entry.from == text.len() {
                visit(entry.slot);
            }
        });
    }

    /// Shows every slot whose text has `needle`, which is in upper case, as a part when ASCII
    /// letters of the text are taken as upper case. Texts that are not all ASCII
    /// ([`TextColumn::wide`]) are left out. Costs a copying pass over the arena.
    pub(crate) fn each_containing_folded(&self, needle: &str, mut visit: impl FnMut(Slot)) {
        let mut visit = |entry: Entry| {
            if !self.wide.contains(entry.slot.bit()) {
                visit(entry.slot);
            }
        };
        if needle.is_empty() {
            return self.each(&mut visit);
        }
        let finder = Finder::new(needle);
        let mut folded = Vec::with_capacity(FOLDED_AT_A_TIME * 2);
        let mut start = 0;
        while start < self.arena.len() {
            let end = self.arena.start_after(start, FOLDED_AT_A_TIME);
            folded.clear();
            folded.extend_from_slice(self.arena.bytes().get(start..end).unwrap_or_default());
            folded.make_ascii_uppercase();
            self.scan(&folded, start, &finder, &mut visit);
            start = end;
        }
    }

    /// Shows every entry in use that has `needle` in its text, once.
    fn search(&self, needle: &str, visit: &mut impl FnMut(Entry)) {
        if needle.is_empty() {
            self.each(visit);
        } else {
            self.scan(self.arena.bytes(), 0, &Finder::new(needle), visit);
        }
    }

    /// Shows every entry in use.
    fn each(&self, visit: &mut impl FnMut(Entry)) {
        let starts = self.starts.iter();
        starts
            .filter_map(|start| self.arena.entry(*start))
            .for_each(visit);
    }

    /// Shows every entry in use that has the needle in its text, once; the needle is not empty,
    /// so that a find has a byte in its entry. `bytes` are those of whole
    /// entries, of which the first starts at `base`.
    fn scan(&self, bytes: &[u8], base: usize, finder: &Finder<'_>, visit: &mut impl FnMut(Entry)) {
        let needle = finder.needle();
        let mut from = 0;
        let mut next = base;
        let mut place = 0;
        loop {
            let has_needle = |entry: &Entry| {
                let at = entry.from + place;
                let end = at + needle.len();
                end <= entry.end && bytes.get(at - base..end - base) == Some(needle)
            };
            // Many texts are of one make and have the needle where the last one had it.
            let entry = if let Some(entry) = self.arena.entry(next).filter(has_needle) {
                entry
            } else {
                let Some(found) = bytes.get(from..).and_then(|rest| finder.find(rest)) else {
                    return;
                };
                let at = base + from + found;
                let Some(entry) = self.arena.entry_around(at, next) else {
                    return;
                };
                if at < entry.from || entry.end < at + needle.len() {
                    from += found + 1;
                    next = entry.start;
                    continue;
                }
                place = at - entry.from;
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
