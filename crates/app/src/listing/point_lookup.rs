//! Lists that a point lookup in the store answers.

use super::listable::Listable;
use super::symbols::equalities;
use portcullis_filter::{EntitySymbol, Predicate, Symbols as _};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, IDENTITY, ROUTER, Rows, UniqueIndex, UniqueValue};

/// A condition that so few records meet that looking them up in the store is fastest.
pub(super) enum PointLookup {
    /// Records under the identity or router with this id.
    OwnedBy(UniqueValue),
    /// The record with this unique value.
    Unique(UniqueValue),
}

impl PointLookup {
    /// Finds such a condition among those that every match has to meet.
    pub(super) fn from_predicate<E: Listable>(predicate: &Predicate) -> Option<Self> {
        equalities(predicate).find_map(|(symbol, text)| {
            let owner = match symbol.name() {
                "identity" if E::KIND != IDENTITY => Some((IDENTITY, UniqueIndex::IdentityId)),
                "edgeRouter" | "transitRouter" => Some((ROUTER, UniqueIndex::RouterId)),
                _ => None,
            };
            if let Some((_, index)) = owner.filter(|(root, _)| E::ROOT_KINDS.contains(root)) {
                return Some(Self::OwnedBy(UniqueValue::new(index, text)));
            }
            let EntitySymbol::Own(own) = EntitySymbol::<E::Symbol>::from_id(symbol)? else {
                return None;
            };
            E::unique_index(own).map(|index| Self::Unique(UniqueValue::new(index, text)))
        })
    }

    pub(super) fn find<E: Listable>(&self, rows: Rows<'_>) -> Result<Vec<Found<E>>, StoreError> {
        match self {
            Self::OwnedBy(by_id) => match rows.locate(by_id)? {
                Some(owner) => rows.dependents(&owner),
                None => Ok(Vec::new()),
            },
            Self::Unique(value) => Ok(rows.find(value)?.into_iter().collect()),
        }
    }
}
