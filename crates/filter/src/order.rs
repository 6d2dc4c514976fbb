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
    /// Appends `id`, if the kind has it and it is not among the fields already.
    pub fn new(schema: &Schema, mut keys: Vec<SortKey>) -> Self {
        if let Some((id, _)) = schema.find("id")
            && !keys.iter().any(|key| key.symbol == id)
        {
            keys.push(SortKey {
                symbol: id,
                direction: Direction::Ascending,
            });
        }
        Self { keys }
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
