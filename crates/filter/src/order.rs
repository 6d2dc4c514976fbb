//! The order of a list.

use crate::query::{Direction, SortKey};
use crate::row::Row;
use crate::schema::Schema;
use std::cmp::Ordering;

/// A total order of the rows of one kind: the fields asked for, then `id` ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    keys: Vec<SortKey>,
}

impl Order {
    /// Appends `id`, if the kind has it.
    ///
    /// Of a symbol that occurs several times only the first occurrence decides anything, so the others are
    /// left out: a comparison of rows never costs more than the kind has symbols.
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

    /// The fields, most important first, `id` included.
    pub fn keys(&self) -> &[SortKey] {
        &self.keys
    }

    /// How two rows stand to each other.
    pub fn compare(&self, left: &dyn Row, right: &dyn Row) -> Ordering {
        let compare = |key: &SortKey| {
            let order = left.value(key.symbol).order(&right.value(key.symbol));
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
