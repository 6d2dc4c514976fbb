//! Searching a catalog by a predicate.

mod leaf;
mod plan;
mod texts;

use crate::catalog::{Catalog, Catalogued, Key, Rows};
use crate::held::{Held, Source, Times, Word};
use crate::matches::Matches;
use crate::slots::Slot;
use leaf::Scope;
use plan::Plan;
use portcullis_domain::ids::Number;
use portcullis_filter::{Predicate, Value};
use roaring::RoaringBitmap;

impl<E: Catalogued> Catalog<E> {
    /// Which entities match `predicate`, as far as the columns can tell.
    ///
    /// Costs what the cheapest operands leave over for the others: equality by id and name, flags
    /// and words are looked up, ranges of id, name and time of creation cost the slots in them, a
    /// part of a text costs a pass over the bytes of all of them, and other tests cost a look at
    /// each slot that is left over. What no column holds costs nothing, and is not decided.
    pub fn search(&self, predicate: &Predicate) -> Matches {
        let scope = Scope {
            live: self.live(),
            width: self.rows.slots.width(),
        };
        let found = Plan::new(predicate, &|symbol| self.held(symbol)).run(&scope, None);
        match found.slots {
            None => Matches::all(self.len(), found.is_exact),
            Some(slots) => Matches::of(slots, self.len(), found.is_exact),
        }
    }

    /// Those of `numbers` that are here, as matches that are exact.
    pub fn matches_of(&self, numbers: impl IntoIterator<Item = Number>) -> Matches {
        let slots: RoaringBitmap = numbers
            .into_iter()
            .filter_map(|number| self.slot(number))
            .map(Slot::bit)
            .collect();
        Matches::of(slots, self.len(), true)
    }

    /// The records of `matches`, about in the order in which they were created.
    pub fn numbers<'m>(&'m self, matches: &'m Matches) -> impl Iterator<Item = Number> + 'm {
        let slots = matches.slots().unwrap_or_else(|| self.live());
        slots
            .iter()
            .filter_map(|bit| self.number(Slot::from_bit(bit)))
    }

    /// What stands under a symbol for the entity in a slot; `None` when no column holds it.
    pub fn value(&self, symbol: &str, slot: Slot) -> Option<Value<'_>> {
        match self.held(symbol)? {
            Source::Set(_) => None,
            source => Some(source.value(slot)),
        }
    }

    /// The column under a symbol.
    pub(crate) fn held(&self, symbol: &str) -> Option<Source<'_>> {
        let rows = &self.rows;
        let source = match symbol {
            "id" => Source::Text {
                texts: &rows.ids,
                order: Some(self.order(Key::Id)),
            },
            "name" if self.has_names() => Source::Text {
                texts: &rows.names,
                order: Some(self.order(Key::Name)),
            },
            "createdAt" => Source::Time {
                times: Times {
                    rows,
                    of: Rows::created_at,
                },
                order: Some(self.order(Key::CreatedAt)),
            },
            "updatedAt" => Source::Time {
                times: Times {
                    rows,
                    of: Rows::updated_at,
                },
                order: None,
            },
            "isSystem" => Held::same(Word::Boolean(false)).0,
            _ => self.columns_held(symbol)?.0,
        };
        Some(source)
    }
}
