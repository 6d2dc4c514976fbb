//! Orders resolved to columns.

use crate::catalog::{Direction, SortKey};
use crate::column::ColumnData;
use portcullis_filter as filter;

/// Sort columns, followed by the id.
#[derive(Debug)]
pub(super) struct SortPlan<'c> {
    /// The columns before the id, without repetition.
    pub(super) keys: Vec<SortColumn<'c>>,
    /// Direction of the id; since ids are unique, later keys are irrelevant.
    pub(super) id_direction: Direction,
}

/// A sort column.
#[derive(Debug)]
pub(super) struct SortColumn<'c> {
    pub(super) symbol: &'static str,
    pub(super) source: ColumnData<'c>,
    pub(super) direction: Direction,
}

impl<'c> SortPlan<'c> {
    /// `None` when `order` sorts by a symbol for which `column` has none.
    pub(super) fn new(
        order: &filter::Order,
        column: &impl Fn(&str) -> Option<ColumnData<'c>>,
    ) -> Option<Self> {
        let mut sort = Self {
            keys: Vec::new(),
            id_direction: Direction::Ascending,
        };
        for key in order.keys() {
            let symbol = key.symbol.name();
            let direction = match key.direction {
                filter::Direction::Ascending => Direction::Ascending,
                filter::Direction::Descending => Direction::Descending,
            };
            if symbol == "id" {
                sort.id_direction = direction;
                break;
            }
            let source = column(symbol)?;
            if let ColumnData::Set(_) = source {
                return None;
            }
            // Repeated and constant keys have no effect.
            let is_known = sort.keys.iter().any(|key| key.symbol == symbol);
            if !is_known && !source.is_constant() {
                sort.keys.push(SortColumn {
                    symbol,
                    source,
                    direction,
                });
            }
        }
        Some(sort)
    }

    /// The keys before those covered by an order of the catalog, and that order.
    pub(super) fn split_ranked(&self) -> (&[SortColumn<'c>], SortKey, Direction) {
        if let (Some((last, before)), Direction::Ascending) =
            (self.keys.split_last(), self.id_direction)
        {
            match last.symbol {
                "name" => return (before, SortKey::Name, last.direction),
                "createdAt" => return (before, SortKey::CreatedAt, last.direction),
                _ => {},
            }
        }
        (&self.keys, SortKey::Id, self.id_direction)
    }
}
