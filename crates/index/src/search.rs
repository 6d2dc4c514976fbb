//! Catalog searches by predicate.

mod leaf;
mod plan;
mod ranks;
mod texts;

use crate::catalog::{BaseColumns, Catalog, CatalogEntry, OrderKey};
use crate::column::{ColumnData, ColumnRef, Constant, Times};
use crate::matches::Matches;
use crate::slots::Slot;
use leaf::SlotScope;
use plan::Plan;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::RecordNumber;
use portcullis_filter::{Predicate, Value};
use roaring::RoaringBitmap;

impl<E: CatalogEntry> Catalog<E> {
    /// Finds the entities that match `predicate`, as far as the columns allow.
    ///
    /// Cheap operands are evaluated first and reduce the candidates of the others. Equality by id
    /// and name, flags and terms are indexed; ranges of id, name and creation time cost the slots
    /// in them; a substring search costs a pass over the bytes of all texts; other tests cost a
    /// look at each remaining slot. Tests without a column cost nothing and are not decided.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_domain::auth_policy::AuthPolicy;
    /// use portcullis_domain::clock::Timestamp;
    /// use portcullis_domain::ids::RecordNumber;
    /// use portcullis_filter::{Listing, Parameters, Schema, Symbol};
    /// use portcullis_index::Catalog;
    ///
    /// static KIND: Schema = Schema::entity(&[Symbol::string("name")]);
    ///
    /// let mut policies = Catalog::default();
    /// policies.put(RecordNumber(7), None, &AuthPolicy::default_policy(Timestamp::UNIX_EPOCH));
    ///
    /// let filter = Some(r#"name contains "fau" and tags.site = null"#);
    /// let listing = Listing::from_parameters(&KIND, &Parameters { filter, ..Default::default() })?;
    /// let found = policies.search(&listing.predicate);
    /// assert!(!found.is_exact(), "tags are only in the records");
    ///
    /// // The records decide which of the candidates match.
    /// let matches = policies.matches_from_numbers(policies.numbers(&found));
    /// let range = listing.page.range(matches.len());
    /// let page = policies.page_in(&matches, &listing.order, range);
    /// assert_eq!(page, Some(vec![RecordNumber(7)]));
    /// # Ok::<(), portcullis_filter::ListingError>(())
    /// ```
    pub fn search(&self, predicate: &Predicate) -> Matches {
        self.search_within(&self.all(), predicate)
    }

    /// Finds those of `candidates` that match `predicate`, as far as the columns allow. A search
    /// among few candidates is cheap for any predicate.
    pub fn search_within(&self, candidates: &Matches, predicate: &Predicate) -> Matches {
        let scope = SlotScope {
            live: self.live(),
            width: self.base.slots.width(),
        };
        let plan = Plan::new(predicate, &|symbol| self.column(symbol));
        let found = plan.run(&scope, candidates.slots());
        let is_exact = candidates.is_exact() && found.is_exact;
        let slots = match (candidates.slots(), found.slots) {
            (None, None) => return Matches::all(self.len(), is_exact),
            (None, Some(slots)) => slots,
            (Some(candidates), None) => candidates.clone(),
            (Some(candidates), Some(slots)) => slots & candidates,
        };
        Matches::new(slots, self.len(), is_exact)
    }

    /// All entities as exact matches.
    pub fn all(&self) -> Matches {
        Matches::all(self.len(), true)
    }

    /// The entities in the given slots, all of them in use, as exact matches.
    pub fn matches_from_slots(&self, slots: RoaringBitmap) -> Matches {
        Matches::new(slots, self.len(), true)
    }

    /// The entities of `owner` as exact matches.
    pub fn matches_owned_by(&self, owner: Owner) -> Matches {
        self.matches_from_numbers(self.owned_by(owner, 0, usize::MAX))
    }

    /// The entities with the given record numbers, as far as they exist, as exact matches.
    pub fn matches_from_numbers(&self, numbers: impl IntoIterator<Item = RecordNumber>) -> Matches {
        let slots: RoaringBitmap = numbers
            .into_iter()
            .filter_map(|number| self.slot(number))
            .map(Slot::bit)
            .collect();
        Matches::new(slots, self.len(), true)
    }

    /// Whether the entity with a record number is one of `matches`.
    pub fn is_among(&self, matches: &Matches, number: RecordNumber) -> bool {
        self.slot(number).is_some_and(|slot| {
            let slots = matches.slots();
            slots.is_none_or(|slots| slots.contains(slot.bit()))
        })
    }

    /// The record numbers of `matches`, roughly in order of creation.
    pub fn numbers<'m>(&'m self, matches: &'m Matches) -> impl Iterator<Item = RecordNumber> + 'm {
        let slots = matches.slots().unwrap_or_else(|| self.live());
        slots
            .iter()
            .filter_map(|bit| self.number(Slot::from_bit(bit)))
    }

    /// The value of a symbol for the entity in a slot; `None` without a column.
    pub fn value(&self, symbol: &str, slot: Slot) -> Option<Value<'_>> {
        match self.column(symbol)? {
            ColumnData::Set(_) => None,
            source => Some(source.value(slot)),
        }
    }

    /// The column of a symbol.
    pub(crate) fn column(&self, symbol: &str) -> Option<ColumnData<'_>> {
        let rows = &self.base;
        let source = match symbol {
            "id" => ColumnData::Text {
                texts: &rows.ids,
                order: Some(self.order(OrderKey::Id)),
            },
            "name" if self.has_names() => ColumnData::Text {
                texts: &rows.names,
                order: Some(self.order(OrderKey::Name)),
            },
            "createdAt" => ColumnData::Time {
                times: Times {
                    rows,
                    read: BaseColumns::created_at,
                },
                order: Some(self.order(OrderKey::CreatedAt)),
            },
            "updatedAt" => ColumnData::Time {
                times: Times {
                    rows,
                    read: BaseColumns::updated_at,
                },
                order: None,
            },
            "isSystem" => {
                let column = self.kind_column(symbol);
                column
                    .unwrap_or(const { ColumnRef::constant(Constant::Boolean(false)) })
                    .0
            },
            _ => self.kind_column(symbol)?.0,
        };
        Some(source)
    }
}
