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

    /// The order of the catalog that is this one.
    pub(super) fn ranked(&self) -> Option<(SortKey, Direction)> {
        match (self.keys.as_slice(), self.by_id) {
            ([], direction) => Some((SortKey::Id, direction)),
            ([key], Direction::Ascending) => match key.symbol {
                "name" => Some((SortKey::Name, key.direction)),
                "createdAt" => Some((SortKey::CreatedAt, key.direction)),
                _ => None,
            },
            _ => None,
        }
    }
}
