//! Lists that are found in the store at once.

use super::listed::Listed;
use super::symbols::equalities;
use portcullis_filter::Predicate;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, IDENTITY, Index, ROUTER, Rows, UniqueValue};

/// A condition that leaves over so little that the store finds it faster than anything else.
pub(super) enum Narrow {
    /// What lives under the identity or router of this id.
    OwnedBy(UniqueValue),
    /// What has this unique value.
    Unique(UniqueValue),
}

impl Narrow {
    /// Finds such a condition among those that all matches meet.
    pub(super) fn of<E: Listed>(predicate: &Predicate) -> Option<Self> {
        equalities(predicate).find_map(|(symbol, text)| {
            let owner = match symbol {
                "identity" if E::KIND != IDENTITY => Some((IDENTITY, Index::IdentityId)),
                "edgeRouter" | "transitRouter" => Some((ROUTER, Index::RouterId)),
                _ => None,
            };
            if let Some((_, index)) = owner.filter(|(root, _)| E::ROOTS.contains(root)) {
                return Some(Self::OwnedBy(UniqueValue::new(index, text)));
            }
            E::index(symbol).map(|index| Self::Unique(UniqueValue::new(index, text)))
        })
    }

    pub(super) fn find<E: Listed>(&self, rows: Rows<'_>) -> Result<Vec<Found<E>>, StoreError> {
        match self {
            Self::OwnedBy(by_id) => match rows.locate(by_id)? {
                Some(owner) => rows.dependents(&owner),
                None => Ok(Vec::new()),
            },
            Self::Unique(value) => Ok(rows.find(value)?.into_iter().collect()),
        }
    }
}
