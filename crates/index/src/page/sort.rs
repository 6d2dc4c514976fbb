//! An order as the columns know it.

use crate::catalog::{Direction, SortKey};
use crate::held::Source;
use portcullis_filter as filter;

/// What to sort by: columns, then the id.
#[derive(Debug)]
pub(super) struct Sort<'c> {
    /// The columns in front of the id, each once.
    pub(super) keys: Vec<Key<'c>>,
    /// The direction of the id, behind which nothing matters, since ids are unique.
    pub(super) by_id: Direction,
}

/// A column to sort by.
#[derive(Debug)]
pub(super) struct Key<'c> {
    pub(super) symbol: &'static str,
    pub(super) source: Source<'c>,
    pub(super) direction: Direction,
}

impl<'c> Sort<'c> {
    /// `None` when `order` sorts by a symbol that `held` knows no column for.
    pub(super) fn new(
        order: &filter::Order,
        held: &impl Fn(&str) -> Option<Source<'c>>,
    ) -> Option<Self> {
        let mut sort = Self {
            keys: Vec::new(),
            by_id: Direction::Ascending,
        };
        for key in order.keys() {
            let symbol = key.symbol.name();
            let direction = match key.direction {
                filter::Direction::Ascending => Direction::Ascending,
                filter::Direction::Descending => Direction::Descending,
            };
            if symbol == "id" {
                sort.by_id = direction;
                break;
            }
            let source = held(symbol)?;
            if let Source::Set(_) = source {
                return None;
            }
            // What was compared before, or is the same for all, decides nothing.
            let is_known = sort.keys.iter().any(|key| key.symbol == symbol);
            if !is_known && !source.is_constant() {
                sort.keys.push(Key {
                    symbol,
                    source,
                    direction,
                });
            }
        }
        Some(sort)
    }

    /// The keys in front of those that an order of the catalog stands for, and that order.
    pub(super) fn ranked(&self) -> (&[Key<'c>], SortKey, Direction) {
        if let (Some((last, before)), Direction::Ascending) = (self.keys.split_last(), self.by_id) {
            match last.symbol {
                "name" => return (before, SortKey::Name, last.direction),
                "createdAt" => return (before, SortKey::CreatedAt, last.direction),
                _ => {},
            }
        }
        (&self.keys, SortKey::Id, self.by_id)
    }
}
