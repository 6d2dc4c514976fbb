//! Long lists that are read a few entries at a time, so that nobody waits long for their lock.

use serde_json::Value as Json;

/// Entries that are read at a time.
pub(super) const PAGE: usize = 64;

/// An entry with the key that it is ordered by.
pub(super) type Entry<K> = (K, Json);

/// Reads entries, from the first one on: `next` reads those after a key. `add` takes each, or says that there is no
/// room. Returns how many it has taken, and whether these are all; what comes and goes meanwhile may be missing.
pub(super) fn read<K>(
    next: impl Fn(Option<&K>) -> Vec<Entry<K>>,
    mut add: impl FnMut(&K, &Json) -> bool,
) -> (usize, bool) {
    let mut taken = 0;
    let mut page = next(None);
    while let Some((last, _)) = page.last() {
        for (key, entry) in &page {
            if !add(key, entry) {
                return (taken, false);
            }
            taken += 1;
        }
        page = next(Some(last));
    }
    (taken, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn all_entries_are_read_a_page_at_a_time() {
        let longest = Cell::new(0);
        let next = |after: Option<&usize>| {
            let start = after.map_or(0, |after| after + 1);
            let page: Vec<_> = (start..1000).take(PAGE).map(|at| (at, at.into())).collect();
            longest.set(longest.get().max(page.len()));
            page
        };
        let mut shown = Vec::new();
        let read_all = read(next, |at, entry| {
            assert_eq!(entry, &Json::from(*at));
            shown.push(*at);
            true
        });
        assert_eq!(read_all, (1000, true));
        assert_eq!(shown, (0..1000).collect::<Vec<_>>());
        assert_eq!(longest.get(), PAGE);
        assert_eq!(read(next, |at, _| *at < 70), (70, false));
        assert_eq!(read(|_: Option<&usize>| Vec::new(), |_, _| true), (0, true));
    }
}
