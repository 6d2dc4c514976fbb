//! Who comes first.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Has each of several sources be the first in turn, so that one that is always ready does not hold up the others.
#[derive(Debug, Default)]
pub(crate) struct Turns(AtomicUsize);

impl Turns {
    /// All sources, another one first each time.
    pub(crate) fn of<'s, T>(&self, sources: &'s [T]) -> impl Iterator<Item = &'s T> {
        let turn = self.0.fetch_add(1, Ordering::Relaxed);
        let first = turn.checked_rem(sources.len()).unwrap_or(0);
        let (later, sooner) = sources.split_at(first);
        sooner.iter().chain(later)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_the_first_in_turn() {
        let turns = Turns::default();
        let order = || turns.of(&[1, 2, 3]).copied().collect::<Vec<_>>();
        assert_eq!(
            [order(), order(), order()],
            [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
        );
        assert_eq!(turns.of::<u8>(&[]).count(), 0);
    }
}
