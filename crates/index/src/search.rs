//! Searching a catalog by a predicate.

mod leaf;
mod plan;
mod ranks;
mod texts;

use crate::catalog::{Catalog, Catalogued, Key, Rows};
use crate::held::{Held, Source, Times, Word};
use crate::matches::Matches;
use crate::slots::Slot;
use leaf::Scope;
use plan::Plan;
use portcullis_domain::change::Owner;
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
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_domain::auth_policy::AuthPolicy;
    /// use portcullis_domain::clock::Timestamp;
    /// use portcullis_domain::ids::Number;
    /// use portcullis_filter::{Listing, Parameters, Schema, Symbol};
    /// use portcullis_index::Catalog;
    ///
    /// static KIND: Schema = Schema::entity(&[Symbol::string("name")]);
    ///
    /// let mut policies = Catalog::default();
    /// policies.put(Number(7), None, &AuthPolicy::default_policy(Timestamp::UNIX_EPOCH));
    ///
    /// let filter = Some(r#"name contains "fau" and tags.site = null"#);
    /// let listing = Listing::from_parameters(&KIND, &Parameters { filter, ..Default::default() })?;
    /// let found = policies.search(&listing.predicate);
    /// assert!(!found.is_exact(), "tags are in the records alone");
    ///
    /// // Whoever has the records says which of them match.
    /// let matches = policies.matches_of(policies.numbers(&found));
    /// let range = listing.page.range(matches.len());
    /// let page = policies.page_in(&matches, &listing.order, range);
    /// assert_eq!(page, Some(vec![Number(7)]));
    /// # Ok::<(), portcullis_filter::ListingError>(())
    /// ```
    pub fn search(&self, predicate: &Predicate) -> Matches {
        self.search_within(&self.everything(), predicate)
    }

    /// Which of `candidates` match `predicate`, as far as the columns can tell. Few candidates
    /// cost little, whatever is asked of them.
    pub fn search_within(&self, candidates: &Matches, predicate: &Predicate) -> Matches {
        let scope = Scope {
            live: self.live(),
            width: self.rows.slots.width(),
        };
        let plan = Plan::new(predicate, &|symbol| self.held(symbol));
        let found = plan.run(&scope, candidates.slots());
        let is_exact = candidates.is_exact() && found.is_exact;
        let slots = match (candidates.slots(), found.slots) {
            (None, None) => return Matches::all(self.len(), is_exact),
            (None, Some(slots)) => slots,
            (Some(candidates), None) => candidates.clone(),
            (Some(candidates), Some(slots)) => slots & candidates,
        };
        Matches::of(slots, self.len(), is_exact)
    }

    /// All entities, as matches that are exact.
    pub fn everything(&self) -> Matches {
        Matches::all(self.len(), true)
    }

    /// Those in some slots that are in use, as matches that are exact.
    pub fn matches_in(&self, slots: RoaringBitmap) -> Matches {
        Matches::of(slots, self.len(), true)
    }

    /// What lives under `owner`.
    pub fn matches_owned_by(&self, owner: Owner) -> Matches {
        self.matches_of(self.owned_by(owner, 0, usize::MAX))
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
            "isSystem" => {
                let held = self.columns_held(symbol);
                held.unwrap_or(const { Held::same(Word::Boolean(false)) }).0
            },
            _ => self.columns_held(symbol)?.0,
        };
        Some(source)
    }
}
