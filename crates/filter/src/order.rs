//! Sort order of rows.

use crate::query::{Direction, SortKey};
use crate::row::AnyRow;
use crate::schema::Schema;
use std::cmp::Ordering;

/// A total order of the rows of one kind: the requested fields, then `id` ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    keys: Vec<SortKey>,
}

impl Order {
    /// Appends `id`, if the schema has it.
    ///
    /// Only the first occurrence of a repeated symbol is kept, since the others have no effect: comparing
    /// rows never takes more steps than the schema has symbols.
    pub fn new(schema: &Schema, keys: Vec<SortKey>) -> Self {
        let id = schema.find("id").map(|(symbol, _)| SortKey {
            symbol,
            direction: Direction::Ascending,
        });
        let mut order = Self { keys: Vec::new() };
        for key in keys.into_iter().chain(id) {
            if !order.keys.iter().any(|kept| kept.symbol == key.symbol) {
                order.keys.push(key);
            }
        }
        order
    }

    /// The fields, most significant first, including `id`.
    pub fn keys(&self) -> &[SortKey] {
        &self.keys
    }

    /// Compares two rows.
    pub fn compare(&self, left: &dyn AnyRow, right: &dyn AnyRow) -> Ordering {
        let compare = |key: &SortKey| {
            let order = left.value_of(key.symbol).order(&right.value_of(key.symbol));
            match key.direction {
                Direction::Ascending => order,
                Direction::Descending => order.reverse(),
            }
        };
        self.keys
            .iter()
            .map(compare)
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}
